"""The hook's masking in a JVM without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.live.spark.compiled import Compiled, encoded

_CLASSES = (
    "Ends",
    "Addresses",
    "SecretParameters",
    "Literals",
    "Masking",
    "SecretTexts",
    "ForeignQuery",
    "ForeignText",
)


class Masker(Compiled):
    """Methods of `Masking` and `ForeignQuery`, the work that they do, and how long they take.

    Args:
        folder: As of `Compiled`.
        keys: Patterns of keys, as of Spark's `spark.redaction.regex`.
        values: Patterns of values, as of `spark.redaction.string.regex`.
    """

    def __init__(self, folder: Path, keys: Sequence[str], values: Sequence[str]) -> None:
        super().__init__(folder, "Masker", _CLASSES, "\n".join(keys), "\n".join(values))

    def call(self, method: str, *arguments: str) -> str:
        """Return the answer to a method and its arguments."""
        return self.answer(method, *map(encoded, arguments))

    def text(self, text: str) -> str:
        """Any text, masked."""
        return self.call("text", text)

    def work(self, method: str, head: str, unit: str, size: int) -> int:
        """Return the characters that a pattern reads of `head` and many `unit`, or the bytes that a method allocates for it."""
        return int(self.call("work", method, head, unit, str(size)))

    def milliseconds(self, method: str, head: str, unit: str, size: int) -> float:
        """CPU for a text that begins with `head` and goes on with many `unit`; a short one where that takes too long."""
        return float(self.call("time", method, head, unit, str(size)))
