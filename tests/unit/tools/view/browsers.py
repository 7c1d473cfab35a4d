"""The browser of the tests: the Chromium that this machine has, with nothing downloaded."""

from __future__ import annotations

import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""
OPTIONS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none")
"""As root and in containers Chromium has no sandbox and little shared memory; it opens our pages only."""

IN_BROWSER = [
    pytest.mark.browser,
    pytest.mark.full,
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium on this machine: apt-get install chromium"),
]
"""Marks of a module whose tests open the page."""
