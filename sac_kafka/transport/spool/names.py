"""The names of the spool's files: whose they are, since when, and where their messages go, without a look inside.

`<application id>-<pid>-<started><salt>-<destination>-<number>.avro`; `started` is epoch microseconds in hexadecimal,
so that names sort by age. What belongs together, a writer, shares all but the number.
"""

from __future__ import annotations

import os
import re
import secrets
import time
from dataclasses import dataclass

from sac_kafka.transport.spool.directory import file_name

_FILE = re.compile(r"(?P<writer>.+-\d+-[0-9a-f]{17}-[0-9a-f]{8})-(?P<number>\d{6})\.avro")
_WRITER = re.compile(
    r"(?P<application>.+)-(?P<pid>\d+)-(?P<started>[0-9a-f]{13})(?P<salt>[0-9a-f]{4})-(?P<destination>[0-9a-f]{8})"
)


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes files: one spool of one process. `started_us` is epoch microseconds."""

    application: str
    pid: int
    started_us: int
    salt: str
    destination: str

    @classmethod
    def new(cls, application: str, destination: str) -> Writer:
        """Make the writer of this process, now."""
        now_us = time.time_ns() // 1000
        return cls(file_name(application), os.getpid(), now_us, secrets.token_hex(2), destination)

    @classmethod
    def read(cls, text: str) -> Writer | None:
        """Read a writer's name, None if it is none."""
        found = _WRITER.fullmatch(text)
        if found is None:
            return None
        application, pid, started, salt, destination = found.groups()
        return cls(application, int(pid), int(started, 16), salt, destination)

    @property
    def name(self) -> str:
        """The part of file names that tells writers apart."""
        return f"{self.application}-{self.pid}-{self.started_us:013x}{self.salt}-{self.destination}"

    @property
    def lock_name(self) -> str:
        """The file that is locked as long as the writer lives."""
        return f"{self.name}.lock"

    def file_name(self, number: int) -> str:
        """The name of the writer's file of this number."""
        return f"{self.name}-{number:06d}.avro"


def read_file_name(name: str) -> tuple[Writer, int] | None:
    """Give writer and number of a spool file, None for other files.

    >>> read_file_name("app_1-42-064cb2f0a11c041e7-5b21d0aa-000001.avro")[0].application
    'app_1'
    """
    found = _FILE.fullmatch(name)
    writer = Writer.read(found["writer"]) if found else None
    return None if found is None or writer is None else (writer, int(found["number"]))
