"""Decides which `atlas-application.properties` is used, from facts that the caller has gathered.

Reads nothing but whether a file exists; the facts come from `spark.session`, the environment, or a command line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sac_kafka.errors import ConfigurationError
from sac_kafka.log import logger

FILE_NAME = "atlas-application.properties"
A_BROKER = ("atlas.kafka.bootstrap.servers=HOST:PORT",)
_SPARK_PREFIX = "spark."
_FILE_LISTS = ("spark.yarn.dist.files", "spark.files")

_WORKING_DIRECTORY = "the working directory"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # one letter is a drive of Windows
_DBFS = "/dbfs"  # where Databricks mounts it on the driver


@dataclass(frozen=True, slots=True)
class Resource:
    """A file that a class loader has found; `content` is given where only the JVM can read it (in a jar)."""

    location: str
    content: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where a file may lie; None and "" mean "not set".

    `option` is what a command line names by its option `option_name`, `system_property` the JVM's `atlas.conf`,
    `environment` the variable ATLAS_CONF: each a directory or a file. `spark_files` is either `SparkFiles.get` or the
    paths of the files added to the SparkContext. `arguments` are settings that the call of `attach` gives, by key.
    `class_path` is what the driver's class loader has found; `is_driver` is False where there is none to ask.
    `file_name` is the JVM's `atlas.properties` (Atlas 2.5): another name, or a file by itself. `needed` are settings that
    would do where there is no file, as cures name them: what whoever asks cannot do without.
    """

    option: str | None = None
    option_name: str = "--conf-dir"
    system_property: str | None = None
    environment: str | None = None
    working_directory: str = "."
    spark_files: Callable[[str], str | None] | Sequence[str] = ()
    spark_conf: Mapping[str, str] = field(default_factory=dict, repr=False)  # it holds passwords
    arguments: Mapping[str, str] = field(default_factory=dict, repr=False)
    class_path: Resource | None = None
    is_driver: bool = True
    file_name: str | None = None
    needed: tuple[str, ...] = A_BROKER

    @property
    def name(self) -> str:
        """The name of the file that is looked for."""
        return Path(self.file_name.strip()).name if self.file_name and self.file_name.strip() else FILE_NAME


@dataclass(frozen=True, slots=True)
class Found:
    """The file that is used and which rule found it (`place`, for the log); `content` as in `Resource`."""

    path: str
    place: str
    content: bytes | None = field(default=None, repr=False)


def find(places: Places) -> Found | None:
    """Give the file to read, None when there is none anywhere.

    As in Atlas (`ApplicationProperties`), a directory that was named excludes the other places.

    Raises:
        ConfigurationError: Something that was named has no such file, or cannot be looked into.
    """
    if (named := _by_itself(places)) is not None:
        return named
    for value, place in _named(places):
        return _existing(_local(value, Path(places.working_directory), place), place, places.name)
    for candidate, place in _searched(places):
        if _is_file(candidate) and not _is_passed_over(candidate, place):
            return Found(str(candidate), place)
    if places.class_path is not None:
        return Found(places.class_path.location, _CLASS_PATH, places.class_path.content)
    return None


def looked_in(places: Places) -> tuple[str, ...]:
    """Give the places that `find` looked into, each in words, for the warning that nothing was found."""
    looked = [f"the working directory {places.working_directory}"]
    if callable(places.spark_files) or places.spark_files:
        looked.append("SparkFiles")
    looked += [key for key in _FILE_LISTS if places.spark_conf.get(key)]
    return (*looked, _CLASS_PATH) if places.is_driver else tuple(looked)


