"""Names of the options or settings for a server and its login, as errors refer to them."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class OptionNames:
    """Names of the options or settings for the server's address, CA certificates, login and timeout."""

    server: str
    ca_file: str
    login: str
    timeout: str = "--timeout"


COMMAND_OPTIONS = OptionNames("--server", "--ca-file", "--user with ATLAS_PASSWORD or --password-file, or ATLAS_TOKEN")
CONFIGURATION_KEYS = OptionNames(
    "atlas.rest.address",
    "atlas.hook.spark.rest.ca.file",
    "atlas.rest.basic.auth.username and atlas.rest.basic.auth.password, or atlas.hook.spark.rest.token",
)
"""Settings, and the option `--timeout` of a command."""
DRIVER_SETTINGS = replace(CONFIGURATION_KEYS, timeout="atlas.hook.spark.rest.timeout.seconds")
ACCOUNT_OPTIONS = replace(COMMAND_OPTIONS, server="the account's address", login="ATLAS_TOKEN")
"""Microsoft Purview accepts tokens only, no users."""
CONFIGURED_ACCOUNT = replace(ACCOUNT_OPTIONS, ca_file=CONFIGURATION_KEYS.ca_file)
