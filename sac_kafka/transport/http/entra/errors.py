"""Explain in one sentence, which ends in the fix, why Entra ID or azure-identity returned no token.

Error codes: https://learn.microsoft.com/entra/identity-platform/reference-error-codes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sac_kafka.errors import SacKafkaError
from sac_kafka.masking import MASK, mask_text
from sac_kafka.settings.declarations.choices import EntraCredential
from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.http.entra.identity import PREFIX, EntraIdentity

_MAX_READ = 4_000  # Characters of an error text that are searched.
_MAX_SHOWN = 300
_MAX_CAUSES = 10
_CODE = re.compile(r"AADSTS(\d{4,10})")
_BUSY = re.compile(r"HTTP (?:Error|status): (?:429|5\d\d)\b")  # Text of msal.
_PAGE = re.compile(
    r"Expecting value: line|JSON is invalid|Unexpected content type|OIDC Discovery: 3\d\d|Unable to get authority config"
)
"""Texts of json, azure-core and msal for a response that is not Entra ID's."""
_DETAILS = re.compile(r"\s(?:Trace ID|Correlation ID|Timestamp):.*", re.DOTALL | re.IGNORECASE)
_NAMES = f"{PREFIX}client.id and {PREFIX}tenant.id"


class EntraError(SacKafkaError):
    """No token is available: one sentence without secrets; `failure_kind` states whether a retry may succeed."""

    def __init__(self, text: str, failure_kind: FailureKind) -> None:
        super().__init__(text)
        self.failure_kind = failure_kind


_NEEDS_ACTION, _TRANSIENT = FailureKind.NEEDS_ACTION, FailureKind.TRANSIENT
_CODES = {
    "7000215": "the client secret is wrong: give its value, not its id, in {place}",
    "7000222": "the client secret has expired: make a new one for the application and set {place}",
    "7000218": "the application has no credential: set a secret or a certificate",
    "700016": f"the tenant {{tenant}} does not know the application {{client}}: check {_NAMES}",
    "7000112": "the application {client} is disabled: an administrator of the tenant can enable it",
    "7000229": "the application {client} has no service principal in the tenant: add it there",
    "90002": f"there is no tenant {{tenant}}: check {PREFIX}tenant.id, and the authority of its cloud",
    "900023": f"{{tenant}} is no tenant: set {PREFIX}tenant.id to its id or domain",
    "700027": "the certificate is not the application's: upload its public part (Certificates & secrets), or correct {place}",
    "700024": "the assertion has expired or is not valid yet: check this machine's clock and {place}",
    "70021": "no federated credential of application {client} matches: add one for the pod's service account",
    "700211": "no federated credential of application {client} has this issuer: add one for the cluster",
    "700212": "no federated credential of application {client} has this audience: it is api://AzureADTokenExchange",
    "700213": "no federated credential of application {client} has this subject: add one for the pod's service account",
    "500011": "the tenant {tenant} does not know {scope}: check the tenant, and that Purview or Event Hubs is in use there",
    "70011": "{scope} is no scope: check the name of the namespace",
    "53003": "conditional access of the tenant forbids it: ask its administrator to allow {client} from here",
    "50196": "too many tokens were requested: nothing needs to be done",
    "90033": "Entra ID is temporarily unavailable: nothing needs to be done",
    "90015": "Entra ID is temporarily busy: nothing needs to be done",
}
_TRANSIENT_CODES = frozenset({"50196", "90033", "90015"})
_LATE = f"no answer in time: check the network path to {{authority}}, or raise {PREFIX}timeout.seconds"
_UNREADABLE = "the file that {place} names cannot be read: name the file with the token that the cluster gives the pod"
_KINDS: dict[str, tuple[FailureKind, str]] = {
    "CredentialUnavailableError": (
        _NEEDS_ACTION,
        f"no managed identity is available here: give the machine one, or set {PREFIX}credential and what it needs",
    ),
    "ServiceRequestError": (_TRANSIENT, "{authority} cannot be reached: check the network, proxy and firewall"),
    "ServiceResponseError": (_TRANSIENT, "{authority} has cut the connection: check the network, proxy and firewall"),
    "FileNotFoundError": (_NEEDS_ACTION, _UNREADABLE),
    "PermissionError": (_NEEDS_ACTION, _UNREADABLE),
    "ServiceRequestTimeoutError": (_TRANSIENT, _LATE),
    "ServiceResponseTimeoutError": (_TRANSIENT, _LATE),
    "LateError": (_TRANSIENT, _LATE),
}
"""By name of the exception's class, as azure-identity may not be installed."""
_UNTRUSTED = f"its certificate is not trusted: name the authority's PEM in {PREFIX}ca.file or REQUESTS_CA_BUNDLE"
_OTHER_HOST = f"the certificate of {{authority}} is for another host: check {PREFIX}authority, and a proxy in between"
_DATES = "the certificate of {authority} has expired, or is not yet valid: set this machine's clock"
_CERTIFICATE_FAULTS = (
    *((word, _OTHER_HOST) for word in ("hostname mismatch", "ip address mismatch")),
    *((word, _DATES) for word in ("has expired", "not yet valid")),
)


