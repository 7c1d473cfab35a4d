"""Decides which `atlas-application.properties` is used, from facts that the caller has gathered.

Reads nothing but whether a file exists; the facts come from `spark.session` and the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sac_kafka.errors import ConfigurationError

FILE_NAME = "atlas-application.properties"
_SPARK_PREFIX = "spark."
_FILE_LISTS = ("spark.yarn.dist.files", "spark.files")
_LOCAL_SCHEMES = frozenset({"", "file", "local"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where a file may lie; None and "" mean "not set".

    `system_property` is the JVM's `atlas.conf`, `environment` the variable ATLAS_CONF. `spark_files` is either
    `SparkFiles.get` or the paths of the files added to the SparkContext. `class_path` is the path of the class path
    resource of this name. `file_name` is the JVM's `atlas.properties`, where that is set (Atlas 2.5).
    """

    system_property: str | None = None
    environment: str | None = None
    working_directory: str = "."
    spark_files: Callable[[str], str | None] | Sequence[str] = ()
    spark_conf: Mapping[str, str] = field(default_factory=dict)
    class_path: str | None = None
    file_name: str = FILE_NAME


@dataclass(frozen=True, slots=True)
class Found:
    """The file that is used (`path`) and which rule found it (`place`, for the log)."""

    path: str
    place: str


def find(places: Places) -> Found | None:
    """Give the file to read, None when there is none anywhere.

    As in Atlas (`ApplicationProperties`), a directory that was named excludes the other places.

    Raises:
        ConfigurationError: `atlas.conf` or ATLAS_CONF names something that has no such file.
    """
    for candidate, place in _named(places):
        return _existing(candidate, place, places.file_name)
    for candidate, place in _searched(places):
        if candidate.is_file():
            return Found(str(candidate), place)
    return None


def searched(places: Places) -> tuple[str, ...]:
    """Give the places that `find` looked into, one line each, for the warning that nothing was found."""
    return tuple(f"{place} ({candidate})" for candidate, place in _searched(places))


def overrides(spark_conf: Mapping[str, str]) -> dict[str, str]:
    """Give the settings that Spark's configuration overrides: `spark.atlas.x` stands for the file's `atlas.x`."""
    return {
        key[len(_SPARK_PREFIX) :]: value
        for key, value in spark_conf.items()
        if key.startswith(_SPARK_PREFIX + "atlas.")
    }


def _named(places: Places) -> Iterator[tuple[Path, str]]:
    base = Path(places.working_directory)
    for value, place in (
        (places.system_property, "the system property atlas.conf"),
        (places.environment, "the environment variable ATLAS_CONF"),
    ):
        if value and value.strip():
            yield base / value.strip(), place


def _existing(candidate: Path, place: str, name: str) -> Found:
    if candidate.is_file():
        return Found(str(candidate), place)
    inside = candidate / name
    if inside.is_file():
        return Found(str(inside), place)
    missing = f"that directory has no file {name}" if candidate.is_dir() else "there is no such file or directory"
    raise ConfigurationError(
        f"{place} = {candidate}: {missing}; put the file there, name another place, "
        "or unset it to have the other places searched"
    )


def _searched(places: Places) -> Iterator[tuple[Path, str]]:
    name = places.file_name
    yield Path(places.working_directory) / name, "the working directory"
    for path in _spark_files(places.spark_files, name):
        yield path, "SparkFiles"
    for key in _FILE_LISTS:
        for path in _listed(places.spark_conf.get(key, ""), name, Path(places.working_directory)):
            yield path, key
    if places.class_path:
        yield Path(places.class_path), "the class path"


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
        parts = urlsplit(location)
        if parts.scheme not in _LOCAL_SCHEMES:
            continue
        path = base / (unquote(parts.path) if parts.scheme else location)
        if alias == name:
            aliased.append(path)
        elif path.name == name:
            plain.append(path)
    return aliased + plain
