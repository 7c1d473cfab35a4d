"""Who asks Entra ID for a token, and by what: out of the settings and the environment variables of Azure's own tools.

What the settings say counts before the environment. The variables are those of azure-identity (`AZURE_CLIENT_ID` …).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from sac_kafka.config.choices import EntraCredential
from sac_kafka.config.secrets import mask_value
from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.entra import Entra

PREFIX = "atlas.hook.spark.entra."
_PUBLIC_CLOUD = "https://login.microsoftonline.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A value and where it stands, for errors; the text is "" where it stands nowhere, the place then where it belongs."""

    text: str = field(repr=False)
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntraIdentity:
    """Who asks, and by what; of the other kinds' values nothing is said.

    `client` is "" for the machine's own managed identity. `authority` is where Entra ID is, `proof` the secret, the
    path of the certificate, the path of the federated token, or the token; `password` that of the certificate.
    """

    kind: EntraCredential
    tenant: str = ""
    client: str = ""
    authority: str = _PUBLIC_CLOUD
    proof: Given = Given(text="", place="")
    password: str | None = field(default=None, repr=False)
    ca_file: str | None = None

    @property
    def shown(self) -> str:
        """Who it is, in a few words."""
        who = f"application {self.client}" if self.client else "this machine"
        match self.kind:
            case EntraCredential.TOKEN:
                return "a token that was given"
            case EntraCredential.MANAGED_IDENTITY:
                return f"managed identity{f' {self.client}' if self.client else ' of this machine'}"
        return f"{who} of tenant {self.tenant}"


@dataclass(frozen=True, slots=True)
class _Row:
    """A setting of `Entra`, by its field, and the environment variable that stands for it."""

    field: str
    key: str
    variable: str = ""

    def given(self, entra: Entra, environ: Mapping[str, str]) -> Given:
        value = getattr(entra, self.field, None)
        if value:
            return Given(text=value, place=PREFIX + self.key)
        if environ.get(self.variable, "").strip():
            return Given(text=environ[self.variable].strip(), place=self.variable)
        places = (f"{PREFIX}{self.key}" if self.key else "", self.variable)
        return Given(text="", place=" or ".join(filter(None, places)))


_TENANT = _Row("tenant", "tenant.id", "AZURE_TENANT_ID")
_CLIENT = _Row("client", "client.id", "AZURE_CLIENT_ID")
_PASSWORD = _Row("certificate_password", "certificate.password", "AZURE_CLIENT_CERTIFICATE_PASSWORD")
_AUTHORITY = _Row("authority", "authority", "AZURE_AUTHORITY_HOST")

_PROOFS: Mapping[EntraCredential, _Row] = {
    EntraCredential.TOKEN: _Row("token", "token"),
    EntraCredential.SECRET: _Row("client_secret", "client.secret", "AZURE_CLIENT_SECRET"),
    EntraCredential.CERTIFICATE: _Row("certificate_file", "certificate.file", "AZURE_CLIENT_CERTIFICATE_PATH"),
    EntraCredential.WORKLOAD_IDENTITY: _Row("", "", "AZURE_FEDERATED_TOKEN_FILE"),
}
"""By what each kind is proved, in the order in which `auto` looks for it; a managed identity needs nothing."""


def identity_of(entra: Entra, environ: Mapping[str, str] | None = None) -> EntraIdentity:
    """Say who asks, without asking anybody.

    Raises:
        ConfigurationError: Something is missing or cannot be; the message names settings and variables.
    """
    variables = os.environ if environ is None else environ
    kind = entra.credential or _found(entra, variables)
    if kind is EntraCredential.TOKEN:
        return EntraIdentity(kind=kind, proof=_needed(kind, _PROOFS[kind].given(entra, variables)))
    if kind is EntraCredential.MANAGED_IDENTITY:
        # AZURE_CLIENT_ID names a user-assigned identity for Azure's own tools, too.
        return EntraIdentity(kind=kind, client=_CLIENT.given(entra, variables).text, ca_file=entra.ca_file)
    is_certificate = kind is EntraCredential.CERTIFICATE
    return EntraIdentity(
        kind=kind,
        tenant=_tenant(_needed(kind, _TENANT.given(entra, variables))),
        client=_needed(kind, _CLIENT.given(entra, variables)).text,
        authority=_authority(_AUTHORITY.given(entra, variables)),
        proof=_needed(kind, _PROOFS[kind].given(entra, variables)),
        password=_PASSWORD.given(entra, variables).text or None if is_certificate else None,
        ca_file=entra.ca_file,
    )


def _found(entra: Entra, variables: Mapping[str, str]) -> EntraCredential:
    """The kind that is set: what the settings name counts before all variables."""
    for places in ({}, variables):
        for kind, row in _PROOFS.items():
            if row.given(entra, places).text:
                return kind
    return EntraCredential.MANAGED_IDENTITY


def _needed(kind: EntraCredential, given: Given) -> Given:
    if not given.text:
        raise ConfigurationError(f"a token of Entra ID by {kind.value} needs {given.place}: set it")
    return given


def _tenant(given: Given) -> str:
    """The tenant is part of a URL that a secret is posted to: nothing but what azure-identity takes."""
    if not all(each.isascii() and (each.isalnum() or each in "-.") for each in given.text):
        shown = mask_value(given.text)[:100]
        raise ConfigurationError(f"{given.place} = {shown}: must be the id of a tenant or a domain such as contoso.com")
    return given.text


def _authority(given: Given) -> str:
    text = (given.text or _PUBLIC_CLOUD).rstrip("/ ")
    address = text if "://" in text else f"https://{text}"
    if not address.startswith("https://") or "@" in address or len(address.split()) != 1:
        shown = mask_value(given.text)[:100]
        raise ConfigurationError(f"{given.place} = {shown}: must be like {_PUBLIC_CLOUD}")
    return address
