"""Pinned lists of jars (and wars): which ones, of which bytes. Pure, but for the reading of the jars that are checked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from stack.errors import StackError

_ROW = re.compile(
    r"(?P<group>[\w.-]+):(?P<artifact>[\w.-]+):(?P<version>[\w.-]+)(?::(?P<packaging>war))?"
    r"\s+(?P<sha256>[0-9a-f]{64})\s+(?P<size>[1-9]\d*)"
)


@dataclass(frozen=True, slots=True)
class Jar:
    """One jar (or war) of a list: Maven coordinates and the bytes that it must have."""

    group: str
    artifact: str
    version: str
    sha256: str
    size: int
    packaging: str = "jar"

    @property
    def file_name(self) -> str:
        """The name that every client gives the file."""
        return f"{self.artifact}-{self.version}.{self.packaging}"

    @property
    def repository_path(self) -> str:
        """Where the jar is in any repository of Maven's layout."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.file_name}"

    def problem(self, folder: Path) -> str | None:
        """Return what is wrong with this jar in a folder, None where it has the pinned bytes."""
        path = folder / self.file_name
        if not path.is_file():
            return f"{self.file_name} is missing"
        if path.stat().st_size != self.size:
            return f"{self.file_name} has {path.stat().st_size} bytes, not {self.size}"
        if _sha256(path) != self.sha256:
            return f"{self.file_name} does not have the pinned sha256"
        return None


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):  # a war is hundreds of megabytes
            digest.update(block)
    return digest.hexdigest()


def parse_list(text: str, source: str) -> tuple[Jar, ...]:
    """Read a list of `group:artifact:version[:war] sha256 size` lines; `#` starts a comment line.

    Raises:
        StackError: A line has another form, or two lines name the same file; the message names the place.
    """
    jars: dict[str, Jar] = {}
    for number, line in enumerate(text.splitlines(), 1):
        row = line.strip()
        if not row or row.startswith("#"):
            continue
        found = _ROW.fullmatch(row)
        if found is None:
            raise StackError(
                f"{source}, line {number}: expected 'group:artifact:version[:war] sha256 size', found {row!r}"
            )
        size, packaging = int(found["size"]), found["packaging"] or "jar"
        jar = Jar(found["group"], found["artifact"], found["version"], found["sha256"], size, packaging)
        if jar.file_name in jars:
            raise StackError(f"{source}, line {number}: {jar.file_name} is listed twice")
        jars[jar.file_name] = jar
    if not jars:
        raise StackError(f"{source} lists no jar")
    return tuple(jars.values())


def problems(jars: Iterable[Jar], folder: Path) -> list[str]:
    """Return what is wrong with the jars in a folder; an empty list means that all have the pinned bytes."""
    return [problem for jar in jars if (problem := jar.problem(folder)) is not None]
