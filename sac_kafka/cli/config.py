"""`sac-kafka config`: print the settings in force, where each was set, and what the Kafka client is made with.

Secrets are masked. The exit status is 2 where the hook would not attach with this configuration, though it is not
switched off (atlas.spark.enabled = false). --explain says of names whether rules leave them out, and which, and nothing else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from importlib.resources import files

from sac_kafka.cli.configured import Configured, add_options, complaining, read_configured, telling_of_the_jvm
from sac_kafka.cli.explaining import explained
from sac_kafka.cli.help_texts import description
from sac_kafka.cli.places_on_disk import problems_on_disk
from sac_kafka.cli.saying import say
from sac_kafka.cli.summary import summary
from sac_kafka.config.declaring import Setting, key_in_force
from sac_kafka.config.jaas_sections import JAAS_PREFIX
from sac_kafka.config.secrets import masked
from sac_kafka.config.unknown_keys import WITHOUT_EFFECT
from sac_kafka.dialects import check_dialect
from sac_kafka.settings import KAFKA_PREFIX, Settings, describe
from sac_kafka.settings.keys_in_doubt import value_in_force
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.sinks.sink import Client, Row
from sac_kafka.transport.spool.directory import default_directory

TEMPLATE = "template.properties"
_DEFAULT = "default"
_SPARK = "the Spark configuration, "


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    config = commands.add_parser(
        "config", help="the settings in force, and where each was set", description=description(__doc__)
    )
    add_options(config)
    config.add_argument("--all", action="store_true", help="show settings that have their defaults, too")
    config.add_argument(
        "--template", action="store_true", help="print an atlas-application.properties to start from, and nothing else"
    )
    config.add_argument(
        "--explain",
        metavar="NAME",
        type=_name,
        action="append",
        help="whether rules leave out a table, path, topic or other dataset of this name, and which; also job:NAME, user:NAME",
    )
    config.set_defaults(run=print_config)


def _name(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("must be a name, such as sales.orders or job:daily")
    return text.strip()


def print_config(arguments: argparse.Namespace) -> int:
    """Write what is in force, the template, or what becomes of names, to standard output."""
    if arguments.template:
        sys.stdout.write(files("sac_kafka.settings").joinpath(TEMPLATE).read_text("utf-8"))
        return 0
    configured = read_configured(arguments)
    settings = configured.settings
    if arguments.explain:
        for name in arguments.explain:
            say("\n".join(explained(name, settings, lambda key: _place(configured, key))))
        return 0
    client = Client()
    if settings.sink.enabled:  # and before a line is written: it may be an error
        with telling_of_the_jvm(), complaining(configured.doubts), settings.source.placing():
            check_dialect(settings)
            client = _client(settings, arguments.all)
    say(f"Configuration: {configured.configuration.source}")
    say(summary(settings, client.place) if settings.sink.enabled else "off: atlas.spark.enabled = false")
    _table("Settings", _settings(configured, arguments.all))
    for prefix in (KAFKA_PREFIX, JAAS_PREFIX):
        _table(f"{prefix}*", _below(configured, prefix))
    if client.title:
        _table(client.title, client.rows)
    warnings = [*configured.doubts, *client.warnings, *(problems_on_disk(settings) if settings.sink.enabled else ())]
    if warnings:
        say("")
    for warning in warnings:
        say(f"Warning: {settings.source.placed(warning)}")
    return 0


def _settings(configured: Configured, is_all: bool) -> Iterator[Row]:
    configuration = configured.configuration
    for setting in describe():
        key = key_in_force(setting, configuration.values)
        if key is not None:
            yield key, value_in_force(setting, key, configuration), _place(configured, key)
        elif is_all:
            yield setting.keys[0], _default(setting), _DEFAULT
    for key in sorted(WITHOUT_EFFECT & set(configuration.values)):
        yield key, configuration.values[key], f"{_place(configured, key)}, without effect"


def _default(setting: Setting) -> str:
    """The default as it is on this machine."""
    if setting.keys[0] == "atlas.hook.spool.dir":
        return str(default_directory())
    text = setting.default.replace("`", "")
    return f"({text})" if " " in text else text or "(not set)"


def _place(configured: Configured, key: str) -> str:
    """Where a key is set, without the path that is in the first line already."""
    origin = configured.configuration.origins[key]
    found = configured.configuration.found
    return "--conf" if origin.startswith(_SPARK) else origin.removeprefix(f"{found.path}, " if found else "")


def _below(configured: Configured, prefix: str) -> Iterator[Row]:
    values = configured.configuration.values
    for key in sorted(values):
        if key.startswith(prefix):
            yield key, masked(key, values[key]), _place(configured, key)


def _client(settings: Settings, is_all: bool) -> Client:
    """What messages go through."""
    sink = sink_of(settings)
    if sink.client is not None:
        return sink.client(settings, is_all)
    make_transport(settings)
    return Client()


def _table(title: str, rows: Iterable[Row]) -> None:
    lines = list(_lines(rows))
    if lines or title.startswith("Kafka client"):
        say(f"\n{title}")
    for line in lines:
        say(line)


def _lines(rows: Iterable[Row]) -> Iterator[str]:
    for key, value, origin in rows:
        shown = value.replace("\r", "\\r").replace("\n", "\\n")
        yield f"  {key} = {shown}" + (f"    [{origin}]" if origin else "")
