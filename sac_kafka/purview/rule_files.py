"""Read rule files named by a setting, searched for in the places of the configuration file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sac_kafka.config.finding import local_path
from sac_kafka.errors import ConfigurationError

SparkFiles = Callable[[str], str | None] | Sequence[str]
"""See `config.finding.Places`."""


def read_file(
    path: str,
    place: str,
    *,
    most_bytes: int,
    configuration_file: str | None = None,
    working_directory: str = ".",
    spark_files: SparkFiles = (),
) -> tuple[str, str]:
    """Return the text of a file and its location.

    Args:
        path: The file: a path, or `file:/…`, `dbfs:/…`. A relative one is searched for next to the configuration file, in the
            working directory, and among the files that Spark was given (`--files`).
        place: What names the file, for errors: the setting, or an option.
        most_bytes: A longer one is none.
        configuration_file: The configuration's file.
        working_directory: Where relative paths begin.
        spark_files: What Spark was given.

    Raises:
        ConfigurationError: There is no such file, it is too long, or cannot be read as UTF-8.
    """
    file = _found(path, place, configuration_file, working_directory, spark_files)
    try:
        if file.stat().st_size > most_bytes:
            raise ConfigurationError(f"{place} = {file}: has more than {most_bytes:,} bytes; is it a file of rules?")
        return file.read_bytes().decode("utf-8"), str(file)
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{place} = {file}: is not UTF-8 (byte {error.start:,}); save it as UTF-8") from None
    except OSError as error:
        raise ConfigurationError(f"{place} = {file}: it cannot be read: {error.strerror}") from None


def _found(
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
            f"{place} = {path}: only a local path can be read, or file:/…, dbfs:/…; give the file to the job (--files) and "
            "write its name alone"
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
    looked = ", ".join(str(each.parent) for each in dict.fromkeys(candidates))
    raise ConfigurationError(
        f"{place} = {path}: there is no such file in {looked}; put it there, or write its whole path"
    )


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
    except OSError:  # a directory that this user may not look into holds no file for this user
        return False
