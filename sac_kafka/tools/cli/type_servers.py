"""Select server, dialect and login for `sac-kafka types` from arguments, environment and configuration."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path

from sac_kafka.catalog.errors import ACCOUNT_OPTIONS, COMMAND_OPTIONS, CONFIGURED_ACCOUNT
from sac_kafka.catalog.server import Access, AtlasServer, JsonServer, access_of
from sac_kafka.errors import ConfigurationError, NoConfigurationError
from sac_kafka.masking import MASK
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import DialectName
from sac_kafka.tools.cli.arguments import add, connection_options
from sac_kafka.tools.cli.configured import Configured, read_with_options
from sac_kafka.tools.cli.purview_server import PurviewServer, account_address, checked_address, is_purview
from sac_kafka.transport import reader
from sac_kafka.transport.http.addresses import address_of, tls_context
from sac_kafka.transport.http.client import HttpServer
from sac_kafka.transport.http.data_map.server import DataMapServer
from sac_kafka.transport.http.entra.tokens import EntraTokenSource

PASSWORD = "ATLAS_PASSWORD"  # noqa: S105 # name of the environment variable
TOKEN = "ATLAS_TOKEN"  # noqa: S105
_NO_ACCOUNT = "no account given: use --account NAME, or --server https://ACCOUNT.purview.azure.com"


def add_login_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to log in at the server."""
    group = connection_options(parser)
    add(group, "--user NAME", f"user at the server, with the password in {PASSWORD}; alternatively a token in {TOKEN}")
    add(group, "--password-file FILE", f"file with the password, instead of {PASSWORD}", type=Path)
    add(group, "--ca-file FILE", "CA certificates to trust (PEM)", type=Path)


def server_of_types(arguments: argparse.Namespace) -> tuple[DialectName, JsonServer]:
    """Return the server selected by the arguments, else by the configuration, and the dialect of its types.

    Raises:
        ConfigurationError: No server is given, or its options are invalid.
    """
    token = os.environ.get(TOKEN)
    if ":" in (arguments.user or ""):  # RFC 7617: a user name has no colon, so the rest is a password
        raise ConfigurationError(f"--user {MASK}: has a colon: give the name alone, and the password in {PASSWORD}")
    if arguments.user and token:
        raise ConfigurationError(f"--user and {TOKEN} are both given: unset one of them")
    if arguments.account and (arguments.server or arguments.dialect is DialectName.ATLAS):
        other = "--server" if arguments.server else "--dialect atlas"
        raise ConfigurationError(f"--account and {other} are both given: leave one of them out")
    address = account_address(arguments.account) if arguments.account else arguments.server
    if address is not None:
        if arguments.dialect is not DialectName.PURVIEW and not is_purview(address):
            return DialectName.ATLAS, _atlas(arguments, None, token)
        return DialectName.PURVIEW, _purview(arguments, configuration_of(arguments), address, token)
    configured = configuration_of(arguments)
    dialect = arguments.dialect or _dialect_of(configured)
    if dialect is DialectName.ATLAS:
        return dialect, _atlas(arguments, configured, token)
    address = configured.settings.rest.address if configured else None
    if not address or not address.strip():
        raise ConfigurationError(_NO_ACCOUNT)
    return dialect, _purview(arguments, configured, address, token)


def configuration_of(arguments: argparse.Namespace) -> Configured | None:
    """Return the configuration, None without one; raises what `read_with_options` does."""
    try:
        return read_with_options(arguments)
    except NoConfigurationError:
        return None


def _dialect_of(configured: Configured | None) -> DialectName:
    """Return the dialect of the configured server."""
    if configured is None:
        return DialectName.ATLAS
    is_account = is_purview(configured.settings.rest.address or "")
    return DialectName.PURVIEW if is_account or reader.is_purview(configured.settings) else DialectName.ATLAS


def _atlas(arguments: argparse.Namespace, configured: Configured | None, token: str | None) -> AtlasServer:
    """Return the server of --server, else of the configuration, with its login unless the arguments have one."""
    names = COMMAND_OPTIONS
    if arguments.server is not None:
        addresses = (address_of(arguments.server, names.server, names.login),)
        found: Access | None = Access(addresses=addresses, timeout_seconds=arguments.timeout, names=names)
    else:
        found = access_of(configured.settings.rest, arguments.timeout) if configured else None
    if found is None:
        raise ConfigurationError(
            "no server given: use --server URL or --conf atlas.rest.address=URL, or set atlas.rest.address in the configuration"
        )
    if token or arguments.user:
        password = _password(arguments) if arguments.user else None
        login = replace(found.names, login=names.login)
        found = replace(found, user=arguments.user, password=password, token=token, names=login)
    if arguments.ca_file:
        found = replace(found, ca_file=arguments.ca_file, names=replace(found.names, ca_file=names.ca_file))
    return AtlasServer(found)


def _purview(
    arguments: argparse.Namespace, configured: Configured | None, address: str, token: str | None
) -> PurviewServer:
    if arguments.user:
        raise ConfigurationError(
            f"--user {arguments.user}: Purview takes a token of Entra ID: set AZURE_CLIENT_ID, AZURE_TENANT_ID and "
            f"AZURE_CLIENT_SECRET, atlas.hook.spark.entra.*, or {TOKEN}"
        )
    settings = configured.settings if configured else Settings()
    place = "--account" if arguments.account else "--server" if arguments.server else settings.rest.address_key
    names = ACCOUNT_OPTIONS if arguments.ca_file else CONFIGURED_ACCOUNT
    tls = tls_context(arguments.ca_file or settings.rest.ca_file, names.ca_file)
    given = token or settings.rest.token
    entra = settings.entra
    if not entra.ca_file and arguments.ca_file:  # a proxy that inspects TLS affects Entra ID, too
        entra = replace(entra, ca_file=str(arguments.ca_file))
    tokens = None if given else EntraTokenSource.of(entra)
    where = checked_address(address if "://" in address else f"https://{address}", place)
    server = HttpServer(address=where, token=given or None, tls=tls)
    return PurviewServer(DataMapServer(server, tokens), arguments.timeout, names)


def _password(arguments: argparse.Namespace) -> str:
    if arguments.password_file is None:
        if PASSWORD not in os.environ:
            raise ConfigurationError(
                f"--user {arguments.user} needs a password: set {PASSWORD} or give --password-file"
            )
        return os.environ[PASSWORD]
    try:
        text: str = arguments.password_file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise ConfigurationError(
            f"--password-file {arguments.password_file} cannot be read: {why}; name the file that holds the password"
        ) from None
    return text.rstrip("\r\n")
