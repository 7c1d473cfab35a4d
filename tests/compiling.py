"""Compiles Java sources of the tests, once for each state of them."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path

from stack.errors import StackError
from stack.files import locked

TIMEOUT_SECONDS = 120


def compiled(what: str, sources: Sequence[Path], folder: Path, *, java: Path, class_path: str, kind: str = "") -> Path:
    """The folder of the classes, below `folder`; `kind` tells apart what the same sources are compiled for.

    Raises:
        StackError: there is no compiler, or it does not take the sources; names `what`.
    """
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sources)).hexdigest()[:16]
    classes = folder / f"{kind}{digest}"
    with locked(folder / "lock", TIMEOUT_SECONDS):
        if (classes / "done").exists():
            return classes
        command = [str(java), "-m", "jdk.compiler/com.sun.tools.javac.Main", "--release", "17", "-d", str(classes)]
        done = subprocess.run(
            [*command, "-cp", class_path, *map(str, sources)],
            check=False,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
        )
        if done.returncode:
            cure = "" if ".java:" in done.stderr else " It needs a JDK: apt-get install openjdk-17-jdk-headless"
            raise StackError(f"{what} could not be compiled by {java}: {done.stderr.strip()[:2000]}{cure}")
        (classes / "done").touch()
    return classes