_FOREIGN = (
    "the server at {authority} is not Entra ID: check whether a log-in page or proxy is in between, and "
    f"{PREFIX}authority"
)


def explain(error: Exception, identity: EntraIdentity, scope: str) -> EntraError:
    """Return the error for the caller from an exception of azure-identity, or of waiting for it."""
    causes = tuple(_causes(error))
    texts = tuple(str(cause)[:_MAX_READ] for cause in causes)
    code = _CODE.search("\n".join(texts))
    failure_kind, sentence = _meaning(causes, "\n".join(texts), code[1] if code else "")
    reason = sentence.format(
        place=identity.proof.place or f"{PREFIX}client.id",
        tenant=identity.tenant,
        client=identity.client,
        authority=_address(identity),
        scope=scope,
    )
    if not reason:
        reason = _shorten(next((text for text in reversed(texts) if code and code[0] in text), texts[0]), identity)
        reason += f"; look {code[1]} up at https://login.microsoftonline.com/error" if code else ""
    elif code:
        reason += f" (AADSTS{code[1]})"
    return EntraError(_mask(f"no token of Entra ID for {identity.summary}: {reason}", identity), failure_kind)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and its causes: azure-identity wraps every error as a failed authentication."""
    found: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        if found is None:
            return
        yield found
        found = found.__cause__ or found.__context__


def _meaning(causes: Iterable[BaseException], text: str, code: str) -> tuple[FailureKind, str]:
    if code in _CODES:
        return _TRANSIENT if code in _TRANSIENT_CODES else _NEEDS_ACTION, _CODES[code]
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return _NEEDS_ACTION, next((fix for word, fix in _CERTIFICATE_FAULTS if word in text.lower()), _UNTRUSTED)
    if _PAGE.search(text):
        return _TRANSIENT, _FOREIGN
    for cause in causes:
        for ancestor in type(cause).__mro__:
            if ancestor.__name__ in _KINDS:
                return _KINDS[ancestor.__name__]
    if _BUSY.search(text):
        return _TRANSIENT, "{authority} failed: nothing needs to be done"
    return _NEEDS_ACTION, ""


def _shorten(text: str, identity: EntraIdentity) -> str:
    """Return the text of an unknown error in one masked line."""
    line = " ".join(_DETAILS.sub("", _mask(text, identity)).split()).removeprefix("Authentication failed: ")
    return mask_text(line)[:_MAX_SHOWN] or "no reason given"


def _address(identity: EntraIdentity) -> str:
    return "the machine's metadata service" if identity.kind is EntraCredential.MANAGED_IDENTITY else identity.authority


def _mask(text: str, identity: EntraIdentity) -> str:
    """Return the text with secret and password masked."""
    for secret in (identity.proof.text if identity.kind is EntraCredential.SECRET else "", identity.password):
        text = text.replace(secret, MASK) if secret else text
    return text
