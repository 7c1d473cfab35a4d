"""The rules of a file, found where the configuration's own file is found: in our format, or in the accelerator's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sac_kafka.config.finding import local_path
from sac_kafka.errors import ConfigurationError, WrongRulesError
from sac_kafka.purview.mapping.accelerator.mappings import Mapped
from sac_kafka.purview.mapping.accelerator.reading import is_of_the_accelerator, read_mappings
from sac_kafka.purview.mapping.reading import LONGEST, read_rules
from sac_kafka.purview.mapping.rules import Rules

SETTING = "atlas.hook.spark.purview.mapping.file"


def load_rules(
    path: str,
    *,
    place: str = SETTING,
    beside: str | None = None,
    working_directory: str = ".",
    spark_files: Callable[[str], str | None] | Sequence[str] = (),
) -> Rules:
    """Read the rules of a file.

    Args:
        path: The file: a path, or `file:/…`, `dbfs:/…`. A relative one is looked for beside the configuration's file, in the
            working directory, and among the files that Spark was given (`--files`).
        place: What names the file, for errors: the setting, or an option.
        beside: The configuration's file.
        working_directory: Where relative paths begin.
        spark_files: As of `config.finding.Places`.

    Raises:
        ConfigurationError: There is no such file, it cannot be read, or holds rules that are none (`WrongRulesError`).
    """
    file = _found(path, place, beside, working_directory, spark_files)
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise ConfigurationError(f"{place} = {file}: has more than {_MOST_BYTES:,} bytes; is it a file of rules?")
        text = file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{place} = {file}: is not UTF-8 (byte {error.start:,}); save it as UTF-8") from None
    except OSError as error:
        raise ConfigurationError(f"{place} = {file}: it cannot be read: {error.strerror}") from None
    return rules_of(text, str(file))


_MOST_BYTES = 4 * LONGEST


def rules_of(text: str, place: str) -> Rules:
    """Read the rules of a text, in our format or in the accelerator's.

    Raises:
        WrongRulesError: There are some that are none; a sentence for each of them.
    """
    if not is_of_the_accelerator(text):
        return read_rules(text, place)
    wrong: list[str] = []
    found = list(read_mappings(text, place, wrong))
    if wrong:
        raise WrongRulesError(*wrong)
    return Rules(rules=tuple(each for each in found if isinstance(each, Mapped)), place=place)


def _found(
    path: str,
    place: str,
    beside: str | None,
    working_directory: str,
    spark_files: Callable[[str], str | None] | Sequence[str],
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
        candidates = [*([Path(beside).parent / path] if beside else []), named, *_of_spark(path, spark_files)]
    for candidate in candidates:
        if _is_file(candidate):
            return candidate
    looked = ", ".join(str(each.parent) for each in dict.fromkeys(candidates))
    raise ConfigurationError(
        f"{place} = {path}: there is no such file in {looked}; put it there, or write its whole path"
    )


def _of_spark(path: str, spark_files: Callable[[str], str | None] | Sequence[str]) -> Iterator[Path]:
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
