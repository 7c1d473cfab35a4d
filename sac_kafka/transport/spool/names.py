"""Build and parse the names of spool files: writer, time and destination are known without reading the file.

`<application id>-<pid>-<started><salt>-<destination>-<number>.avro`; `started` is epoch microseconds in hexadecimal,
so that names sort by age. The files of a writer share all but the number.
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
class WriterId:
    """Identity of a writer: one spool of one process. `started_us` is epoch microseconds."""

    application: str
    pid: int
    started_us: int
    salt: str
    destination: str

    @classmethod
    def new(cls, application: str, destination: str) -> WriterId:
        """Return a new identity for this process, as of now."""
        now_us = time.time_ns() // 1000
        return cls(file_name(application), os.getpid(), now_us, secrets.token_hex(2), destination)

    @classmethod
    def read(cls, text: str) -> WriterId | None:
        """Parse a writer's name, None if it is invalid."""
        found = _WRITER.fullmatch(text)
        if found is None:
            return None
        application, pid, started, salt, destination = found.groups()
        return cls(application, int(pid), int(started, 16), salt, destination)

    @property
    def name(self) -> str:
        """Part of file names that identifies the writer."""
        return f"{self.application}-{self.pid}-{self.started_us:013x}{self.salt}-{self.destination}"

    @property
    def lock_name(self) -> str:
        """Name of the file that is locked as long as the writer lives."""
        return f"{self.name}.lock"

    def file_name(self, number: int) -> str:
        """Return the name of the writer's file with this number."""
        return f"{self.name}-{number:06d}.avro"


def read_file_name(name: str) -> tuple[WriterId, int] | None:
    """Return writer and number of a spool file, None for other files.

    >>> read_file_name("app_1-42-064cb2f0a11c041e7-5b21d0aa-000001.avro")[0].application
    'app_1'
    """
    found = _FILE.fullmatch(name)
    writer = WriterId.read(found["writer"]) if found else None
    return None if found is None or writer is None else (writer, int(found["number"]))
