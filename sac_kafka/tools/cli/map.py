"""`sac-kafka map`: explain the names of assets in Microsoft Purview, and check mapping rules."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sac_kafka.errors import ConfigurationError, NoConfigurationError
from sac_kafka.hook.dialects import naming
from sac_kafka.masking import mask_text
from sac_kafka.model import Application
from sac_kafka.purview.mapping.accelerator import INVALID, NEEDS_NONE, UNSUPPORTED, as_toml
from sac_kafka.purview.mapping.dataset_fields import canonical_scheme
from sac_kafka.purview.mapping.loading import (
    SETTING,
    RulePaths,
    is_accelerator_file,
    load_rules,
    read_file,
    read_mappings,
)
from sac_kafka.purview.mapping.matching import with_rules
from sac_kafka.purview.mapping.rules import MappingRules, whole_schemes
from sac_kafka.purview.names.databases import DOCUMENTED
from sac_kafka.purview.names.stores import STORES
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.types import BUILT_IN, definitions
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.values import nearest
from sac_kafka.stats import with_noun
from sac_kafka.tools.cli import mapping_explained
from sac_kafka.tools.cli.arguments import add, add_action, add_group
from sac_kafka.tools.cli.configured import add_options, read_with_options
from sac_kafka.tools.cli.mapping_explained import explain_name, lines
from sac_kafka.tools.cli.output import mask_strings, print_data_json_line, print_error, print_masked, print_masked_json
from sac_kafka.tools.cli.styles import MAPPING, SETTINGS

NO = 1
_RULES = "--rules"
_INPUT, _OUTPUT = "input", "output"
_WORKSPACE = "spark.databricks.workspaceUrl"
_NEAR = 0.9
_SCHEMES_KNOWN = DOCUMENTED | frozenset(map(canonical_scheme, STORES)) - {"http", "https"}
"""Storage and database systems with built-in naming rules that match Purview's scans."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    actions = add_group(commands, __doc__, "map", "explain the names of assets in Purview, and check mapping rules")
    _add_explain(actions)
    _add_check(actions)
    _add_import(actions)


