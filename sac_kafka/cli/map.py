"""`sac-kafka map`: what assets are called in Microsoft Purview, and the rules of yours that say so."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sac_kafka.cli import named_datasets
from sac_kafka.cli.configured import add_options, read_configured
from sac_kafka.cli.help_texts import add_action, description, show_help_alone
from sac_kafka.cli.mapping_explained import as_json, explained, lines
from sac_kafka.cli.output import mask_strings, print_data_json_line, print_error, print_masked, print_masked_json
from sac_kafka.cli.styles import MAPPING, SETTINGS
from sac_kafka.config.secrets import mask_text
from sac_kafka.config.values import nearest
from sac_kafka.dialects import naming
from sac_kafka.errors import ConfigurationError, NoConfigurationError
from sac_kafka.lineage.model import Application
from sac_kafka.purview.mapping.accelerator.conversion import converted
from sac_kafka.purview.mapping.accelerator.reading import is_of_the_accelerator, read_mappings
from sac_kafka.purview.mapping.accelerator.shipped import NEEDS_NONE
from sac_kafka.purview.mapping.dataset_fields import one_scheme
from sac_kafka.purview.mapping.loading import MAX_BYTES, SETTING, load_rules
from sac_kafka.purview.mapping.matching import with_rules
from sac_kafka.purview.mapping.rules import MappingRules, whole_schemes
from sac_kafka.purview.names.databases import DOCUMENTED
from sac_kafka.purview.names.paths import STORES
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.rule_files import read_file
from sac_kafka.purview.types.definitions import BUILT_IN, definitions
from sac_kafka.settings import Settings
from sac_kafka.stats import counted

NO = 1
_RULES = "--rules"
_NEAR = 0.9
_WORKSPACE = "spark.databricks.workspaceUrl"
_SCHEMES_KNOWN = DOCUMENTED | frozenset(map(one_scheme, STORES)) - {"http", "https"}
"""Stores and databases whose names the hook makes as their scans do."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    command = commands.add_parser(
        "map", help="what assets are called in Purview, and by which rule", description=description(__doc__)
    )
    show_help_alone(command)
    actions = command.add_subparsers(metavar="ACTION")
    _add_explain(actions)
    _add_check(actions)
    _add_import(actions)


