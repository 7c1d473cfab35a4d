"""Find the identity for token requests, from the settings and the environment variables of Azure's own tools.

Settings take precedence over the environment. The variables are those of azure-identity (`AZURE_CLIENT_ID` …).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import mask_value
from sac_kafka.settings.declarations.choices import EntraCredential
from sac_kafka.settings.entra import Entra

PREFIX = "atlas.hook.spark.entra."
_PUBLIC_CLOUD = "https://login.microsoftonline.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcedValue:
    """A value and its source, for errors. Without a value, the text is "" and the place is where to set it."""

    text: str = field(repr=False)
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntraIdentity:
    """Kind and data of an identity; fields of other kinds are empty.

    `client` is "" for the machine's own managed identity. `authority` is the address of Entra ID. `proof` is the secret, the
    path of the certificate, the path of the federated token, or the token; `password` is that of the certificate.
    """

    kind: EntraCredential
    tenant: str = ""
    client: str = ""
    authority: str = _PUBLIC_CLOUD
    proof: SourcedValue = SourcedValue(text="", place="")
    password: str | None = field(default=None, repr=False)
    ca_file: str | None = None

    @property
    def summary(self) -> str:
        """Identity in a few words."""
        who = f"application {self.client}" if self.client else "this machine"
        match self.kind:
            case EntraCredential.TOKEN:
                return "a configured token"
            case EntraCredential.MANAGED_IDENTITY:
                return f"managed identity{f' {self.client}' if self.client else ' of this machine'}"
        return f"{who} of tenant {self.tenant}"


@dataclass(frozen=True, slots=True)
class _Row:
    """A setting by its field in `Entra`, and the corresponding environment variable."""

    field: str
    key: str
    variable: str = ""

    def value(self, entra: Entra, environ: Mapping[str, str]) -> SourcedValue:
        value = getattr(entra, self.field, None)
        if value:
            return SourcedValue(text=value, place=PREFIX + self.key)
        if environ.get(self.variable, "").strip():
            return SourcedValue(text=environ[self.variable].strip(), place=self.variable)
        places = (f"{PREFIX}{self.key}" if self.key else "", self.variable)
        return SourcedValue(text="", place=" or ".join(filter(None, places)))


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
"""Credential of each kind, in the order of `auto`; a managed identity needs none."""


def identity_of(entra: Entra, environ: Mapping[str, str] | None = None) -> EntraIdentity:
    """Return the configured identity, without any request.

    Raises:
        ConfigurationError: A value is missing or invalid; the message names settings and variables.
    """
    variables = os.environ if environ is None else environ
    kind = entra.credential or _found(entra, variables)
    if kind is EntraCredential.TOKEN:
        return EntraIdentity(kind=kind, proof=_require(kind, _PROOFS[kind].value(entra, variables)))
    if kind is EntraCredential.MANAGED_IDENTITY:
        # AZURE_CLIENT_ID names a user-assigned identity for Azure's own tools, too.
        return EntraIdentity(kind=kind, client=_CLIENT.value(entra, variables).text, ca_file=entra.ca_file)
    is_certificate = kind is EntraCredential.CERTIFICATE
    return EntraIdentity(
        kind=kind,
        tenant=_tenant(_require(kind, _TENANT.value(entra, variables))),
        client=_require(kind, _CLIENT.value(entra, variables)).text,
        authority=_authority(_AUTHORITY.value(entra, variables)),
        proof=_require(kind, _PROOFS[kind].value(entra, variables)),
        password=_PASSWORD.value(entra, variables).text or None if is_certificate else None,
        ca_file=entra.ca_file,
    )


def _found(entra: Entra, variables: Mapping[str, str]) -> EntraCredential:
    """Return the kind whose credential is set; settings take precedence over all variables."""
    for places in ({}, variables):
        for kind, row in _PROOFS.items():
            if row.value(entra, places).text:
                return kind
    return EntraCredential.MANAGED_IDENTITY


def _require(kind: EntraCredential, found: SourcedValue) -> SourcedValue:
    if not found.text:
        raise ConfigurationError(f"a token of Entra ID by {kind.value} needs {found.place}: set it")
    return found


def _tenant(found: SourcedValue) -> str:
    """Return the tenant, which is part of a URL that a secret is posted to, if azure-identity would accept it."""
    if not all(each.isascii() and (each.isalnum() or each in "-.") for each in found.text):
        shown = mask_value(found.text)[:100]
        raise ConfigurationError(f"{found.place} = {shown}: must be the id of a tenant or a domain such as contoso.com")
    return found.text


def _authority(found: SourcedValue) -> str:
    text = (found.text or _PUBLIC_CLOUD).rstrip("/ ")
    address = text if "://" in text else f"https://{text}"
    if not address.startswith("https://") or "@" in address or len(address.split()) != 1:
        shown = mask_value(found.text)[:100]
        raise ConfigurationError(f"{found.place} = {shown}: must be like {_PUBLIC_CLOUD}")
    return address
