"""Settings: who the hook is to Microsoft Entra ID, which gives the tokens that Purview and Event Hubs ask for."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.choices import EntraCredential
from sac_kafka.config.declaring import Subject, setting
from sac_kafka.config.values import NAME, PATH, TEXT, one_of, seconds


@dataclass(frozen=True, kw_only=True, repr=False)
class Entra(Subject):
    """Who asks Microsoft Entra ID for tokens; `credential` is None where it follows from what is set."""

    credential: EntraCredential | None = setting(
        "atlas.hook.spark.entra.credential",
        kind=one_of(EntraCredential, by_itself="auto"),
        default=None,
        shown="auto",
        doc="How the hook proves to Microsoft Entra ID who it is. auto: by what is set here, else by the environment "
        "variables of Azure's own tools: a token, a secret, a certificate, the workload identity of a pod, else the managed "
        "identity of the machine.",
    )
    tenant: str | None = setting(
        "atlas.hook.spark.entra.tenant.id",
        kind=NAME,
        default=None,
        shown="the variable `AZURE_TENANT_ID`",
        doc="The tenant (directory) of the application: its id, or a domain such as contoso.com.",
    )
    client: str | None = setting(
        "atlas.hook.spark.entra.client.id",
        kind=NAME,
        default=None,
        shown="the variable `AZURE_CLIENT_ID`",
        doc="The application's id, or that of a user-assigned managed identity. A machine's own identity needs none.",
    )
    client_secret: str | None = setting(
        "atlas.hook.spark.entra.client.secret",
        kind=TEXT,
        default=None,
        shown="the variable `AZURE_CLIENT_SECRET`",
        secret=True,
        doc="A client secret of the application: its value, not its id.",
    )
    certificate_file: str | None = setting(
        "atlas.hook.spark.entra.certificate.file",
        kind=PATH,
        default=None,
        shown="the variable `AZURE_CLIENT_CERTIFICATE_PATH`",
        doc="A certificate of the application, with its private key: PEM or PKCS #12.",
    )
    certificate_password: str | None = setting(
        "atlas.hook.spark.entra.certificate.password",
        kind=TEXT,
        default=None,
        shown="the variable `AZURE_CLIENT_CERTIFICATE_PASSWORD`",
        secret=True,
        doc="The password of that file.",
    )
    token: str | None = setting(
        "atlas.hook.spark.entra.token",
        kind=TEXT,
        default=None,
        secret=True,
        doc="A token that somebody else has got, as `az account get-access-token` gives it. It ends after about an hour.",
    )
    authority: str | None = setting(
        "atlas.hook.spark.entra.authority",
        kind=NAME,
        default=None,
        shown="`AZURE_AUTHORITY_HOST`, else https://login.microsoftonline.com",
        doc="Where Entra ID is, in another cloud: https://login.microsoftonline.us, https://login.chinacloudapi.cn.",
    )
    ca_file: str | None = setting(
        "atlas.hook.spark.entra.ca.file",
        kind=PATH,
        default=None,
        shown="`REQUESTS_CA_BUNDLE`, else what Python's certifi trusts",
        doc="A PEM file of the certificates to trust there, where a proxy has certificates of its own.",
    )
    timeout_seconds: float = setting(
        "atlas.hook.spark.entra.timeout.seconds",
        kind=seconds(0.1, 600),
        default=10.0,
        unit="seconds",
        doc="The longest that a token is waited for.",
    )
