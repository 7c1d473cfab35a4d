"""Read the hook's configuration outside a driver, for commands, from the places where the hook looks for it; check its paths."""

from __future__ import annotations

import argparse
import os
import shlex
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sac_kafka.errors import (
    ConfigurationError,
    NeedsDriverError,
    NeedsJvmClientError,
    WrongValuesError,
    sentences_of,
)
from sac_kafka.masking import SecretMapping, mask_value
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import DialectName
from sac_kafka.settings.declarations.declaring import declared_settings
from sac_kafka.settings.declarations.values import PATH
from sac_kafka.settings.destinations import ALSO, is_own_key, own_key, properties_of
from sac_kafka.settings.files.finding import BROKER_EXAMPLE, Places
from sac_kafka.settings.files.reading import Configuration, read_configuration
from sac_kafka.settings.metrics import MetricsSettings
from sac_kafka.settings.suspicious_keys import shared_keys, suspicious_keys
from sac_kafka.tools.cli.arguments import add, connection_options, key_value
from sac_kafka.tools.cli.output import print_error, suppressed_log
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.kafka.settings.code_loading import check_libraries
from sac_kafka.transport.reader import dialect_name
from sac_kafka.transport.sinks.sink import Client
from sac_kafka.transport.spool.directory import default_directory, found_directory, is_writable, login_name
from sac_kafka.transport.spool.options import name_destinations

_JVM_REMEDY = "if it is a system property of the driver, add --conf spark.driver.extraJavaOptions=-DNAME=VALUE here"
_JAVA_OPTIONS = ("spark.driver.defaultJavaOptions", "spark.driver.extraJavaOptions")
_SPOOL = "atlas.hook.spool.dir"


@dataclass(frozen=True, slots=True)
class Configured:
    """Settings with the origin of each key; `doubts` are warnings about keys that look wrong.

    `destination` is the name of the destination whose settings they are; "" for those of the hook and its first destination.
    """

    settings: Settings
    configuration: Configuration
    doubts: tuple[str, ...] = ()
    destination: str = ""


def add_options(parser: argparse.ArgumentParser, *, has_destination: bool = True) -> None:
    """Add the options to select the configuration; `has_destination`: and one of its destinations."""
    group = connection_options(parser)
    place = group.add_mutually_exclusive_group()
    add(
        place,
        "--conf-dir DIR",
        "directory of atlas-application.properties (default: ATLAS_CONF, else the working directory)",
    )
    add(place, "--conf-file FILE", "configuration file of any name, instead of --conf-dir")
    add(
        group,
        "--conf KEY=VALUE …",
        "setting that overrides the file, as for spark-submit; the prefix spark. is optional; repeatable",
        type=pair,
    )
    if has_destination:
        add(group, "--destination NAME", "use the settings of this destination of atlas.also")


def read_with_options(
    arguments: argparse.Namespace,
    warn: Callable[[str], None] = print_error,
    needed: tuple[str, ...] = BROKER_EXAMPLE,
    *,
    over: Iterable[tuple[str, str]] = (),
) -> Configured:
    """Read the configuration selected by the options of `add_options`, else the one the hook would find without Spark.

    Sources that only a driver has (SparkFiles, class path, system properties) are ignored, except system properties given as
    `--conf spark.driver.extraJavaOptions=-D…`.

    `warn` is called with each warning about a key if a value is invalid: the key may be the cause. `needed` are settings that the
    command needs, which the error suggests if there is no configuration. `over` are settings that override all
    others, of the selected destination if it may have its own.

    Raises:
        ConfigurationError: There is no configuration, it cannot be read, a value is invalid, or it has no such destination.
    """
    name = getattr(arguments, "destination", None)
    conf: dict[str, str] = dict(arguments.conf)
    for key, text in over:
        plain = key.removeprefix("spark.")
        conf[f"spark.{own_key(name, plain)}" if name and is_own_key(plain) else key] = text
    system = {**_of_this_process(), **_system_properties(conf)}
    configuration = read_configuration(
        Places(
            option=arguments.conf_dir or arguments.conf_file,
            option_name="--conf-dir" if arguments.conf_dir else "--conf-file",
            system_property=system.get("atlas.conf"),
            environment=os.environ.get("ATLAS_CONF"),
            working_directory=str(Path.cwd()),
            spark_conf=conf,
            is_driver=False,
            file_name=None if arguments.conf_file else system.get("atlas.properties"),
            needed=needed,
        ),
        system,
    )
    if name is not None:
        _require_destination(name, configuration.values.get(ALSO, ""))
    with telling_of_the_jvm():
        configured = configured_by(configuration, warn)
    return configured if name is None else _select_destination(configured, name)


def _require_destination(name: str, also: str) -> None:
    names = [each for part in also.split(",") if (each := part.strip())]
    if name not in names:
        has = ", ".join(names) or "none"
        raise ConfigurationError(f"--destination {name}: {ALSO} has no such name (it has: {has}); add it there")


def _select_destination(configured: Configured, name: str) -> Configured:
    """Return the settings of a further destination, and the properties that they are read from."""
    settings = configured.settings
    own, read = dict(name_destinations(settings))[name], properties_of(name, settings.source)
    values, origins, repeated = read.properties, read.origins, read.repeated
    if origins.get(_SPOOL) == settings.source.origins.get(_SPOOL) and own.spool.dir:  # no separate one is set
        values = SecretMapping({**values, _SPOOL: own.spool.dir})
        origins = {**origins, _SPOOL: f"below the first destination's, {ALSO}"}
        repeated = {key: lines for key, lines in repeated.items() if key != _SPOOL}
    configuration = replace(configured.configuration, values=values, origins=origins, repeated=repeated)
    return Configured(own, configuration, configured.doubts, name)


