"""Explain responses of the Data Map, or their absence, in one sentence that ends in the fix."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.masking import mask_text
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.http.addresses import proxy_of
from sac_kafka.transport.http.client import REDIRECTIONS, Answer, UnansweredError, UnansweredReason
from sac_kafka.transport.http.data_map.requests import error_of
from sac_kafka.transport.http.failures import proxy_hint, proxy_problem, refusal_by_page, retry_after_of
from sac_kafka.transport.http.posting import Refusal

ADDRESS = "atlas.rest.address"
COLLECTION = "atlas.hook.spark.purview.collection"
_LOGIN = "atlas.hook.spark.entra.*, or give a new token in atlas.hook.spark.rest.token"
_PAGE = f"a web page answered, not Purview: check {ADDRESS}, and whether a log-in page or proxy is in between"
_MAX_SHOWN = 300
_BUSY = frozenset({408, 429})

UNKNOWN_TYPE = "ATLAS-404-00-001"
"""AtlasErrorCode.TYPE_NAME_NOT_FOUND."""
_NO_SUCH_REFERENCE = ("ATLAS-404-00-00A", "ATLAS-404-00-005", "ATLAS-404-00-009")
_WRONG_END = "ATLAS-400-00-036"

_UNANSWERED: dict[UnansweredReason, tuple[FailureKind, str]] = {
    UnansweredReason.CERTIFICATE: (
        FailureKind.NEEDS_ACTION,
        "its certificate is not trusted ({detail}): where a proxy looks into TLS, name its authority's PEM in "
        "atlas.hook.spark.rest.ca.file",
    ),
    UnansweredReason.TLS: (FailureKind.NEEDS_ACTION, f"no TLS ({{detail}}): check {ADDRESS}, and what stands between"),
    UnansweredReason.REFUSED: (
        FailureKind.TRANSIENT,
        f"nothing listens there: check {ADDRESS}, and that a firewall lets HTTPS through",
    ),
    UnansweredReason.NO_HOST: (
        FailureKind.TRANSIENT,
        f"there is no such host: check the account in {ADDRESS}; with a private endpoint the driver's DNS must know it",
    ),
    UnansweredReason.TIMEOUT: (
        FailureKind.TRANSIENT,
        "no answer in time: check that the driver's network reaches it (firewall, private endpoint), or raise "
        "atlas.hook.spark.rest.timeout.seconds",
    ),
    UnansweredReason.NO_HTTP: (
        FailureKind.NEEDS_ACTION,
        f"no HTTP answer ({{detail}}): check {ADDRESS}, and what stands between",
    ),
    UnansweredReason.OTHER: (FailureKind.TRANSIENT, "{detail}: it will be retried"),
}


@dataclass(frozen=True, slots=True)
class _Rule:
    """Meaning of a response: the first rule that matches applies. `codes` are Atlas error codes, `words` of its message."""

    statuses: frozenset[int]
    failure_kind: FailureKind
    sentence: str
    codes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def fits(self, status: int, code: str, message: str) -> bool:
        """Return whether the response matches; a rule without codes and words matches by status alone."""
        is_named = code in self.codes or any(word in message for word in self.words)
        return status in self.statuses and (is_named or not (self.codes or self.words))


_MISSING_REFERENCE = "something that it refers to is not in Purview: check whether that was refused"
_BAD = frozenset({200, 400, 404, 409, 414, 422, 431})
_RULES = (
    _Rule(
        _BAD,
        FailureKind.REJECTED,
        "the account does not know the type: add it (sac-kafka types apply), or set "
        "atlas.hook.spark.purview.process.types = built-in",
        codes=(UNKNOWN_TYPE,),
    ),
    _Rule(
        _BAD,
        FailureKind.REJECTED,
        _MISSING_REFERENCE,
        codes=_NO_SUCH_REFERENCE,
    ),
    _Rule(
        _BAD,
        FailureKind.REJECTED,
        "its inputs and outputs must be of types below DataSet: correct the mapping that named them",
        codes=(_WRONG_END,),
    ),
    _Rule(frozenset({401}), FailureKind.NEEDS_ACTION, f"the token is refused: check {_LOGIN}"),
    _Rule(
        frozenset({403}),
        FailureKind.NEEDS_ACTION,
        "a firewall or the account's network settings keep this driver out: allow its network, or give it a private endpoint",
        codes=("PublicNetworkAccessDenied", "NetworkAccessDenied"),
        words=("public network", "private endpoint", "private link", "firewall", "ip address", "not allowed to access"),
    ),
    _Rule(
        frozenset({403}),
        FailureKind.NEEDS_ACTION,
        "this log-in may not write: give it the role Data Curator on the collection (the root one where "
        f"{COLLECTION} is not set), and on those of the assets that it has lineage of; if it has that role, check the account's "
        "network settings",
    ),
    _Rule(frozenset({405}), FailureKind.NEEDS_ACTION, f"there is no Data Map: check {ADDRESS}"),
    _Rule(_BUSY, FailureKind.TRANSIENT, "Purview asks for fewer requests: no action needed"),
    _Rule(
        frozenset({413}),
        FailureKind.REJECTED,
        "the request is too large: lower atlas.notification.message.max.length.bytes",
    ),
    _Rule(frozenset({409}), FailureKind.TRANSIENT, "another client changes the same entity: it will be retried"),
    _Rule(
        frozenset({504}),
        FailureKind.TRANSIENT,
        "Purview took too long: lower atlas.notification.message.max.length.bytes",
    ),
)
_NO_COLLECTION = (
    f"{COLLECTION} is not known there, or not open to this log-in: give the collection's id, not the name that is shown "
    "(the address of its page ends in it), and the role Data Curator on it"
)
_NO_DATA_MAP = f"there is no Data Map: check {ADDRESS}; it is https://ACCOUNT.purview.azure.com, without a path"
_NOT_ACCEPTED = "Purview does not accept it: see its message"
_AMBIGUOUS = frozenset({409, 500, 504})
"""Statuses whose cause may be the server or the message."""


def explain_no_answer(address: str, error: UnansweredError) -> Refusal:
    """Explain a request without a response."""
    failure_kind, sentence = _UNANSWERED[error.reason]
    proxy = proxy_of(address)
    text = proxy_problem(proxy, error.reason) or sentence.format(detail=mask_text(error.detail)) + proxy_hint(proxy)
    return Refusal(
        Failure(failure_kind, f"{address}: {text}"),
        error.reason.name.lower(),
        is_slow=error.reason is UnansweredReason.TIMEOUT,
    )


def is_no_data_map(answer: Answer) -> bool:
    """Return whether the path is unknown: an unknown entity or type has an Atlas error code."""
    return answer.status == 404 and not error_of(answer)[0].startswith("ATLAS-")


def explain_answer(
    address: str, answer: Answer, collection: str | None = None, *, is_of_entity: bool = False
) -> Refusal | None:
    """Explain a response, None if it is a success.

    Args:
        address: Address of the server.
        answer: The response.
        collection: Collection in the request.
        is_of_entity: The request was for a single entity, of a Data Map that was found: a 404 means that entity.
    """
    code, message = error_of(answer)
    status = answer.status
    if answer.is_foreign:
        return refusal_by_page(f"{address}: HTTP {status}: {_PAGE}{proxy_hint(proxy_of(address))}")
    if answer.is_success and not code:
        return None
    if answer.leads_to_login:
        text = f"it redirects to the log-in page {answer.location}: check {ADDRESS} and {_LOGIN}"
        return refusal_by_page(f"{address}: {text}{proxy_hint(proxy_of(address))}")
    if status in REDIRECTIONS:
        sentence = f"it redirects to {answer.location}: check {ADDRESS}"
        return Refusal(Failure(FailureKind.NEEDS_ACTION, f"{address}: {sentence}"), f"http {status}")
    failure_kind, sentence = _missing_entity(answer, is_of_entity) or _meaning(answer, code, message, collection)
    error_text = mask_text(f"{code} {message}".strip() or answer.error_text)[:_MAX_SHOWN]
    suffix = f" (Purview says: {error_text})" if error_text else proxy_hint(proxy_of(address))
    is_busy = status in _BUSY or status >= 500
    return Refusal(
        Failure(failure_kind, f"{address}: HTTP {status}: {sentence}{suffix}", is_ambiguous=status in _AMBIGUOUS),
        f"http {status}",
        pause_seconds=retry_after_of(answer) if is_busy else 0.0,
        is_slow=status in _BUSY,
    )


def _missing_entity(answer: Answer, is_of_entity: bool) -> tuple[FailureKind, str] | None:
    return (FailureKind.REJECTED, _MISSING_REFERENCE) if is_of_entity and answer.status == 404 else None


def _meaning(answer: Answer, code: str, message: str, collection: str | None) -> tuple[FailureKind, str]:
    status, words = answer.status, message.lower()
    if collection is not None and "collection" in words and _is_of_collection(status, words, collection):
        return FailureKind.NEEDS_ACTION, _NO_COLLECTION
    found = next((rule for rule in _RULES if rule.fits(status, code, words)), None)
    if found is not None:
        return found.failure_kind, found.sentence
    if is_no_data_map(answer):
        return FailureKind.NEEDS_ACTION, _NO_DATA_MAP
    if status >= 500:
        return FailureKind.TRANSIENT, "Purview failed: no action needed, it will be retried"
    is_of_content = status < 300 or status in _BAD
    return FailureKind.REJECTED if is_of_content else FailureKind.NEEDS_ACTION, _NOT_ACCEPTED


def _is_of_collection(status: int, words: str, collection: str) -> bool:
    """Return whether an error is about the collection; one about content has the same status, and may contain the word."""
    return status in {403, 404} or (status == 400 and collection.lower() in words)
