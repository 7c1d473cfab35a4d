"""Load a rule file in TOML or in the accelerator's JSON, searched for where the configuration file is searched for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sac_kafka.errors import ConfigurationError, WrongRulesError
from sac_kafka.purview.mapping.accelerator.mappings import AcceleratorMapping
from sac_kafka.purview.mapping.accelerator.reading import is_accelerator_file, read_mappings
from sac_kafka.purview.mapping.accelerator.shipped import is_shipped
from sac_kafka.purview.mapping.reading import MAX_FILE_CHARACTERS, read_rules
from sac_kafka.purview.mapping.rules import MappingRules
from sac_kafka.settings.files.finding import local_path

SETTING = "atlas.hook.spark.purview.mapping.file"
_MAX_BYTES = 4 * MAX_FILE_CHARACTERS
"""Maximum size of a rule file; a character takes at most 4 bytes in UTF-8."""

SparkFiles = Callable[[str], str | None] | Sequence[str]
"""See `settings.files.finding.Places`."""


def load_rules(
    path: str,
    *,
    place: str = SETTING,
    configuration_file: str | None = None,
    working_directory: str = ".",
    spark_files: SparkFiles = (),
) -> MappingRules:
    """Read the rules of a file.

    Args:
        path: The file: a path, or `file:/…`, `dbfs:/…`. A relative one is searched for next to the configuration file, in the
            working directory, and among the files passed to Spark (`--files`).
        place: The setting or option that names the file, for errors.
        configuration_file: The configuration file.
        working_directory: The base of relative paths.
        spark_files: The files passed to Spark (see `settings.files.finding.Places`).

    Raises:
        ConfigurationError: The file does not exist, cannot be read, or contains invalid rules (`WrongRulesError`).
    """
    text, file = read_file(
        path,
        place,
        configuration_file=configuration_file,
        working_directory=working_directory,
        spark_files=spark_files,
    )
    return rules_of(text, file)


def rules_of(text: str, place: str) -> MappingRules:
    """Parse rules in TOML or in the accelerator's JSON; `place` names the text in errors.

    Raises:
        WrongRulesError: Rules are invalid; a sentence for each problem.
    """
    if not is_accelerator_file(text):
        return read_rules(text, place)
    problems: list[str] = []
    found = list(read_mappings(text, place, problems))
    if problems:
        raise WrongRulesError(*problems)
    mappings = [each for each in found if isinstance(each, AcceleratorMapping)]
    rules = tuple(each for each in mappings if not is_shipped(each))
    return MappingRules(rules=rules, place=place, left_out=len(mappings) - len(rules))


def read_file(
    path: str,
    place: str,
    *,
    configuration_file: str | None = None,
    working_directory: str = ".",
    spark_files: SparkFiles = (),
) -> tuple[str, str]:
    """Return the text of a file and its location.

    Args:
        path: The file: a path, or `file:/…`, `dbfs:/…`. A relative one is searched for next to the configuration file, in the
            working directory, and among the files passed to Spark (`--files`).
        place: The setting or option that names the file, for errors.
        configuration_file: The configuration file.
        working_directory: The base of relative paths.
        spark_files: The files passed to Spark.

    Raises:
        ConfigurationError: The file does not exist, is too large, or is not readable as UTF-8.
    """
    file = _find(path, place, configuration_file, working_directory, spark_files)
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise ConfigurationError(
                f"{place} = {file}: has more than {_MAX_BYTES:,} bytes; check that it is a rule file"
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
