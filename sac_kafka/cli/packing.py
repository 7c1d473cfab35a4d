"""Packs a virtual environment for Spark's `--archives`: which files, and which environments will not do.

Archive and rules are those of venv-pack, which has had no release since 2018: links stay links, so that the nodes need
the interpreter that the environment was made from, at the same path; scripts keep their first lines, because Spark calls
the interpreter itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from sac_kafka.errors import SacKafkaError

SUFFIXES = (".tar.gz", ".tgz")
"""Spark and YARN unpack by the name."""
FROM_THE_CLUSTER = "pyspark"
"""The package that is left out: hundreds of megabytes of jars, and the driver runs the one that `spark-submit` brings."""

PACKAGE = Path(__file__).resolve().parents[1]


class PackError(SacKafkaError):
    """An environment cannot be packed: says why, and what to do instead."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A Python environment, as `sys.prefix` and `sys.base_prefix` tell it."""

    prefix: Path
    base_prefix: Path

    @property
    def interpreter(self) -> Path:
        """What `bin/python` leads to in the end: every node needs it."""
        return (self.prefix / "bin" / "python").resolve()


def check(environment: Environment) -> None:
    """See that the environment works elsewhere, too.

    Raises:
        PackError: It does not.
    """
    prefix = environment.prefix
    if (prefix / "conda-meta").is_dir():
        raise PackError(f"{prefix} is an environment of conda: pack it with conda-pack -o env.tar.gz")
    if prefix == environment.base_prefix or not (prefix / "pyvenv.cfg").is_file():
        raise PackError(
            f"{prefix} is no virtual environment: python3 -m venv env, install there what the job needs, and run "
            "env/bin/sac-kafka pack"
        )
    if not PACKAGE.is_relative_to(prefix.resolve()):
        raise PackError(f"sac_kafka is not in {prefix} but in {PACKAGE.parent}: install it there, and unset PYTHONPATH")
    for name in _editable(prefix):
        raise PackError(f"{name} is installed as editable, so that its code is elsewhere: install it without -e")


def pack(environment: Environment, file: Path) -> int:
    """Write the archive, whole or not at all, and return its size in bytes.

    Raises:
        PackError: The file cannot be written, or has a name by which it would not be unpacked.
    """
    if not file.name.endswith(SUFFIXES):
        raise PackError(f"{file}: Spark unpacks by the name; let it end in {' or '.join(SUFFIXES)}")
    folder = file.absolute().parent
    if not folder.is_dir():
        raise PackError(f"{file} cannot be packed: there is no folder {folder}; make it first")
    own = os.path.realpath(file)  # which, unlike resolve, takes links that lead in circles
    try:
        members = [*_members(environment.prefix)]
        with _replacing(file) as beside:
            with tarfile.open(beside, "w:gz", compresslevel=6) as archive:
                for member in members:
                    if os.path.realpath(member) != own:
                        archive.add(member, member.relative_to(environment.prefix), recursive=False)
            return beside.stat().st_size
    except OSError as error:
        place = Path(error.filename or file)
        if error.filename2 is not None or place.name.startswith(_beside(file)):
            raise PackError(f"{file} cannot be written: {error.strerror}; name another one by -o") from error
        raise PackError(f"{place} cannot be packed: {error.strerror}") from error


def _beside(file: Path) -> str:
    return f".{file.name}."


@contextlib.contextmanager
def _replacing(file: Path) -> Iterator[Path]:
    """Give a file beside it to write, which takes its place in the end; an archive of before is there until then."""
    descriptor, name = tempfile.mkstemp(prefix=_beside(file), dir=file.absolute().parent)
    os.close(descriptor)
    beside = Path(name)
    try:
        yield beside
        beside.chmod(0o644)
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)


def _members(prefix: Path) -> Iterator[Path]:
    """All files and links, in an order that does not change."""
    for folder, folders, files in os.walk(prefix, onerror=_fail):
        at = Path(folder)
        folders[:] = sorted(each for each in folders if not _is_left_out(at / each))
        links = [each for each in folders if (at / each).is_symlink()]
        yield from (at / each for each in sorted([*files, *links]))


def _fail(error: OSError) -> None:
    raise error


def _is_left_out(folder: Path) -> bool:
    return folder.name == FROM_THE_CLUSTER and folder.parent.name == "site-packages"


def _editable(prefix: Path) -> Iterator[str]:
    """The distributions whose code is not in the environment (PEP 610)."""
    for place in sorted(prefix.glob("lib/python*/site-packages")):
        for distribution in metadata.distributions(path=[str(place)]):
            with contextlib.suppress(ValueError, TypeError, LookupError):  # what says nothing of the kind
                if json.loads(distribution.read_text("direct_url.json") or "{}")["dir_info"]["editable"]:
                    yield str(distribution.metadata["Name"])
