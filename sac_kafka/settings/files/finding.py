"""Decide which `atlas-application.properties` is used, from the facts in `Places`.

Only checks whether files exist; the facts come from `spark.session`, the environment, or a command line.
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
BROKER_EXAMPLE = ("atlas.kafka.bootstrap.servers=HOST:PORT",)
_SPARK_PREFIX = "spark."
_FILE_LISTS = ("spark.yarn.dist.files", "spark.files")

_WORKING_DIRECTORY = "the working directory"
CLASS_PATH = "the class path"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")  # at least two letters: one is a Windows drive
_DBFS = "/dbfs"  # where Databricks mounts DBFS on the driver
_LOCAL_SCHEMES = {"file": "", "local": "", "dbfs": _DBFS}

SparkFiles = Callable[[str], str | None] | Sequence[str]
"""`SparkFiles.get`, or the paths of the files added to the SparkContext."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file and the place in which it was found (for the log); `content` is set if only the JVM can read it (in a JAR)."""

    path: str
    place: str
    content: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Places to search for the file; None and "" mean "not set".

    `option` is the value of the command line option `option_name`, `system_property` that of the JVM's `atlas.conf`,
    `environment` that of the variable ATLAS_CONF; each is a directory or a file. `arguments` are the settings passed to
    a function, by key. `class_path` is the file found by the driver's class loader; `is_driver` is False outside a driver.
    `file_name` is the JVM's `atlas.properties` (Atlas 2.5): another file name, or the path of a file. `needed` are the
    settings that the caller requires at least; error messages suggest them.
    """

    option: str | None = None
    option_name: str = "--conf-dir"
    system_property: str | None = None
    environment: str | None = None
    working_directory: str = "."
    spark_files: SparkFiles = ()
    spark_conf: Mapping[str, str] = field(default_factory=dict, repr=False)  # it holds passwords
    arguments: Mapping[str, str] = field(default_factory=dict, repr=False)
    class_path: Found | None = None
    is_driver: bool = True
    file_name: str | None = None
    needed: tuple[str, ...] = BROKER_EXAMPLE

    @property
    def name(self) -> str:
        """The name of the file to search for."""
        return Path(self.file_name.strip()).name if self.file_name and self.file_name.strip() else FILE_NAME


def find(places: Places) -> Found | None:
    """Return the file to read, None if there is no file in any place.

    As in Atlas (`ApplicationProperties`), an explicitly configured directory excludes the other places.

    Raises:
        ConfigurationError: A configured directory does not contain the file or cannot be read.
    """
    if (named := _from_file_name(places)) is not None:
        return named
    for value, place in _configured_places(places):
        return _existing(_local(value, Path(places.working_directory), place), place, places.name)
    for candidate, place in _searched_places(places):
        if is_file(candidate) and not _is_foreign(candidate, place):
            return Found(str(candidate), place)
    return places.class_path


def searched_places(places: Places) -> tuple[str, ...]:
    """Describe the places that `find` searches, for the warning that no file was found."""
    searched = [f"the working directory {places.working_directory}"]
    if callable(places.spark_files) or places.spark_files:
        searched.append("SparkFiles")
    searched += [key for key in _FILE_LISTS if places.spark_conf.get(key)]
    return (*searched, CLASS_PATH) if places.is_driver else tuple(searched)


def overrides(spark_conf: Mapping[str, str]) -> dict[str, str]:
    """Return the overrides in Spark's configuration: `spark.atlas.x` overrides `atlas.x` of the file.

    `spark.Atlas.x` is returned as `Atlas.x`, so that it is reported as a key without effect.
    """
    return {
        key[len(_SPARK_PREFIX) :]: value
        for key, value in spark_conf.items()
        if key.lower().startswith(_SPARK_PREFIX + "atlas.")
    }


def _from_file_name(places: Places) -> Found | None:
    """Return the file at the path in `atlas.properties`; None if that is only a name to search for in the other places."""
    value = (places.file_name or "").strip()
    if not value:
        return None
    place = "the system property atlas.properties"
    path = _local(value, Path(places.working_directory), place)
    if is_file(path):
        return Found(str(path), place)
    if path.name == value:
        return None
    raise ConfigurationError(f"{place} = {value}: the file {path} does not exist; create it, or unset the property")


def _configured_places(places: Places) -> Iterator[tuple[str, str]]:
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
        missing = f"the directory has no file {name}" if candidate.is_dir() else "no such file or directory"
    except OSError as error:
        missing = f"cannot be read: {error.strerror}"
    if place.startswith("--"):
        raise ConfigurationError(f"{place} {candidate}: {missing}; choose another")
    raise ConfigurationError(
        f"{place} = {candidate}: {missing}; put the file there, or unset it to search the other places"
    )


def _searched_places(places: Places) -> Iterator[tuple[Path, str]]:
    base = Path(places.working_directory)
    yield base / places.name, _WORKING_DIRECTORY
    for path in find_spark_files(places.name, places.spark_files):
        yield path, "SparkFiles"
    for key in _FILE_LISTS:
        for path in _local_files(places.spark_conf.get(key, ""), places.name, base):
            yield path, key


def find_spark_files(name: str, spark_files: SparkFiles) -> list[Path]:
    """Return the files passed to Spark that have this name."""
    if callable(spark_files):
        path = spark_files(name)
        return [Path(path)] if path else []
    return [path for path in map(Path, spark_files) if path.name == name]


def _local_files(uris: str, name: str, base: Path) -> list[Path]:
    """Return the local files in a comma-separated list of URIs that Spark stores under this name, `#alias` first."""
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
            f"{place} = {value}: must be a local path, file:/… or dbfs:/…; ship the file to the driver "
            "(--files) and use its local path"
        )
    return path


def local_path(location: str, base: Path) -> Path | None:
    """Return the local path of a path or URI (`file:`, `local:`, `dbfs:`), None if it is not on this machine."""
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


def _is_foreign(path: Path, place: str) -> bool:
    """Return whether a file in the working directory belongs to another user: it could make the driver load their code."""
    if place != _WORKING_DIRECTORY or not hasattr(os, "getuid"):
        return False
    owner = path.stat().st_uid
    if owner in (0, os.getuid()):
        return False
    logger.warning(
        "%s is ignored: it belongs to another user (uid %d); change its owner (chown), or set ATLAS_CONF to its path",
        path,
        owner,
    )
    return True


def is_file(path: Path) -> bool:
    """Return whether a file exists that this user can find."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # no permission to search the directory; not a valid file name
        return False
