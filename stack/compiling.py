"""Compiles Java sources, once for each state of them: by the JDK where there is one, else by Eclipse's compiler."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from pathlib import Path

from stack.errors import StackError
from stack.files import locked
from stack.jars import provide

TIMEOUT_SECONDS = 300
ECLIPSE = "ecj-3.46.0"
"""The list of its one jar, which any Java 17 runs."""

_JDK = ("-m", "jdk.compiler/com.sun.tools.javac.Main", "--release", "17")
_NO_JDK = "Module jdk.compiler not found"


def compiled(what: str, sources: Sequence[Path], folder: Path, *, java: Path, class_path: str, kind: str = "") -> Path:
    """Return the folder of the classes, below `folder`; `kind` distinguishes targets of the same sources.

    Raises:
        StackError: there is no compiler, or it does not take the sources; names `what`.
    """
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in sources)).hexdigest()[:16]
    classes = folder / f"{kind}{digest}"
    with locked(folder / "lock", 3 * TIMEOUT_SECONDS):
        if (classes / "done").exists():
            return classes
        arguments = ["-d", str(classes), "-cp", class_path, *map(str, sources)]
        status, printed = _run([str(java), *_JDK, *arguments])
        if status and _NO_JDK in printed:
            status, printed = _run([str(java), *eclipse(), *arguments])
        if status:
            raise StackError(f"{what} could not be compiled by {java}: {printed.strip()[:2000]}")
        (classes / "done").touch()
    return classes


def eclipse() -> list[str]:
    """Return how Java runs Eclipse's compiler, which needs no JDK: it compiles for the running Java, in form 17."""
    return ["-jar", provide(ECLIPSE).class_path, "-source", "17", "-target", "17", "-nowarn", "-proc:none"]


def _run(command: Sequence[str]) -> tuple[int, str]:
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    return done.returncode, done.stdout + done.stderr
