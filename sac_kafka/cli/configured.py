"""The hook's configuration outside of a driver: what the commands read that need it, found as the hook finds it."""

from __future__ import annotations

import argparse
import os
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sac_kafka.cli.output import print_error
from sac_kafka.config.finding import BROKER_EXAMPLE, Places
from sac_kafka.config.reading import Configuration, read_configuration
from sac_kafka.errors import ConfigurationError, NeedsDriverError, NeedsJvmClientError, WrongValuesError
from sac_kafka.settings import Settings
from sac_kafka.settings.suspicious_keys import suspicious_keys
from sac_kafka.transport.spool.directory import login_name

_JVM_CURE = "or, if the driver's JVM has it, give it here: --conf spark.driver.extraJavaOptions=-DNAME=VALUE"
_JAVA_OPTIONS = ("spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions")


@dataclass(frozen=True, slots=True)
class Configured:
    """The settings, and where each key of them comes from; `doubts` are sentences about keys that are hardly meant."""

    settings: Settings
    configuration: Configuration
    doubts: tuple[str, ...] = ()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where the configuration is."""
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--conf-dir",
        metavar="DIR",
        help="the directory of atlas-application.properties (default: ATLAS_CONF, else the working directory)",
    )
    place.add_argument("--file", metavar="FILE", help="the file itself, whatever its name")
    parser.add_argument(
        "--conf",
        metavar="KEY=VALUE",
        type=pair,
        action="append",
        default=[],
        help="as for spark-submit: spark.atlas.… overrides the file (spark. may be left out)",
    )


def read_configured(
    arguments: argparse.Namespace, say: Callable[[str], None] = print_error, needed: tuple[str, ...] = BROKER_EXAMPLE
) -> Configured:
    """Read the configuration that the options of `add_options` name, else as the hook would without Spark.

    What only a driver knows (SparkFiles, its class path, its system properties) is not looked at, but for the system
    properties that are given as `--conf spark.driver.extraJavaOptions=-D…`.

    Args:
        arguments: The options.
        say: Takes the doubts about keys where a value is not allowed: one of them may be the cause.
        needed: Settings that the command cannot do without, as the cure names them where there is no configuration.

    Raises:
        ConfigurationError: There is none, it cannot be read, or a value is not allowed.
    """
    conf: dict[str, str] = dict(arguments.conf)
    system = {**_of_this_process(), **_system_properties(conf)}
    configuration = read_configuration(
        Places(
            option=arguments.conf_dir or arguments.file,
            option_name="--conf-dir" if arguments.conf_dir else "--file",
            system_property=system.get("atlas.conf"),
            environment=os.environ.get("ATLAS_CONF"),
            working_directory=str(Path.cwd()),
            spark_conf=conf,
            is_driver=False,
            file_name=None if arguments.file else system.get("atlas.properties"),
            needed=needed,
        ),
        system,
    )
    doubts = suspicious_keys(configuration)
    with telling_of_the_jvm(), complaining(doubts, say):
        return Configured(Settings.of(configuration), configuration, doubts)


@contextmanager
def complaining(doubts: tuple[str, ...], say: Callable[[str], None] = print_error) -> Iterator[None]:
    """Say sentences, by default on standard error, where something inside is an error: one of them may be its cause."""
    try:
        yield
    except ConfigurationError:
        for doubt in doubts:
            say(doubt)
        raise


@contextmanager
def telling_of_the_jvm() -> Iterator[None]:
    """Add to an error about a system property how it can be given to a command."""
    try:
        yield
    except WrongValuesError as error:
        told = (f"{each}; {_JVM_CURE}" if "${sys:" in each else each for each in error.sentences)
        raise WrongValuesError(*told) from None
    except ConfigurationError as error:
        if "${sys:" not in str(error) or isinstance(error, (NeedsDriverError, NeedsJvmClientError)):
            raise
        raise ConfigurationError(f"{error}; {_JVM_CURE}") from None


def pair(text: str) -> tuple[str, str]:
    """Read `KEY=VALUE`; the key gets its `spark.` where it has none.

    Raises:
        argparse.ArgumentTypeError: It is none.
    """
    key, is_pair, value = text.partition("=")
    if not is_pair or not key.strip():
        raise argparse.ArgumentTypeError("must be KEY=VALUE")  # not shown: the value may be a secret
    key = key.strip()
    return (key if key.startswith("spark.") else f"spark.{key}"), value


def _system_properties(conf: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for word in _java_options(conf):
        name, is_pair, value = word.removeprefix("-D").partition("=")
        if word.startswith("-D") and is_pair:
            found[name] = value
    return found


def _java_options(conf: Mapping[str, str]) -> Iterator[str]:
    key = ""
    try:
        for key in _JAVA_OPTIONS:
            yield from shlex.split(conf.get(key, ""))
    except ValueError:  # its text is not shown: it may hold passwords
        raise ConfigurationError(f"--conf {key}: a quote or backslash has no end; close it, or leave it out") from None


def _of_this_process() -> dict[str, str]:
    """The system properties of a JVM that this user would start here."""
    return {
        **_home(),
        "user.name": login_name(),
        "user.dir": str(Path.cwd()),
        "java.io.tmpdir": tempfile.gettempdir(),
    }


def _home() -> dict[str, str]:
    try:
        return {"user.home": str(Path.home())}
    except RuntimeError:  # a container's user without a name
        return {}
