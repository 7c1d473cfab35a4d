"""Prints docs/configuration.md: `python -m sac_kafka.settings`."""

from __future__ import annotations

import sys

from sac_kafka.settings.page import page

if __name__ == "__main__":
    sys.stdout.write(page())
