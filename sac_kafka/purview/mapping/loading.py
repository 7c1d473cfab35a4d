"""Load a rule file in TOML or in the accelerator's JSON, searched for where the configuration file is searched for."""

from __future__ import annotations

from sac_kafka.errors import WrongRulesError
from sac_kafka.purview.mapping.accelerator.mappings import AcceleratorMapping
from sac_kafka.purview.mapping.accelerator.reading import is_accelerator_file, read_mappings
from sac_kafka.purview.mapping.accelerator.shipped import is_shipped
from sac_kafka.purview.mapping.reading import MAX_FILE_CHARACTERS, read_rules
from sac_kafka.purview.mapping.rules import MappingRules
from sac_kafka.purview.rule_files import SparkFiles, read_file

SETTING = "atlas.hook.spark.purview.mapping.file"
MAX_BYTES = 4 * MAX_FILE_CHARACTERS
"""Maximum size of a rule file; a character takes at most 4 bytes in UTF-8."""


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
        spark_files: The files passed to Spark (see `config.finding.Places`).

    Raises:
        ConfigurationError: The file does not exist, cannot be read, or contains invalid rules (`WrongRulesError`).
    """
    text, file = read_file(
        path,
        place,
        max_bytes=MAX_BYTES,
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
