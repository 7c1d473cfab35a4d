"""The lines of a file that a command is given, or of standard input: whatever they hold, they can be read."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from sac_kafka.errors import SacKafkaError

STANDARD_INPUT = "-"
MAX_CHARACTERS = 64 * 1024 * 1024
"""What is read of a line: a longer one is cut, and so is no message and no event any more."""
_NO_TEXT = "\0"
"""What half of UTF-16 is, read as UTF-8."""
_GZIP = "\x1f\ufffd"
"""How what gzip has packed begins, read as UTF-8."""
_WRONG_ENCODING = "it is UTF-16, or no text; iconv -f UTF-16 -t UTF-8 makes UTF-8 of it, else"


def named(file: str) -> str:
    """Give what to call it.

    >>> named("-")
    'standard input'
    """
    return "standard input" if file == STANDARD_INPUT else file


def lines(file: str, cure: str) -> Iterator[str]:
    """Give its lines without their ends; characters that are no UTF-8 are replaced.

    Args:
        file: Its path, `-` for standard input.
        cure: What to do where it cannot be read.

    Raises:
        SacKafkaError: It cannot be read, is packed, or in UTF-16, as a shell of Windows writes it.
    """
    try:
        with _opened(file) as stream:
            line = stream.readline(MAX_CHARACTERS)
            if line.startswith(_GZIP):
                raise SacKafkaError(f"{named(file)}: it is packed; {_unpacking(file)}")
            if _NO_TEXT in line:
                raise SacKafkaError(f"{named(file)}: {_WRONG_ENCODING} {cure}")
            while line:
                yield line.removesuffix("\n")
                while line and not line.endswith("\n"):  # the rest of one that was cut
                    line = stream.readline(MAX_CHARACTERS)
                line = stream.readline(MAX_CHARACTERS)
    except OSError as e:
        raise SacKafkaError(f"{named(file)}: {e.strerror or e}; {cure}") from e


def _unpacking(file: str) -> str:
    if file == STANDARD_INPUT:
        return "pipe it through gunzip"
    return f"unpack it on the way: gunzip -c {shlex.quote(file)} | sac-kafka COMMAND -"


@contextmanager
def _opened(file: str) -> Iterator[TextIO]:
    if file != STANDARD_INPUT:
        with Path(file).open(encoding="utf-8-sig", errors="replace") as stream:
            yield stream
        return
    if sys.stdin is None:
        raise OSError("it is closed")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="replace")
    yield sys.stdin
