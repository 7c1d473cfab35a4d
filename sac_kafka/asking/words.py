"""What errors call the ways by which a server and who asks it are named: options of a command, or settings."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Words:
    """Names of options or settings: the server's address, the authority's file, the log-in, the longest wait."""

    server: str
    ca_file: str
    login: str
    timeout: str = "--timeout"


ON_THE_COMMAND_LINE = Words("--server", "--ca-file", "--user with ATLAS_PASSWORD or --password-file, or ATLAS_TOKEN")
IN_THE_CONFIGURATION = Words(
    "atlas.rest.address",
    "atlas.hook.spark.rest.ca.file",
    "atlas.rest.basic.auth.username and atlas.rest.basic.auth.password, or atlas.hook.spark.rest.token",
)
"""Of a command, which has --timeout."""
IN_A_DRIVER = replace(IN_THE_CONFIGURATION, timeout="atlas.hook.spark.rest.timeout.seconds")
OF_AN_ACCOUNT = replace(ON_THE_COMMAND_LINE, server="the account's address", login="ATLAS_TOKEN")
"""Of Microsoft Purview, which knows no users."""
OF_A_CONFIGURED_ACCOUNT = replace(OF_AN_ACCOUNT, ca_file=IN_THE_CONFIGURATION.ca_file)