def configured_by(configuration: Configuration, warn: Callable[[str], None]) -> Configured:
    """Return the settings of a configuration; errors and `warn` as of `read_with_options`."""
    doubts = (*suspicious_keys(configuration), *shared_keys(configuration))
    with complaining(doubts, warn):
        try:
            settings = Settings.of(configuration)
        except WrongValuesError as error:
            raise WrongValuesError(*error.sentences, *_client_errors(configuration, error.keys)) from None
        with settings.source.placing():
            check_libraries(settings.kafka.properties)
        return Configured(settings, configuration, doubts)


def _client_errors(configuration: Configuration, wrong: Collection[str]) -> tuple[str, ...]:
    """Return the errors of the sink's client in a configuration without the values that cannot be read.

    One of these may be the reason why another setting is missing, so that this is no error here.
    """
    rest = {key: text for key, text in configuration.values.items() if key not in wrong}
    try:
        settings = Settings.of(replace(configuration, values=rest))
        with suppressed_log(), settings.source.placing():
            client_of(settings)
    except ConfigurationError as error:
        return tuple(each for each in sentences_of(error) if " is not set" not in each)
    return ()


def client_of(settings: Settings, is_all: bool = False) -> Client:
    """Return the client of the sink for `sac-kafka config`, with all settings or those that are not the default."""
    sink = sink_of(settings)
    if sink.client is not None:
        return sink.client(settings, is_all)
    make_transport(settings)
    return Client()


@contextmanager
def complaining(doubts: tuple[str, ...], warn: Callable[[str], None] = print_error) -> Iterator[None]:
    """Print warnings, by default on standard error, if the block fails: one of them may be the cause."""
    try:
        yield
    except ConfigurationError:
        for doubt in doubts:
            warn(doubt)
        raise


@contextmanager
def telling_of_the_jvm() -> Iterator[None]:
    """Extend errors about system properties with how to pass them to a command."""
    try:
        yield
    except WrongValuesError as error:
        sentences = (f"{sentence}; {_JVM_REMEDY}" if "${sys:" in sentence else sentence for sentence in error.sentences)
        raise WrongValuesError(*sentences) from None
    except ConfigurationError as error:
        if "${sys:" not in str(error) or isinstance(error, (NeedsDriverError, NeedsJvmClientError)):
            raise
        raise ConfigurationError(f"{error}; {_JVM_REMEDY}") from None


def pair(text: str) -> tuple[str, str]:
    """Parse `KEY=VALUE`; the prefix `spark.` is added to the key if it is missing.

    Raises:
        argparse.ArgumentTypeError: The text is not of this form.
    """
    key, value = key_value(text)
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
    except ValueError:  # the text may contain passwords
        raise ConfigurationError(f"--conf {key}: unbalanced quote or trailing backslash") from None


def _of_this_process() -> dict[str, str]:
    """Return the default system properties of a JVM started by this user here."""
    here = {"user.name": login_name(), "user.dir": str(Path.cwd()), "java.io.tmpdir": tempfile.gettempdir()}
    with suppress(RuntimeError):  # a user without a name, as in containers
        here["user.home"] = str(Path.home())
    return here


def summary(settings: Settings, place: str = "") -> str:
    """Return the summary; `place` describes sink and user, if more is known than the settings have."""
    default = " (the default)" if settings.names.namespace_is_default else ""
    kept = f"spool {mask_value(str(found_directory(settings.spool.dir)))}" if settings.spool.enabled else "no spool"
    name = dialect_name(settings)
    dialect = () if name is DialectName.ATLAS else (f"dialect {name.value}",)
    return ", ".join(
        (
            place or sink_of(settings).describe(settings),
            *dialect,
            f"names @{mask_value(settings.names.namespace)}{default}",
            kept,
        )
    )


def problems_on_disk(settings: Settings) -> tuple[str, ...]:
    """Return a sentence for each path that cannot be used; creates nothing."""
    return tuple(
        settings.source.add_place(each)
        for each in (*_spool(settings), *_metrics(settings), *sink_of(settings).problems(settings))
    )


def _spool(settings: Settings) -> Iterator[str]:
    if not settings.spool.enabled:
        return
    directory = Path(settings.spool.dir) if settings.spool.dir else default_directory()
    if directory.exists() and not directory.is_dir():
        yield f"{_SPOOL} = {directory}: is a file; name a directory"
    elif not is_writable(_nearest_existing(directory)):
        problem = "is not writable" if directory.exists() else "cannot be created"
        yield f"{_SPOOL} = {directory}: {problem}; name another directory"


def _metrics(settings: Settings) -> Iterator[str]:
    if settings.source.destination:
        return  # those of the hook, which the first destination has too
    for name, each in declared_settings(MetricsSettings):
        path = Path(getattr(settings.metrics, name)) if each.kind is PATH and getattr(settings.metrics, name) else None
        directory = path if path is None or path.is_dir() else path.parent
        if directory is not None and not directory.is_dir():
            yield f"{each.keys[0]} = {path}: the directory does not exist; create it, because the hook does not"
        elif directory is not None and not is_writable(directory):
            yield f"{each.keys[0]} = {path}: the directory is not writable; name another one"


def _nearest_existing(directory: Path) -> Path:
    """Return the directory, or its nearest existing parent."""
    directory = directory.absolute()
    return next((each for each in (directory, *directory.parents) if each.exists()), directory)