def _add_explain(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    explain = add_action(
        actions,
        "explain",
        "say what datasets are called, and by which rule; exit status 1 if no rule names one",
        "map explain abfss://raw@contosolake.dfs.core.windows.net/sales/orders --output",
        "map explain sales.orders --rules mapping.toml",
        "map explain 'jdbc:sqlserver://contososql.database.windows.net;database=sales' --dbtable dbo.orders",
        "map explain --format cosmos.oltp --option spark.cosmos.accountEndpoint=https://contoso.documents.azure.com \\\n"
        "    --option spark.cosmos.database=shop --option spark.cosmos.container=orders",
    )
    named_datasets.add_options(explain)
    side = explain.add_mutually_exclusive_group()
    side.add_argument("--input", action="store_true", help="what is read (the default)")
    side.add_argument("--output", action="store_true", help="what is written")
    explain.add_argument(
        _RULES, metavar="FILE", help=f"the file of rules (default: {SETTING} of the configuration, if there is one)"
    )
    explain.add_argument("--json", action="store_true", help="a JSON object for each dataset, one a line")
    add_options(explain)
    explain.set_defaults(run=run_explain)


def _add_check(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    check = add_action(
        actions,
        "check",
        "read a file of rules and say what is wrong with it; exit status 1 if something is hardly meant, 2 if it is refused",
        "map check mapping.toml",
    )
    check.add_argument("file", metavar="FILE", help="rules in TOML, or the accelerator's OlToPurviewMappings in JSON")
    check.add_argument("--json", action="store_true", help="as one JSON object")
    check.set_defaults(run=run_check)


def _add_import(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    import_ = add_action(
        actions,
        "import",
        "write the accelerator's OlToPurviewMappings as rules in TOML; exit status 1 if one could not be carried over",
        "map import OlToPurviewMappings.json > mapping.toml",
    )
    import_.add_argument("file", metavar="FILE", help="the JSON file of the accelerator")
    import_.set_defaults(run=run_import)


def run_explain(arguments: argparse.Namespace) -> int:
    """Write what datasets are called to standard output.

    Raises:
        SacKafkaError: Nothing is named, or the configuration or the rules are wrong.
    """
    settings = _settings(arguments)
    naming_context = _naming_context(settings, dict(arguments.conf), arguments.rules)
    found = [
        explained(each, naming_context, is_output=arguments.output)
        for each in named_datasets.named(arguments, settings)
    ]
    for number, each in enumerate(found):
        if arguments.json:
            print_data_json_line(mask_strings(as_json(each)))
        else:
            print_masked("\n".join([*([""] if number else []), *lines(each)]), MAPPING)
    return 0 if all(each.asset.is_known for each in found) else NO


def _settings(arguments: argparse.Namespace) -> Settings:
    """The settings; the defaults where there is no configuration, and none was named."""
    try:
        return read_configured(arguments).settings
    except NoConfigurationError:
        if arguments.conf_dir or arguments.file:
            raise
        return Settings()


def _naming_context(settings: Settings, conf: Mapping[str, str], file: str | None) -> NamingContext:
    """What names depend on, as far as it is known without a driver: the workspace may be given as Spark has it."""
    workspace = conf.get(_WORKSPACE, "")
    facts = (("platform", "databricks"), ("workspace", workspace)) if workspace else ()
    application = Application(job="", application_id="", name="", user="", facts=facts)
    if file is None:
        with settings.source.placing():
            return naming(settings, application)
    others = replace(settings, purview=replace(settings.purview, mapping_file=None))
    return with_rules(naming(others, application), load_rules(file, place=_RULES, working_directory=str(Path.cwd())))


def run_check(arguments: argparse.Namespace) -> int:
    """Say what a file of rules holds, and which of them never get a turn.

    Raises:
        WrongRulesError: Some are none.
        ConfigurationError: The file cannot be read.
    """
    rules = load_rules(arguments.file, place="FILE", working_directory=str(Path.cwd()))
    numbers = {"rule": len(rules.rules), "mount": len(rules.mounts), "location": len(rules.locations)}
    warnings = [*rules.warnings, *_misspelt(rules), *_needless(rules)]
    if arguments.json:
        figures = {f"{what}s": number for what, number in numbers.items()}
        print_masked_json({"path": mask_text(rules.place), **figures, "left_out": rules.left_out, "warnings": warnings})
        return NO if warnings else 0
    parts = (counted(number, what) for what, number in numbers.items())
    print_masked(f"{mask_text(rules.place)}: {', '.join(parts)}")
    if rules.left_out:
        print_masked(f"left out: {counted(rules.left_out, 'mapping')} that the accelerator ships: {NEEDS_NONE}")
    for each in warnings:
        print_masked(f"Warning: {each}", SETTINGS)
    return NO if warnings else 0


def _misspelt(rules: MappingRules) -> Iterator[str]:
    """Types that are nearly one of Purview's own: an account drops a message of a type that it does not know."""
    known = [each["name"] for each in definitions([BUILT_IN])["entityDefs"]]
    for rule in rules.rules:
        meant = nearest(rule.type_name, known, _NEAR) if rule.type_name not in known else None
        if meant is not None:
            yield f"{rule.told}: {rule.type_name} is no type of Purview's own (did you mean {meant}?)"


def _needless(rules: MappingRules) -> Iterator[str]:
    """Rules for all of a store or database that the hook knows: they come before its own, and say less."""
    for rule in rules.rules:
        schemes = whole_schemes(rule)
        known = sorted(each for each in schemes if each in _SCHEMES_KNOWN)
        if known:
            yield (
                f"{rule.told}: is about all of {', '.join(known)}, which the hook names itself, with resource sets and each "
                "kind of server; say which hosts or paths it is about, or leave it out"
            )


def run_import(arguments: argparse.Namespace) -> int:
    """Write the mappings of the accelerator as rules to standard output.

    Raises:
        ConfigurationError: The file cannot be read, or is none of the accelerator's.
    """
    text, place = read_file(arguments.file, "FILE", most_bytes=MAX_BYTES, working_directory=str(Path.cwd()))
    if not is_of_the_accelerator(text):
        raise ConfigurationError(f"{place}: is no JSON; name the accelerator's file (OlToPurviewMappings.json)")
    found = converted(read_mappings(text, place, []), place)
    print_masked(found.text.removesuffix("\n"))
    for each in found.lost:
        print_error(f"not carried over: {each}")
    return NO if found.lost else 0
