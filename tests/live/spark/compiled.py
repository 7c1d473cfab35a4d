"""Some of the hook's Java in a JVM without Spark: compiled, as in a driver, by the compiler among Spark's jars."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import pytest

import sac_kafka

if TYPE_CHECKING:
    from typing_extensions import Self

_SOURCES = Path(sac_kafka.__file__).parent / "spark" / "java"


class Compiled:
    """A main of the tests over classes of the hook, which answers line by line.

    Args:
        folder: Where the source to compile is written.
        main: The name of a Java file in the same folder.
        classes: The classes of the hook that it needs.
        arguments: Those of its main.
        edits: Texts of the sources and what replaces them, to make a constant another one.
    """

    def __init__(
        self, folder: Path, main: str, classes: Iterable[str], *arguments: str, edits: Mapping[str, str] | None = None
    ) -> None:
        pyspark = pytest.importorskip("pyspark")
        jars = Path(pyspark.__file__).parent / "jars"
        source = folder / f"{main}.java"
        text = _unit((*(_SOURCES / f"{each}.java" for each in classes), Path(__file__).with_name(source.name)))
        for before, after in (edits or {}).items():
            assert before in text, before
            text = text.replace(before, after)
        source.write_text(text)
        java = Path(os.environ["JAVA_HOME"], "bin", "java") if os.environ.get("JAVA_HOME") else Path("java")
        command = [str(java), "-Xss64m", "-cp", f"{jars}/*", "org.codehaus.janino.SimpleCompiler"]
        self._process = subprocess.Popen(
            [*command, str(source), f"sackafka.{main}", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._process.communicate(timeout=60)

    def answer(self, *parts: str) -> str:
        """Return the answer to a line of these parts."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write("\t".join(parts) + "\n")
        stdin.flush()
        line = stdout.readline()
        assert line, f"it has ended: {self._process.wait(60)}"
        return base64.b64decode(line).decode()


def encoded(text: str) -> str:
    """Return a text as one part of a line."""
    return base64.b64encode(text.encode()).decode()


def _unit(files: Iterable[Path]) -> str:
    """Return the classes in one text, which is what that compiler takes."""
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    imports = sorted({line for line in lines if line.startswith("import ")})
    return "\n".join(["package sackafka;", *imports, *(x for x in lines if not x.startswith(("import ", "package ")))])
