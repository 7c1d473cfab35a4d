"""Pack a virtual environment into an archive for Spark's `--archives`.

The archive is like that of venv-pack, which has had no release since 2018. Symbolic links stay links, so the nodes need the base
interpreter at the same path. Scripts keep their shebang lines, because Spark calls the interpreter itself.
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
"""Spark and YARN choose how to unpack a file by its suffix."""
FROM_THE_CLUSTER = "pyspark"
"""Package that is not packed: it has hundreds of megabytes of jars, and `spark-submit` provides its own."""

PACKAGE = Path(__file__).resolve().parents[1]


class PackError(SacKafkaError):
    """Environment that cannot be packed; the text has the reason and a remedy."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Python environment, given by `sys.prefix` and `sys.base_prefix`."""

    prefix: Path
    base_prefix: Path

    @property
    def interpreter(self) -> Path:
        """Target of the link `bin/python`, which every node needs."""
        return (self.prefix / "bin" / "python").resolve()


def check(environment: Environment) -> None:
    """Check that the environment is relocatable.

    Raises:
        PackError: It is not.
    """
    prefix = environment.prefix
    if (prefix / "conda-meta").is_dir():
        raise PackError(f"{prefix} is a conda environment: pack it with conda-pack -o env.tar.gz")
    if prefix == environment.base_prefix or not (prefix / "pyvenv.cfg").is_file():
        raise PackError(
            f"{prefix} is not a virtual environment: create one with python3 -m venv env, install sac_kafka and the job's "
            "packages into it, and run env/bin/sac-kafka pack"
        )
    if not PACKAGE.is_relative_to(prefix.resolve()):
        raise PackError(f"sac_kafka is in {PACKAGE.parent}, not in {prefix}: install it there, and unset PYTHONPATH")
    for name in _editable(prefix):
        raise PackError(f"{name} is an editable install, so its code is not in the environment: install it without -e")


def pack(environment: Environment, file: Path) -> int:
    """Write the archive atomically and return its size in bytes.

    Raises:
        PackError: The file cannot be written, or has an unsupported suffix.
    """
    if not file.name.endswith(SUFFIXES):
        raise PackError(f"{file}: unsupported suffix for Spark; use {' or '.join(SUFFIXES)}")
    folder = file.absolute().parent
    if not folder.is_dir():
        raise PackError(f"{file} cannot be written: the folder {folder} does not exist; create it first")
    own = os.path.realpath(file)  # unlike Path.resolve, it accepts circular links
    try:
        members = [*_members(environment.prefix)]
        with _replacing(file) as temporary:
            with tarfile.open(temporary, "w:gz", compresslevel=6) as archive:
                for member in members:
                    if os.path.realpath(member) != own:
                        archive.add(member, member.relative_to(environment.prefix), recursive=False)
            return temporary.stat().st_size
    except OSError as error:
        place = Path(error.filename or file)
        if error.filename2 is not None or place.name.startswith(_temporary_prefix(file)):
            raise PackError(f"{file} cannot be written: {error.strerror}; name another file with -o") from error
        raise PackError(f"{place} cannot be packed: {error.strerror}") from error


def _temporary_prefix(file: Path) -> str:
    return f".{file.name}."


@contextlib.contextmanager
def _replacing(file: Path) -> Iterator[Path]:
    """Yield a temporary file in the same folder that replaces `file` on success."""
    descriptor, name = tempfile.mkstemp(prefix=_temporary_prefix(file), dir=file.absolute().parent)
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _members(prefix: Path) -> Iterator[Path]:
    """Yield all files and links in a stable order."""
    for folder, folders, files in os.walk(prefix, onerror=_fail):
        at = Path(folder)
        folders[:] = sorted(each for each in folders if not _is_excluded(at / each))
        links = [each for each in folders if (at / each).is_symlink()]
        yield from (at / each for each in sorted([*files, *links]))


def _fail(error: OSError) -> None:
    raise error


def _is_excluded(folder: Path) -> bool:
    return folder.name == FROM_THE_CLUSTER and folder.parent.name == "site-packages"


def _editable(prefix: Path) -> Iterator[str]:
    """Yield the editable distributions of an environment (PEP 610)."""
    for place in sorted(prefix.glob("lib/python*/site-packages")):
        for distribution in metadata.distributions(path=[str(place)]):
            with contextlib.suppress(ValueError, TypeError, LookupError):  # no or other metadata: not editable
                if json.loads(distribution.read_text("direct_url.json") or "{}")["dir_info"]["editable"]:
                    yield str(distribution.metadata["Name"])
