"""`sac-kafka config`: print the effective settings, where each one is set, and the properties of the Kafka client.

Secrets are masked. With --explain, print instead whether the exclude and include rules exclude what is named. Exit status: 0
valid configuration (or atlas.spark.enabled = false), 2 the hook would not start with this configuration.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import chain

from sac_kafka.errors import ConfigurationError
from sac_kafka.hook.dialects import check_dialect
from sac_kafka.masking import mask_line, mask_setting
from sac_kafka.settings import KAFKA_PREFIX, Settings, describe
from sac_kafka.settings.declarations.declaring import Setting, effective_key
from sac_kafka.settings.files.unknown_keys import WITHOUT_EFFECT
from sac_kafka.settings.kafka import JAAS_PREFIX
from sac_kafka.settings.suspicious_keys import effective_value
from sac_kafka.settings.unity import Unity
from sac_kafka.tools.cli.arguments import add, add_command
from sac_kafka.tools.cli.configured import (
    Configured,
    add_options,
    client_of,
    complaining,
    problems_on_disk,
    read_with_options,
    summary,
    telling_of_the_jvm,
)
from sac_kafka.tools.cli.explaining import explain
from sac_kafka.tools.cli.output import mask_strings, print_data_json_line, print_masked, print_masked_json, print_text
from sac_kafka.tools.cli.styles import SETTINGS
from sac_kafka.transport.sinks.sink import Client, Row
from sac_kafka.transport.spool.directory import default_directory
from sac_kafka.transport.spool.options import name_destinations

TEMPLATE = "template.properties"
_DEFAULT = "default"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    config = add_command(
        commands,
        print_config,
        "print the effective settings",
        "config --template > atlas-application.properties",
        "config --explain sales.orders --json",
    )
    add_options(config)
    add(config, "--all", "also print settings with default values")
    add(config, "--template", "print a template of atlas-application.properties, and nothing else")
    config.add_argument(
        "--explain",
        metavar="NAME",
        type=_name,
        action="append",
        help="print whether a rule excludes this table, path, topic or other dataset, and which; also job:NAME or user:NAME",
    )
    add(config, "--json", "print one JSON object; with --explain one per name and kind, one per line")


def _name(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("must be a name, such as sales.orders or job:daily")
    return text.strip()


def print_config(arguments: argparse.Namespace) -> int:
    """Print the effective settings, the template, or the explanation of names."""
    if arguments.template:
        if arguments.json:
            raise ConfigurationError("--template cannot be combined with --json: it prints a properties file")
        print_text(files("sac_kafka.settings").joinpath(TEMPLATE).read_text("utf-8"))
        return 0
    configured = read_with_options(arguments)
    settings = configured.settings
    if arguments.explain:
        _print_explanations(arguments, configured)
        return 0
    Unity.of(configured.configuration)  # of another command, so a hook does not read them
    is_enabled = settings.sink.enabled
    destinations = dict(name_destinations(settings))
    clients = dict.fromkeys(destinations, Client())
    if is_enabled:  # before any output, because it may raise
        with telling_of_the_jvm(), complaining(configured.doubts):
            clients = {name: _check(own, is_all=arguments.all) for name, own in destinations.items()}
    client = clients[""]
    source = configured.configuration.source
    text = summary(settings, client.place) if is_enabled else "off: atlas.spark.enabled = false"
    also = {name: summary(own, clients[name].place) for name, own in destinations.items() if name and is_enabled}
    rows = tuple(_settings(configured, arguments.all))
    below = {prefix: tuple(_below(configured, prefix)) for prefix in (KAFKA_PREFIX, JAAS_PREFIX)}
    warnings = [*configured.doubts]
    for name, own in destinations.items() if is_enabled else ():
        problems = (own.source.add_place(problem) for problem in (*clients[name].warnings, *problems_on_disk(own)))
        warnings += [f"{name}: {problem}" if name else problem for problem in problems]
    if arguments.json:
        print_masked_json(
            {
                "is_enabled": is_enabled,
                "configuration": source,
                "summary": text,
                "destination": configured.destination,
                "also": also,
                "settings": [_row(row) for row in chain(rows, *below.values())],
                "client": {"title": client.title, "settings": list(map(_row, client.rows))},
                "warnings": warnings,
            }
        )
        return 0
    print_masked(f"Configuration: {source}", SETTINGS)
    print_masked(f"{configured.destination}: {text}" if configured.destination else text)
    for name, line in also.items():
        print_masked(f"also {name}: {line}")
    _table("Settings", rows)
    for prefix, section in below.items():
        _table(f"{prefix}*", section)
    if client.title:
        _table(client.title, client.rows)
    if warnings:
        print_masked("")
    for warning in warnings:
        print_masked(f"Warning: {warning}", SETTINGS)
    return 0


def _check(settings: Settings, *, is_all: bool) -> Client:
    """Return the client of a destination; raises ConfigurationError if the hook would not start with it."""
    with settings.source.placing():
        check_dialect(settings)
        return client_of(settings, is_all)


def _print_explanations(arguments: argparse.Namespace, configured: Configured) -> None:
    for name in arguments.explain:
        for answer in explain(name, configured.settings, lambda key: _place(configured, key)):
            if arguments.json:
                print_data_json_line(mask_strings(answer))
            else:
                print_masked(f"{answer['kind']} {answer['name']}: {answer['text']}")


def _row(row: Row) -> dict[str, str]:
    """Return a setting as JSON; key and value are masked together, because the key shows which values are secret."""
    key, value, origin = row
    line = mask_line(f"{key} = {value}", len(key) + len(value) + 3)
    return {"key": key, "value": line.removeprefix(f"{key} = "), "origin": origin}


def _settings(configured: Configured, is_all: bool) -> Iterator[Row]:
    configuration = configured.configuration
    for setting in describe():
        key = effective_key(setting, configuration.values)
        if key is not None:
            yield key, effective_value(setting, key, configuration), _place(configured, key)
        elif is_all:
            yield setting.keys[0], _default(setting), _DEFAULT
    for key in sorted(WITHOUT_EFFECT & set(configuration.values)):
        yield key, configuration.values[key], f"{_place(configured, key)}, without effect"


def _default(setting: Setting) -> str:
    """Return the default on this machine."""
    if setting.keys[0] == "atlas.hook.spool.dir":
        return str(default_directory())
    text = setting.default.replace("`", "")
    return f"({text})" if " " in text else text or "(not set)"


def _place(configured: Configured, key: str) -> str:
    """Return where a key is set, without the path, which the first line of the output has."""
    origin = configured.configuration.origins[key]
    if configured.settings.source.is_override(key):
        return "--conf"
    file = configured.configuration.found
    return origin.removeprefix(f"{file.path}, ") if file else origin


def _below(configured: Configured, prefix: str) -> Iterator[Row]:
    values = configured.configuration.values
    for key in sorted(values):
        if key.startswith(prefix):
            yield key, mask_setting(key, values[key]), _place(configured, key)


def _table(title: str, rows: Sequence[Row]) -> None:
    if rows or title.startswith("Kafka client"):
        print_masked(f"\n{title}", SETTINGS)
    for key, value, origin in rows:
        shown = value.replace("\r", "\\r").replace("\n", "\\n")
        print_masked(f"  {key} = {shown}" + (f"    [{origin}]" if origin else ""), SETTINGS)
