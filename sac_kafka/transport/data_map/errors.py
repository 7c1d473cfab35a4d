"""What an answer of the Data Map, or none, means for the messages: one sentence that ends in a cure."""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.config.secrets import mask_text
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.data_map.answers import error_of
from sac_kafka.transport.http import REDIRECTIONS, Answer, UnansweredError, UnansweredReason
from sac_kafka.transport.posting import Refusal
from sac_kafka.transport.proxies import proxy_hint, proxy_of, proxy_problem
from sac_kafka.transport.rest_errors import refusal_by_page, retry_after_of

ADDRESS = "atlas.rest.address"
COLLECTION = "atlas.hook.spark.purview.collection"
_LOGIN = "atlas.hook.spark.entra.*, or give a new token in atlas.hook.spark.rest.token"
_PAGE = f"a web page answered, not Purview: check {ADDRESS}, and whether a log-in page or proxy is in between"
_SHOWN = 300
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
    UnansweredReason.OTHER: (FailureKind.TRANSIENT, "{detail}: it is tried again"),
}


@dataclass(frozen=True, slots=True)
class _Rule:
    """What an answer means: the first rule that fits counts. `codes` are of Atlas, `words` of its message."""

    statuses: frozenset[int]
    failure_kind: FailureKind
    sentence: str
    codes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def fits(self, status: int, code: str, message: str) -> bool:
        """Say whether the answer is of this kind; a rule without codes and words is of any."""
        is_said = code in self.codes or any(word in message for word in self.words)
        return status in self.statuses and (is_said or not (self.codes or self.words))


_NOTHING_THERE = "something that it refers to is not in Purview: see whether that was refused"
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
        _NOTHING_THERE,
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
        f"{COLLECTION} is not set), and on those of the assets that it has lineage of; where it has that, look at the account's "
        "network settings",
    ),
    _Rule(frozenset({405}), FailureKind.NEEDS_ACTION, f"there is no Data Map: check {ADDRESS}"),
    _Rule(_BUSY, FailureKind.TRANSIENT, "Purview asks for fewer requests: nothing needs to be done"),
    _Rule(
        frozenset({413}),
        FailureKind.REJECTED,
        "the request is too large: lower atlas.notification.message.max.length.bytes",
    ),
    _Rule(frozenset({409}), FailureKind.TRANSIENT, "somebody else changes the same entity: it is tried again"),
    _Rule(
        frozenset({504}),
        FailureKind.TRANSIENT,
        "Purview needs too long: lower atlas.notification.message.max.length.bytes",
    ),
)
_NO_COLLECTION = (
    f"{COLLECTION} is not known there, or not open to this log-in: give the collection's id, not the name that is shown "
    "(the address of its page ends in it), and the role Data Curator on it"
)
_NO_DATA_MAP = f"there is no Data Map: check {ADDRESS}; it is https://ACCOUNT.purview.azure.com, without a path"
_NOT_TAKEN = "Purview does not take it: see what it says"
_AMBIGUOUS = frozenset({409, 500, 504})
"""Nobody can tell whether it is the message's own trouble."""


def explain_no_answer(address: str, error: UnansweredError) -> Refusal:
    """Explain that there was no answer."""
    failure_kind, sentence = _UNANSWERED[error.reason]
    proxy = proxy_of(address)
    text = proxy_problem(proxy, error.reason) or sentence.format(detail=mask_text(error.detail)) + proxy_hint(proxy)
    return Refusal(
        Failure(failure_kind, f"{address}: {text}"),
        error.reason.name.lower(),
        is_slow=error.reason is UnansweredReason.TIMEOUT,
    )


def is_no_data_map(answer: Answer) -> bool:
    """Say whether nobody knows this path: an entity or type that is not there has a code of Atlas'."""
    return answer.status == 404 and not error_of(answer)[0].startswith("ATLAS-")


def explain_answer(
    address: str, answer: Answer, collection: str | None = None, *, is_of_entity: bool = False
) -> Refusal | None:
    """Explain an answer, None where it is one of success.

    Args:
        address: Whose answer it is.
        answer: The answer.
        collection: What the request named.
        is_of_entity: The request was for one entity, of a Data Map that is there: what is not found is that.
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
    failure_kind, sentence = _not_there(answer, is_of_entity) or _meaning(answer, code, message, collection)
    said = mask_text(f"{code} {message}".strip() or answer.error_text)[:_SHOWN]
    heard = f" (Purview says: {said})" if said else proxy_hint(proxy_of(address))
    is_busy = status in _BUSY or status >= 500
    return Refusal(
        Failure(failure_kind, f"{address}: HTTP {status}: {sentence}{heard}", is_ambiguous=status in _VAGUE),
        f"http {status}",
        pause_seconds=retry_after_of(answer) if is_busy else 0.0,
        is_slow=status in _BUSY,
    )


def _not_there(answer: Answer, is_of_entity: bool) -> tuple[FailureKind, str] | None:
    return (FailureKind.REJECTED, _NOTHING_THERE) if is_of_entity and answer.status == 404 else None


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
        return FailureKind.TRANSIENT, "Purview is in trouble: nothing needs to be done"
    is_of_content = status < 300 or status in _BAD
    return FailureKind.REJECTED if is_of_content else FailureKind.NEEDS_ACTION, _NOT_TAKEN


def _is_of_collection(status: int, words: str, collection: str) -> bool:
    """An error of content has the same status, and may hold the word by chance."""
    return status in {403, 404} or (status == 400 and collection.lower() in words)