def _add_explain(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    explain = add_action(
        actions,
        "explain",
        run_explain,
        "print the type and qualified name of datasets in Purview, and the rule used; exit status 1 if neither your rules nor a "
        "built-in rule name a dataset",
        "map explain abfss://raw@contosolake.dfs.core.windows.net/sales/orders --side output",
        "map explain sales.orders --rules mapping.toml",
        "map explain 'jdbc:sqlserver://contososql.database.windows.net;database=sales' --dbtable dbo.orders",
        "map explain --format cosmos.oltp --option spark.cosmos.accountEndpoint=https://contoso.documents.azure.com \\\n"
        "    --option spark.cosmos.database=shop --option spark.cosmos.container=orders",
    )
    mapping_explained.add_options(explain)
    add(
        explain,
        "--side",
        "whether the dataset is read (input) or written (default: %(default)s)",
        choices=(_INPUT, _OUTPUT),
        default=_INPUT,
    )
    add(explain, f"{_RULES} FILE", f"file of mapping rules (default: {SETTING} of the configuration)")
    add(explain, "--json", "print a JSON object per dataset, one per line")
    add_options(explain)


def _add_check(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    check = add_action(
        actions,
        "check",
        run_check,
        "check a file of mapping rules; exit status 1 if a rule looks wrong, 2 if the file is invalid",
        "map check mapping.toml",
    )
    add(check, "file FILE", "mapping rules in TOML, or the accelerator's OlToPurviewMappings in JSON")
    add(check, "--json", "print one JSON object")


def _add_import(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    import_ = add_action(
        actions,
        "import",
        run_import,
        "convert the accelerator's OlToPurviewMappings to rules in TOML; exit status 1 if one could not be converted",
        "map import OlToPurviewMappings.json > mapping.toml",
    )
    add(import_, "file FILE", "the JSON file of the accelerator")


def run_explain(arguments: argparse.Namespace) -> int:
    """Print the names of datasets in Purview.

    Raises:
        SacKafkaError: No dataset is named, or the configuration or the rules are invalid.
    """
    settings = _settings(arguments)
    naming_context = _naming_context(settings, dict(arguments.conf), arguments.rules)
    found = [
        explain_name(dataset, naming_context, is_output=arguments.side == _OUTPUT)
        for dataset in mapping_explained.read_datasets(arguments, settings)
    ]
    for number, each in enumerate(found):
        if arguments.json:
            print_data_json_line(mask_strings(each))
        else:
            print_masked("\n".join([*([""] if number else []), *lines(each)]), MAPPING)
    return 0 if all(each["is_known"] for each in found) else NO


def _settings(arguments: argparse.Namespace) -> Settings:
    """Return the settings of the configuration, or the defaults if none exists and none was given."""
    try:
        return read_with_options(arguments).settings
    except NoConfigurationError:
        if arguments.conf_dir or arguments.conf_file:
            raise
        return Settings()


def _naming_context(settings: Settings, conf: Mapping[str, str], file: str | None) -> NamingContext:
    """Return the context that names depend on; the workspace may be given as a setting of Spark."""
    workspace = conf.get(_WORKSPACE, "")
    facts = (("platform", "databricks"), ("workspace", workspace)) if workspace else ()
    application = Application(job="", application_id="", name="", user="", facts=facts)
    if file is None:
        with settings.source.placing():
            return naming(settings, application)
    others = replace(settings, purview=replace(settings.purview, mapping_file=None))
    return with_rules(naming(others, application), load_rules(file, _RULES, _here()))


def _here() -> RulePaths:
    return RulePaths(working_directory=str(Path.cwd()))


def run_check(arguments: argparse.Namespace) -> int:
    """Print the number of rules in a file, and warnings about rules that look wrong.

    Raises:
        WrongRulesError: Rules are invalid.
        ConfigurationError: The file cannot be read.
    """
    rules = load_rules(arguments.file, "FILE", _here())
    numbers = {"rule": len(rules.rules), "mount": len(rules.mounts), "location": len(rules.locations)}
    warnings = [*rules.warnings, *warnings_of(rules)]
    if arguments.json:
        figures = {f"{what}s": number for what, number in numbers.items()}
        print_masked_json({"path": mask_text(rules.place), **figures, "ignored": rules.ignored, "warnings": warnings})
        return NO if warnings else 0
    parts = (with_noun(number, what) for what, number in numbers.items())
    print_masked(f"{mask_text(rules.place)}: {', '.join(parts)}")
    if rules.ignored:
        print_masked(f"ignored: {with_noun(rules.ignored, 'mapping')} shipped with the accelerator: {NEEDS_NONE}")
    for warning in warnings:
        print_masked(f"Warning: {warning}", SETTINGS)
    return NO if warnings else 0


def run_import(arguments: argparse.Namespace) -> int:
    """Print the accelerator's mappings as rules.

    Raises:
        ConfigurationError: The file cannot be read, or is not the accelerator's.
    """
    text, place = read_file(arguments.file, "FILE", _here())
    if not is_accelerator_file(text):
        raise ConfigurationError(f"{place}: invalid JSON; name the accelerator's file (OlToPurviewMappings.json)")
    found = tuple(read_mappings(text, place))
    print_masked(as_toml(found, place).removesuffix("\n"))
    unconverted = [each for each in found if each.reason in (UNSUPPORTED, INVALID)]
    for each in unconverted:
        print_error(f"not converted: {each.label}: {each.note}")
    return NO if unconverted else 0


def warnings_of(rules: MappingRules) -> Iterator[str]:
    """Yield a warning for each rule with a misspelt type, which Purview drops, then for each that overrides built-in rules."""
    known = [each["name"] for each in definitions([BUILT_IN])["entityDefs"]]
    for rule in rules.rules:
        meant = nearest(rule.type_name, known, _NEAR) if rule.type_name not in known else None
        if meant is not None:
            yield f"{rule.description}: {rule.type_name} is not a built-in type of Purview (did you mean {meant}?)"
    for rule in rules.rules:
        schemes = sorted(scheme for scheme in whole_schemes(rule) if scheme in _SCHEMES_KNOWN)
        if schemes:
            yield (
                f"{rule.description}: overrides the built-in rules for all of {', '.join(schemes)}, which support resource sets "
                "and all kinds of server; restrict it to hosts or paths, or remove it"
            )
