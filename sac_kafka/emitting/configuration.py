"""Find and read the configuration of what a process emits: that of a call, else where a hook would find it without Spark."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from sac_kafka.errors import ConfigurationError, NoConfigurationError, NoSettingsError
from sac_kafka.log import logger
from sac_kafka.settings import Settings
from sac_kafka.settings.arguments import properties_of
from sac_kafka.settings.files.finding import Places
from sac_kafka.settings.files.reading import read_configuration
from sac_kafka.settings.suspicious_keys import suspicious_keys
from sac_kafka.transport.factory import namespace_warning
from sac_kafka.transport.spool.directory import login_name

Conf = str | os.PathLike[str] | Mapping[str, object] | None
"""The configuration of a call: a file or directory, or settings by key; None for the place where a hook would look."""


def parts_of(conf: Conf, call: str) -> tuple[str | None, dict[str, str]]:
    """Return the file or directory, and the settings by key, of the configuration of a call.

    Args:
        conf: The configuration.
        call: The name of the public function, for errors.

    Raises:
        ConfigurationError: It has another type, or a keyword is unknown.
    """
    if isinstance(conf, Mapping):
        return None, properties_of(conf, f"{call}: conf")
    if conf is None:
        return None, {}
    if isinstance(conf, (str, os.PathLike)) and isinstance(path := os.fspath(conf), str) and path:
        return path, {}
    raise ConfigurationError(
        f"{call}(conf=…): a {type(conf).__name__}; pass a file, a directory, or a dict of settings"
    )


def read_settings(option: str | None, arguments: Mapping[str, str], call: str = "emit") -> Settings:
    """Read the settings of a file or directory, or of the place where a hook would look, and those given.

    Raises:
        ConfigurationError: There are none, or they are wrong.
    """
    places = Places(
        option=option,
        option_name=f"{call}(conf=…)",
        environment=os.environ.get("ATLAS_CONF"),
        working_directory=working_directory(),
        arguments=arguments,
        is_driver=False,
    )
    try:
        configuration = read_configuration(places, _system_properties(), call=call)
    except NoSettingsError:
        raise
    except NoConfigurationError:
        raise NoConfigurationError(
            f"{call}: no {places.name} in {places.working_directory}: put it there, set ATLAS_CONF to its directory, or pass "
            "conf=…; sac-kafka config --template prints one to begin with"
        ) from None
    for doubt in suspicious_keys(configuration):
        logger.warning("%s", doubt)
    settings = Settings.of(configuration)
    if (warning := namespace_warning(settings)) is not None:
        logger.warning("%s", warning)
    return settings


def _system_properties() -> dict[str, str]:
    """Return the default system properties of a JVM that this user would start here."""
    home = os.path.expanduser("~")  # noqa: PTH111 `Path.home` fails for a user without one
    temporary = ""
    with suppress(OSError):  # no directory is writable
        temporary = tempfile.gettempdir()
    return {
        "user.home": home,
        "user.name": login_name(),
        "user.dir": working_directory(),
        "java.io.tmpdir": temporary,
    }


def working_directory() -> str:
    """Return the working directory, "" if it was removed."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""
