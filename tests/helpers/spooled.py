"""Reads the files of the spool with fastavro alone, as anybody may."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import fastavro
import pytest


def spool_files(directory: Path) -> list[Path]:
    """Return the files in a directory that wait to be delivered, oldest first."""
    return sorted(directory.glob("*.avro"), key=lambda file: file.name.split("-")[-3:])


def read_file(file: Path) -> list[dict[str, Any]]:
    with file.open("rb") as stream:
        return list(fastavro.reader(stream))


def kept(directory: Path) -> list[dict[str, Any]]:
    """Return the records in the files of a directory, in order, delivered ones included."""
    return [each for file in spool_files(directory) for each in read_file(file)]


def texts(records: Iterable[dict[str, Any]]) -> list[bytes]:
    """Return the messages in one part; only the longest have several."""
    return [value for each in records for value in each["values"]]


def given_to_another_user(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a file or directory be another user's: root gives it away, others become another one."""
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
    else:
        another = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: another)
        monkeypatch.setattr(os, "getuid", lambda: another)
