"""The hook's masking in a JVM without Spark: compiled, as in a driver, by the compiler among Spark's jars."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import pytest

import sac_kafka

_SOURCES = Path(sac_kafka.__file__).parent / "spark" / "java"
_CLASSES = ("Ends", "Addresses", "SecretParameters", "Literals", "Masking", "ForeignQuery", "ForeignText")
_FILES = (*(_SOURCES / f"{each}.java" for each in _CLASSES), Path(__file__).with_name("Masker.java"))


class Masker:
    """Methods of `Masking`, of `ForeignQuery`, and how long they take.

    Args:
        folder: Where the source to compile is written.
        keys: Patterns of keys, as of Spark's `spark.redaction.regex`.
        values: Patterns of values, as of `spark.redaction.string.regex`.
    """

    def __init__(self, folder: Path, keys: Sequence[str], values: Sequence[str]) -> None:
        pyspark = pytest.importorskip("pyspark")
        jars = Path(pyspark.__file__).parent / "jars"
        source = folder / "Masker.java"
        source.write_text(_unit())
        java = Path(os.environ["JAVA_HOME"], "bin", "java") if os.environ.get("JAVA_HOME") else Path("java")
        command = [str(java), "-Xss64m", "-cp", f"{jars}/*", "org.codehaus.janino.SimpleCompiler"]
        self._process = subprocess.Popen(
            [*command, str(source), "sackafka.Masker", "\n".join(keys), "\n".join(values)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Masker:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.communicate(timeout=20)

    def ask(self, method: str, *arguments: str) -> str:
        """The answer to a method and its arguments."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write("\t".join([method, *(base64.b64encode(each.encode()).decode() for each in arguments)]) + "\n")
        stdin.flush()
        line = stdout.readline()
        assert line, f"the masker has ended: {self._process.wait(10)}"
        return base64.b64decode(line).decode()

    def text(self, text: str) -> str:
        """Any text, masked."""
        return self.ask("text", text)

    def milliseconds(self, method: str, head: str, unit: str, size: int) -> float:
        """CPU for a text that begins with `head` and goes on with many `unit`; a short one where that takes too long."""
        return float(self.ask("time", method, head, unit, str(size)))


def _unit() -> str:
    """The classes in one text, which is what that compiler takes."""
    lines = [line for file in _FILES for line in file.read_text("utf-8").splitlines()]
    imports = sorted({line for line in lines if line.startswith("import ")})
    return "\n".join(["package sackafka;", *imports, *(x for x in lines if not x.startswith(("import ", "package ")))])