def overrides(spark_conf: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that Spark's configuration overrides: `spark.atlas.x` stands for the file's `atlas.x`.

    `spark.Atlas.x` is one as well, of the key `Atlas.x`: it has no effect, and is reported.
    """
    return {
        key[len(_SPARK_PREFIX) :]: value
        for key, value in spark_conf.items()
        if key.lower().startswith(_SPARK_PREFIX + "atlas.")
    }


_CLASS_PATH = "the class path"


def _by_itself(places: Places) -> Found | None:
    """The file that `atlas.properties` names, unless it is only a name that the other places are searched for."""
    value = (places.file_name or "").strip()
    if not value:
        return None
    place = "the system property atlas.properties"
    path = _local(value, Path(places.working_directory), place)
    if _is_file(path):
        return Found(str(path), place)
    if path.name == value:
        return None
    raise ConfigurationError(f"{place} = {value}: there is no file {path}; put it there, or unset the property")


def _named(places: Places) -> Iterator[tuple[str, str]]:
    for value, place in (
        (places.option, places.option_name),
        (places.system_property, "the system property atlas.conf"),
        (places.environment, "the environment variable ATLAS_CONF"),
    ):
        if value and value.strip():
            yield value.strip(), place


def _existing(candidate: Path, place: str, name: str) -> Found:
    inside = candidate / name
    try:
        for path in (candidate, inside):
            if path.is_file():
                return Found(str(path), place)
        missing = f"that directory has no file {name}" if candidate.is_dir() else "there is no such file or directory"
    except OSError as error:
        missing = f"it cannot be looked into: {error.strerror}"
    if place.startswith("--"):
        raise ConfigurationError(f"{place} {candidate}: {missing}; name another")
    raise ConfigurationError(
        f"{place} = {candidate}: {missing}; put the file there, or unset it to have the other places searched"
    )


def _searched(places: Places) -> Iterator[tuple[Path, str]]:
    base = Path(places.working_directory)
    yield base / places.name, _WORKING_DIRECTORY
    for path in _spark_files(places.spark_files, places.name):
        yield path, "SparkFiles"
    for key in _FILE_LISTS:
        for path in _listed(places.spark_conf.get(key, ""), places.name, base):
            yield path, key


def _spark_files(spark_files: Callable[[str], str | None] | Sequence[str], name: str) -> list[Path]:
    if callable(spark_files):
        path = spark_files(name)
        return [Path(path)] if path else []
    return [path for path in map(Path, spark_files) if path.name == name]


def _listed(uris: str, name: str, base: Path) -> list[Path]:
    """Give the local files of a comma list of URIs that land under this name, those by `#alias` first."""
    aliased, plain = [], []
    for uri in filter(None, (part.strip() for part in uris.split(","))):
        location, _, alias = uri.partition("#")
        path = local_path(location, base)
        if path is None:
            continue
        if alias == name:
            aliased.append(path)
        elif path.name == name:
            plain.append(path)
    return aliased + plain


def _local(value: str, base: Path, place: str) -> Path:
    path = local_path(value, base)
    if path is None:
        raise ConfigurationError(
            f"{place} = {value}: only a local path can be read, or file:/…, dbfs:/…; copy the file to the driver "
            "(--files) and name it there"
        )
    return path


def local_path(location: str, base: Path) -> Path | None:
    """The local path of a path or URI (`file:`, `local:`, `dbfs:`), None where it is not on this machine."""
    scheme = _SCHEME.match(location)
    if scheme is None:
        return base / location
    if scheme[1].lower() not in _LOCAL_SCHEMES:
        return None
    try:
        parts = urlsplit(location)
    except ValueError:
        return None
    root = _LOCAL_SCHEMES[scheme[1].lower()]
    path = unquote(parts.path)
    if parts.netloc not in ("", "localhost"):
        return None
    return base / f"{root}{'' if path.startswith('/') or not root else '/'}{path}"


_LOCAL_SCHEMES = {"file": "", "local": "", "dbfs": _DBFS}


def _is_passed_over(path: Path, place: str) -> bool:
    """Whether a file lies in the working directory and belongs to a stranger: it may name code that the driver would load."""
    if place != _WORKING_DIRECTORY or not hasattr(os, "getuid"):
        return False
    owner = path.stat().st_uid
    if owner in (0, os.getuid()):
        return False
    logger.warning(
        "%s is not read: it belongs to another user (uid %d); take it over (chown), or name it by ATLAS_CONF",
        path,
        owner,
    )
    return True


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a directory that this user may not look into holds no file for this user
        return False
