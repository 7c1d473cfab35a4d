"""Read rule files named by a setting, searched for in the places of the configuration file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.files.finding import local_path

SparkFiles = Callable[[str], str | None] | Sequence[str]
"""See `config.finding.Places`."""


def read_file(
    path: str,
    place: str,
    *,
    max_bytes: int,
    configuration_file: str | None = None,
    working_directory: str = ".",
    spark_files: SparkFiles = (),
) -> tuple[str, str]:
    """Return the text of a file and its location.

    Args:
        path: The file: a path, or `file:/…`, `dbfs:/…`. A relative one is searched for next to the configuration file, in the
            working directory, and among the files passed to Spark (`--files`).
        place: The setting or option that names the file, for errors.
        max_bytes: Maximum size of the file.
        configuration_file: The configuration file.
        working_directory: The base of relative paths.
        spark_files: The files passed to Spark.

    Raises:
        ConfigurationError: The file does not exist, is too large, or is not readable as UTF-8.
    """
    file = _find(path, place, configuration_file, working_directory, spark_files)
    try:
        if file.stat().st_size > max_bytes:
            raise ConfigurationError(
                f"{place} = {file}: has more than {max_bytes:,} bytes; check that it is a rule file"
            )
        return file.read_bytes().decode("utf-8"), str(file)
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{place} = {file}: is not UTF-8 (byte {error.start:,}); save it as UTF-8") from None
    except OSError as error:
        raise ConfigurationError(f"{place} = {file}: cannot be read: {error.strerror}") from None


def _find(
    path: str,
    place: str,
    configuration_file: str | None,
    working_directory: str,
    spark_files: SparkFiles,
) -> Path:
    base = Path(working_directory)
    named = local_path(path, base)
    if named is None:
        raise ConfigurationError(
            f"{place} = {path}: only local paths, file:/… and dbfs:/… can be read; pass the file to the job (--files) and "
            "set its name without a path"
        )
    candidates = [named]
    if not Path(path).is_absolute() and named == base / path:
        candidates = [
            *([Path(configuration_file).parent / path] if configuration_file else []),
            named,
            *_of_spark(path, spark_files),
        ]
    for candidate in candidates:
        if _is_file(candidate):
            return candidate
    searched = ", ".join(str(each.parent) for each in dict.fromkeys(candidates))
    raise ConfigurationError(f"{place} = {path}: no such file in {searched}; put it there, or give the absolute path")


def _of_spark(path: str, spark_files: SparkFiles) -> Iterator[Path]:
    name = Path(path).name
    if callable(spark_files):
        found = spark_files(name)
        if found:
            yield Path(found)
    else:
        yield from (each for each in map(Path, spark_files) if each.name == name)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # no permission to search the directory
        return False
