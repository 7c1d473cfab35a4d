"""The browser of the tests: the Chromium that this machine has, with nothing downloaded."""

from __future__ import annotations

import shutil

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none")
"""As root and in containers Chromium has no sandbox and little shared memory; it opens our pages only."""
