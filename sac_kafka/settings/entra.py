"""Settings: the identity with which the hook requests Microsoft Entra ID tokens for Purview and Event Hubs."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.settings.declarations.choices import EntraCredential
from sac_kafka.settings.declarations.declaring import Subject, setting
from sac_kafka.settings.declarations.values import NAME, PATH, TEXT, one_of, seconds


@dataclass(frozen=True, kw_only=True, repr=False)
class Entra(Subject):
    """Identity for Microsoft Entra ID; `credential` is None if it is derived from the other settings."""

    credential: EntraCredential | None = setting(
        "atlas.hook.spark.entra.credential",
        kind=one_of(EntraCredential, automatic="auto"),
        documented="auto",
        doc="How the hook authenticates. auto: the first that is set below or in the variables of the Azure tools, "
        "in this order: token, secret, certificate, workload identity; else the machine's managed identity.",
    )
    tenant: str | None = setting(
        "atlas.hook.spark.entra.tenant.id",
        kind=NAME,
        documented="the variable `AZURE_TENANT_ID`",
        doc="The tenant (directory) of the application: an id, or a domain such as contoso.com.",
    )
    client: str | None = setting(
        "atlas.hook.spark.entra.client.id",
        kind=NAME,
        documented="the variable `AZURE_CLIENT_ID`",
        doc="The client id of the application or of a user-assigned managed identity. Not needed for a system-assigned one.",
    )
    client_secret: str | None = setting(
        "atlas.hook.spark.entra.client.secret",
        kind=TEXT,
        documented="the variable `AZURE_CLIENT_SECRET`",
        secret=True,
        doc="A client secret of the application (its value, not its id).",
    )
    certificate_file: str | None = setting(
        "atlas.hook.spark.entra.certificate.file",
        kind=PATH,
        documented="the variable `AZURE_CLIENT_CERTIFICATE_PATH`",
        doc="A certificate of the application with its private key, PEM or PKCS #12.",
    )
    certificate_password: str | None = setting(
        "atlas.hook.spark.entra.certificate.password",
        kind=TEXT,
        documented="the variable `AZURE_CLIENT_CERTIFICATE_PASSWORD`",
        secret=True,
        doc="The password of that file.",
    )
    token: str | None = setting(
        "atlas.hook.spark.entra.token",
        kind=TEXT,
        secret=True,
        doc="An access token obtained elsewhere, as by `az account get-access-token`; valid for about an hour.",
    )
    authority: str | None = setting(
        "atlas.hook.spark.entra.authority",
        kind=NAME,
        documented="`AZURE_AUTHORITY_HOST`, else https://login.microsoftonline.com",
        doc="The authority host of a national cloud: https://login.microsoftonline.us, https://login.chinacloudapi.cn.",
    )
    ca_file: str | None = setting(
        "atlas.hook.spark.entra.ca.file",
        kind=PATH,
        documented="`REQUESTS_CA_BUNDLE`, else what Python's certifi trusts",
        doc="A PEM file of the CA certificates to trust for Entra ID, if a proxy re-signs TLS connections.",
    )
    timeout_seconds: float = setting(
        "atlas.hook.spark.entra.timeout.seconds",
        kind=seconds(0.1, 600),
        default=10.0,
        doc="Maximum time to wait for a token.",
    )
