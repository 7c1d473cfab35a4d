"""Load a rule file in TOML or in the accelerator's JSON, searched for where the configuration file is searched for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from sac_kafka.errors import ConfigurationError, WrongRulesError
from sac_kafka.purview.mapping.accelerator import CONDITIONS, INVALID, SHIPPED, UNSUPPORTED, ImportedMapping, convert
from sac_kafka.purview.mapping.reading import MAX_ENTRIES, MAX_FILE_CHARACTERS, read_rules
from sac_kafka.purview.mapping.rules import MappingRule, MappingRules
from sac_kafka.settings.files.finding import SparkFiles, find_spark_files, is_file, local_path

_LIST = "olToPurviewMappings"
SETTING = "atlas.hook.spark.purview.mapping.file"
_MAX_BYTES = 4 * MAX_FILE_CHARACTERS
"""Maximum size of a rule file; a character takes at most 4 bytes in UTF-8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePaths:
    """Where a relative path is searched for: next to the configuration file, in the working directory, among Spark's files."""

    configuration_file: str | None = None
    working_directory: str = "."
    spark_files: SparkFiles = ()


_WORKING_DIRECTORY = RulePaths()


def load_rules(path: str, place: str = SETTING, paths: RulePaths = _WORKING_DIRECTORY) -> MappingRules:
    """Read the rules of a file; arguments and errors as of `read_file` and `rules_of`."""
    return rules_of(*read_file(path, place, paths))


def rules_of(text: str, place: str) -> MappingRules:
    """Parse rules in TOML or in the accelerator's JSON; `place` names the text in errors.

    Raises:
        WrongRulesError: Rules are invalid; a sentence for each problem.
    """
    if not is_accelerator_file(text):
        return read_rules(text, place)
    found = tuple(read_mappings(text, place))
    if problems := [f"{each.label}: {each.note}" for each in found if each.reason == INVALID]:
        raise WrongRulesError(*problems)
    return MappingRules(
        rules=tuple(_rule(each) for each in found if each.toml),
        place=place,
        warnings=tuple(f"{each.label}: has no effect: {each.note}" for each in found if each.reason == UNSUPPORTED),
        ignored=sum(each.reason == SHIPPED for each in found),
    )


def _rule(mapping: ImportedMapping) -> MappingRule:
    (rule,) = read_rules(f"[[rule]]\n{mapping.toml}", mapping.label).rules
    return replace(rule, place=mapping.label)


def is_accelerator_file(text: str) -> bool:
    """Return True if a file is JSON, not TOML."""
    return re.match(r"\{|\[\s*[{\]]", text.lstrip("\ufeff \t\r\n")[:200]) is not None


def read_mappings(text: str, place: str) -> Iterator[ImportedMapping]:
    """Convert the mappings of a file of the accelerator; those of its gallery have no brackets around them.

    Raises:
        WrongRulesError: The text is not JSON, too long, or has no list of mappings.
    """
    text = text.removeprefix("\ufeff").strip().removesuffix(",")
    if len(text) > MAX_FILE_CHARACTERS:
        raise WrongRulesError(f"{place}: has {len(text):,} characters; the maximum is {MAX_FILE_CHARACTERS:,}")
    has_brackets = text.startswith("[") or CONDITIONS not in text.partition("[")[0]
    try:
        whole = json.loads(text if has_brackets else f"[{text}]")
    except (ValueError, RecursionError) as error:
        raise WrongRulesError(f"{place}: is not valid JSON: {error}") from None
    by_key = {key.lower(): value for key, value in whole.items()} if isinstance(whole, dict) else {}
    found = by_key.get(_LIST.lower(), whole)
    if not isinstance(found, list):
        raise WrongRulesError(f'{place}: has no list of mappings; write {{"{_LIST}": […]}}')
    if len(found) > MAX_ENTRIES:
        raise WrongRulesError(f"{place}: has {len(found):,} mappings; the maximum is {MAX_ENTRIES:,}")
    return convert(found, place)


def read_file(path: str, place: str, paths: RulePaths) -> tuple[str, str]:
    """Return the text of a file and its location.

    Args:
        path: The file: a path, or `file:/…`, `dbfs:/…`.
        place: The setting or option that names the file, for errors.
        paths: Where to search for a relative path.

    Raises:
        ConfigurationError: The file does not exist, is too large, or is not readable as UTF-8.
    """
    file = _find(path, place, paths)
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


def _find(path: str, place: str, paths: RulePaths) -> Path:
    base = Path(paths.working_directory)
    named = local_path(path, base)
    if named is None:
        raise ConfigurationError(
            f"{place} = {path}: only local paths, file:/… and dbfs:/… can be read; pass the file to the job (--files) and "
            "set its name without a path"
        )
    candidates = [named]
    if not Path(path).is_absolute() and named == base / path:
        candidates = [
            *([Path(paths.configuration_file).parent / path] if paths.configuration_file else []),
            named,
            *find_spark_files(Path(path).name, paths.spark_files),
        ]
    for candidate in candidates:
        if is_file(candidate):
            return candidate
    searched = ", ".join(str(candidate.parent) for candidate in dict.fromkeys(candidates))
    raise ConfigurationError(f"{place} = {path}: no such file in {searched}; put it there, or give the absolute path")
