"""Finds a Java that can run Spark and the stack: JAVA_HOME first, then the PATH, then what `stack.java17` has fetched."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stack.errors import StackError

OLDEST_JAVA = 17
VERSION_TIMEOUT_SECONDS = 180
FETCHED = Path(__file__).resolve().parents[1] / "build" / "java-17"
FIX = f"""Install a Java of at least version {OLDEST_JAVA}:
  Debian, Ubuntu:  apt-get install openjdk-17-jdk-headless
  Fedora, RHEL:    dnf install java-17-openjdk-devel
  macOS:           brew install openjdk@17   (then set JAVA_HOME to what `brew --prefix openjdk@17` prints)
or set JAVA_HOME to the folder of an existing one."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java with its version."""

    path: Path
    version: int

    @property
    def is_fetched(self) -> bool:
        """Whether it is the one of `stack.java17`, not one of this machine."""
        return self.path == FETCHED / "bin" / "java"

    @property
    def home(self) -> Path:
        """What JAVA_HOME is for it."""
        return self.path.resolve().parents[1]


class NoJavaError(StackError):
    """There is no Java that is new enough; `found` names those that were tried."""

    def __init__(self, found: str) -> None:
        super().__init__(f"{found}.\n{FIX}")
        self.found = found


def find_java() -> Java:
    """Return the first Java that is new enough, else raise one error with the fix."""
    seen = []
    for origin, path in _candidates():
        version = java_version(path)
        if version is not None and version >= OLDEST_JAVA:
            return Java(path, version)
        seen.append(f"{path} (from {origin}) " + (f"is version {version}" if version else "does not run"))
    found = "; ".join(seen) or "JAVA_HOME is not set, or holds no bin/java, and there is no java on the PATH"
    raise NoJavaError(f"No Java {OLDEST_JAVA} or newer: {found}")


def java_version(path: Path) -> int | None:
    """Return the feature version (8, 11, 17, …) of a java program, None where it does not run."""
    try:
        answer = subprocess.run(
            [str(path), "-version"],
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VERSION_TIMEOUT_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return parse_version(answer.stdout + answer.stderr)


def parse_version(text: str) -> int | None:
    """Return the feature version in what `java -version` prints.

    >>> parse_version('openjdk version "17.0.15" 2025-04-15'), parse_version('java version "1.8.0_402"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found[1]) if found else None


def _candidates() -> Iterator[tuple[str, Path]]:
    home = os.environ.get("JAVA_HOME")
    if home and (Path(home) / "bin" / "java").is_file():
        yield "JAVA_HOME", Path(home) / "bin" / "java"
    on_path = shutil.which("java")
    if on_path:
        yield "PATH", Path(on_path)
    if (FETCHED / "bin" / "java").is_file():
        yield "PyPI", FETCHED / "bin" / "java"
