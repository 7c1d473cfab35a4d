"""Read the lines of an input, tolerating invalid UTF-8 and overlong lines; count and report what was skipped as unreadable."""

from __future__ import annotations

import io
import os
import select
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from sac_kafka.errors import SacKafkaError
from sac_kafka.stats import with_noun
from sac_kafka.tools.cli.output import print_error

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STANDARD_INPUT = "-"
MAX_CHARACTERS = 64 * 1024 * 1024
"""Limit of a line; the rest of a longer one is discarded, which makes it unreadable as a message or an event."""
_NUL = "\0"
"""Every second byte of ASCII text in UTF-16."""
_WAIT_SECONDS = 0.2
_GZIP = "\x1f\ufffd"
"""The first bytes of a gzip file, decoded as UTF-8."""
_WRONG_ENCODING = "UTF-16 or binary data; convert it with iconv -f UTF-16 -t UTF-8, else"


def display_name(file: str) -> str:
    """Return the name of an input file for messages.

    >>> display_name("-")
    'standard input'
    """
    return "standard input" if file == STANDARD_INPUT else file


def read_lines(file: str, remedy: str) -> Iterator[str]:
    """Yield the lines of a file without line ends; invalid UTF-8 is replaced.

    `remedy` is what to do if the file cannot be read, for the error.

    Raises:
        SacKafkaError: The file cannot be read, is compressed, or is UTF-16, as Windows shells write it.
    """
    try:
        with _open(file) as stream:
            line = stream.readline(MAX_CHARACTERS)
            if line.startswith(_GZIP):
                fix = f"decompress it: gunzip -c {shlex.quote(file)} | sac-kafka COMMAND -"
                fix = "pipe it through gunzip" if file == STANDARD_INPUT else fix
                raise SacKafkaError(f"{display_name(file)}: gzip-compressed; {fix}")
            if _NUL in line:
                raise SacKafkaError(f"{display_name(file)}: {_WRONG_ENCODING} {remedy}")
            while line:
                yield line.removesuffix("\n")
                while line and not line.endswith("\n"):  # discard the rest of an overlong line
                    line = stream.readline(MAX_CHARACTERS)
                line = stream.readline(MAX_CHARACTERS)
    except OSError as e:
        raise SacKafkaError(f"{display_name(file)}: {e.strerror or e}; {remedy}") from e


@contextmanager
def _open(file: str) -> Iterator[TextIO]:
    if file != STANDARD_INPUT:
        with Path(file).open(encoding="utf-8-sig", errors="replace") as stream:
            yield stream
        return
    if sys.stdin is None:
        raise OSError("closed")
    if sys.__stdin__ is not None and sys.stdin is sys.__stdin__:
        raw = io.BufferedReader(_InterruptibleInput(sys.__stdin__.fileno()))
        yield io.TextIOWrapper(raw, encoding="utf-8-sig", errors="replace")
        return
    if isinstance(sys.stdin, io.TextIOWrapper):  # replaced by a program
        sys.stdin.reconfigure(encoding="utf-8-sig", errors="replace")
    yield sys.stdin


class _InterruptibleInput(io.RawIOBase):
    """Read a descriptor only when it has data: a signal just before a read that waits would take effect after it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        while not select.select([self._descriptor], [], [], _WAIT_SECONDS)[0]:
            pass
        return os.readv(self._descriptor, [buffer])


class SkippedMessages:
    """Counter of unreadable messages; as a context manager it reports them on standard error, one line for each kind.

    A source whose messages are all unreadable is an error, as it probably is no source of messages.
    """

    def __init__(self, place: str, program: str) -> None:
        self._place = place
        self._program = program
        self._first = ""
        self.number = 0
        self._entities = 0
        self._first_entity = ""
        self._is_any_read = False

    def __enter__(self) -> SkippedMessages:
        """Return this counter."""
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Report how many messages were skipped, and the reason of the first.

        Raises:
            SacKafkaError: All messages were skipped.
        """
        if self.number and not self._is_any_read and error is None:
            raise SacKafkaError(f"{self._place} has no readable messages; {self._first}")
        if self.number:
            what = f"{with_noun(self.number, 'message')} of {self._place} could not be read"
            print_error(f"{what}; {self._first}", self._program)
        if self._entities:
            what = f"{with_noun(self._entities, 'entity', 'entities')} in messages of {self._place} could not be read"
            print_error(f"{what}; {self._first_entity}", self._program)

    def add_read(self) -> None:
        """Note that a message was read."""
        self._is_any_read = True

    def add(self, place: str, problem: str) -> None:
        """Count an unreadable message."""
        self.number += 1
        self._first = self._first or f"{place}: {problem}"

    def add_entities(self, place: str, problems: Sequence[str]) -> None:
        """Count the unreadable entities of a message that was otherwise read."""
        self._entities += len(problems)
        if problems and not self._first_entity:
            self._first_entity = f"{place}: {problems[0]}"
