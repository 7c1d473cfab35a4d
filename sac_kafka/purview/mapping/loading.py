"""The rules of a file, found where the configuration's own file is found: in our format, or in the accelerator's."""

from __future__ import annotations

from sac_kafka.errors import WrongRulesError
from sac_kafka.purview.mapping.accelerator.mappings import Mapped
from sac_kafka.purview.mapping.accelerator.reading import is_of_the_accelerator, read_mappings
from sac_kafka.purview.mapping.accelerator.shipped import is_shipped
from sac_kafka.purview.mapping.reading import LONGEST, read_rules
from sac_kafka.purview.mapping.rules import MappingRules
from sac_kafka.purview.rule_files import SparkFiles, read_file

SETTING = "atlas.hook.spark.purview.mapping.file"


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
            working directory, and among the files that Spark was given (`--files`).
        place: What names the file, for errors: the setting, or an option.
        configuration_file: The configuration's file.
        working_directory: Where relative paths begin.
        spark_files: As of `config.finding.Places`.

    Raises:
        ConfigurationError: There is no such file, it cannot be read, or holds rules that are none (`WrongRulesError`).
    """
    text, file = read_file(
        path,
        place,
        most_bytes=MAX_BYTES,
        configuration_file=configuration_file,
        working_directory=working_directory,
        spark_files=spark_files,
    )
    return rules_of(text, file)


MAX_BYTES = 4 * LONGEST


def rules_of(text: str, place: str) -> MappingRules:
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
    mappings = [each for each in found if isinstance(each, Mapped)]
    rules = tuple(each for each in mappings if not is_shipped(each))
    return MappingRules(rules=rules, place=place, left_out=len(mappings) - len(rules))
