"""Explain a failed request over HTTP in one sentence that ends in the fix: one table for the sinks and the commands."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from sac_kafka.masking import MASK, mask_text
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.http.addresses import masked_address, proxy_of
from sac_kafka.transport.http.client import (
    REDIRECTIONS,
    Answer,
    HttpServer,
    UnansweredError,
    UnansweredReason,
    error_of,
)

TYPEDEFS = "/api/atlas/v2/types/typedefs"
UNKNOWN_TYPE = "ATLAS-404-00-001"
"""AtlasErrorCode.TYPE_NAME_NOT_FOUND."""
COLLECTION = "atlas.hook.spark.purview.collection"
EXAMPLE = "https://ACCOUNT.purview.azure.com"
_BASIC = "atlas.rest.basic.auth.username and atlas.rest.basic.auth.password"
_TOKEN = "atlas.hook.spark.rest.token"  # noqa: S105 (the name of a setting)
_KERBEROS = "; the server offers Kerberos only (Negotiate), which rest does not support: use atlas.client.type = kafka"
_MAX_PAUSE_SECONDS = 600.0
_MAX_DATE_LENGTH = 60
_MAX_SHOWN = 300


@dataclass(frozen=True, slots=True)
class OptionNames:
    """Names of the options or settings for the server's address, CA certificates, login and timeout."""

    server: str
    ca_file: str
    login: str
    timeout: str = "--timeout"


CONFIGURATION_KEYS = OptionNames("atlas.rest.address", "atlas.hook.spark.rest.ca.file", f"{_BASIC}, or {_TOKEN}")
"""Settings, and the option `--timeout` of a command."""
DRIVER_SETTINGS = replace(CONFIGURATION_KEYS, timeout="atlas.hook.spark.rest.timeout.seconds")
ACCOUNT_SETTINGS = replace(DRIVER_SETTINGS, login=f"atlas.hook.spark.entra.*, or give a new token in {_TOKEN}")


EVENT_SETTINGS = replace(
    DRIVER_SETTINGS, server="atlas.hook.spark.openlineage.url", login="atlas.hook.spark.openlineage.token"
)


class Use(Enum):
    """Use of requests, on which the fix of a failure depends."""

    NOTIFY = "post messages to Atlas"
    EVENTS = "post OpenLineage events"
    QUERY = "query Atlas"
    DATA_MAP = "write to the Data Map of Purview"
    TYPES = "read and change the types of a Purview account"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAttempt:
    """A request whose failure is explained.

    Attributes:
        server: Its address, and the credentials, which are masked in all texts.
        names: Names of the options or settings for it.
        method: Method to show in errors, "" for none.
        path: Path to show in errors, without its parameters.
        topic: Topic of the messages.
        collection: Collection of the entities.
        is_of_entity: It is for a single entity, of a Data Map that was found: a 404 means that entity.
    """

    use: Use
    server: HttpServer
    names: OptionNames
    method: str = ""
    path: str = ""
    topic: str = ""
    collection: str | None = None
    is_of_entity: bool = False

    @property
    def place(self) -> str:
        """Address and path without parameters."""
        return f"{masked_address(self.server.address)}{self.path.partition('?')[0]}"

    @property
    def proxy_hint(self) -> str:
        """The suffix of an error that the proxy may have caused; "" without a proxy."""
        proxy = proxy_of(self.server.address)
        if proxy is None:
            return ""
        return (
            f"; the request went through the proxy {proxy} of the environment: check it, or add the server to no_proxy"
        )

    def mask(self, text: str) -> str:
        """Return a text of the server with the credentials masked."""
        for secret in self.server.secrets:
            text = text.replace(secret, MASK)
        return mask_text(text)

    def login_fix(self, answer: Answer) -> str:
        """Return how to correct the credentials that were refused, or are missing."""
        if self.use is not Use.NOTIFY:
            fix = f"{'correct' if self.server.secrets else 'set'} {self.names.login}"
            return f"{fix}{'; Kerberos (SPNEGO) is not supported' if answer.wants_kerberos else ''}"
        if self.server.token:
            fix = f"the token of {_TOKEN} is not accepted, perhaps because it has expired: set a new one"
        elif self.server.user is not None:
            fix = f"user and password are not accepted: correct {_BASIC}"
        else:
            fix = f"no log-in is configured: set {self.names.login}"
        return f"{fix}{_KERBEROS if answer.wants_kerberos else ''}"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A failure of a request; `kind` is its key in the counts, `other` means that another address may succeed.

    `pause_seconds` is the pause that the server requested; `is_slow` means that the next request should wait anyway: this
    one ran into its timeout, or was one too many.
    """

    failure: Failure
    kind: str
    other: bool = False
    pause_seconds: float = 0.0
    is_slow: bool = False


@dataclass(frozen=True, slots=True)
class HttpRule:
    """Meaning of a failure.

    Attributes:
        uses: Uses of the request.
        causes: Statuses of the response, or reasons for its absence.
        words: Error codes or words, one of which must be in the error of the response, in any case; none for any error.
        when: Further condition.
    """

    uses: frozenset[Use]
    causes: Container[int | UnansweredReason]
    kind: FailureKind
    sentence: str
    words: tuple[str, ...] = ()
    when: Callable[[HttpAttempt, Answer], bool] | None = None

    def matches(self, attempt: HttpAttempt, cause: int | UnansweredReason, text: str, answer: Answer | None) -> bool:
        """Return whether this rule explains the failure; `text` is the error of the response in lower case."""
        if attempt.use not in self.uses or cause not in self.causes:
            return False
        if self.words and not any(word.lower() in text for word in self.words):
            return False
        return self.when is None or (answer is not None and self.when(attempt, answer))


def is_no_data_map(answer: Answer) -> bool:
    """Return whether the path is unknown: an unknown entity or type has an Atlas error code."""
    return answer.status == 404 and not error_of(answer)[0].startswith("ATLAS-")


def _is_of_collection(attempt: HttpAttempt, answer: Answer) -> bool:
    """Return whether an error is about the collection; one about content has the same status, and may contain the word."""
    if attempt.collection is None:
        return False
    return answer.status != 400 or attempt.collection.lower() in error_of(answer)[1].lower()


_NOTIFY, _EVENTS, _QUERY, _DATA_MAP, _TYPES = (frozenset({use}) for use in Use)
_PURVIEW, _SINKS, _ANY = _DATA_MAP | _TYPES, _NOTIFY | _DATA_MAP | _EVENTS, frozenset(Use)
_NOT_PURVIEW = _ANY - _PURVIEW
_TRANSIENT, _ACT, _REJECTED = FailureKind.TRANSIENT, FailureKind.NEEDS_ACTION, FailureKind.REJECTED
_REASON = UnansweredReason
_SUCCESS, _SERVER, _STATUS = range(200, 300), range(500, 1000), range(1000)
_BUSY = frozenset({408, 429})
_BAD = frozenset({200, 400, 404, 409, 414, 422, 431})
_NO_ENDPOINT = "there is no notification endpoint"
_FIREWALL = (
    *("public network", "private endpoint", "private link", "firewall", "ip address", "not allowed to access"),
    "NetworkAccess",
)
_MISSING_REFERENCE = "something that it refers to is not in Purview: check whether that was refused"
_TO_LOGIN = "it redirects to the log-in page {location}: "
_AMBIGUOUS: Mapping[Use, frozenset[int]] = {
    **dict.fromkeys((Use.NOTIFY, Use.EVENTS), frozenset({500})),
    Use.DATA_MAP: frozenset({409, 500, 504}),
}
"""Statuses whose cause may be the server or the message; 502 to 504 of Atlas come from a proxy."""

FAILURES: tuple[HttpRule, ...] = (
    # ---- no response
    HttpRule(_NOT_PURVIEW, (_REASON.CERTIFICATE,), _ACT,
        "its certificate is not trusted ({detail}): name the authority's PEM in {ca_file}"),
    HttpRule(_PURVIEW, (_REASON.CERTIFICATE,), _ACT,
        "its certificate is not trusted ({detail}): where a proxy looks into TLS, name its authority's PEM in {ca_file}"),
    HttpRule(_ANY, (_REASON.CERTIFICATE_HOST,), _ACT,
        "its certificate is for another host ({detail}): give a host name of the certificate in {server}, or renew the "
        "certificate with this name"),
    HttpRule(_ANY, (_REASON.CERTIFICATE_DATES,), _ACT,
        "its certificate has expired, or is not yet valid ({detail}): renew the certificate, or set this machine's clock"),
    HttpRule(_ANY, (_REASON.CERTIFICATE_SELF_SIGNED,), _ACT,
        "its certificate is self-signed ({detail}): name its PEM in {ca_file}, if it is the server's own"),
    HttpRule(_NOT_PURVIEW, (_REASON.TLS,), _ACT, "no TLS ({detail}): is {server} an http:// address?"),
    HttpRule(_PURVIEW, (_REASON.TLS,), _ACT, "no TLS ({detail}): check {server}, and what stands between"),
    HttpRule(_EVENTS, (_REASON.REFUSED,), _TRANSIENT,
        "nothing listens there: check host and port in {server}, and that the receiver runs"),
    HttpRule(_NOT_PURVIEW, (_REASON.REFUSED,), _TRANSIENT,
        "nothing listens there: check host and port in {server}, and that Atlas runs"),
    HttpRule(_PURVIEW, (_REASON.REFUSED,), _TRANSIENT,
        "nothing listens there: check {server}, and that a firewall lets HTTPS through"),
    HttpRule(_NOT_PURVIEW, (_REASON.NO_HOST,), _TRANSIENT, "there is no such host: check {server}"),
    HttpRule(_PURVIEW, (_REASON.NO_HOST,), _TRANSIENT,
        "there is no such host: check {server}; with a private endpoint this machine's DNS must know it"),
    HttpRule(_NOT_PURVIEW, (_REASON.TIMEOUT,), _TRANSIENT,
        "no answer in time: check {server} and the server's load, or increase {timeout}"),
    HttpRule(_PURVIEW, (_REASON.TIMEOUT,), _TRANSIENT,
        "no answer in time: check that this machine's network reaches it (firewall, private endpoint), or increase {timeout}"),
    HttpRule(_NOT_PURVIEW, (_REASON.NO_HTTP,), _ACT, "no HTTP answer ({detail}): is {server} an https:// address?"),
    HttpRule(_PURVIEW, (_REASON.NO_HTTP,), _ACT, "no HTTP answer ({detail}): check {server}, and what stands between"),
    HttpRule(_DATA_MAP, (_REASON.OTHER,), _TRANSIENT, "{detail}: it will be retried"),
    HttpRule(_ANY, (_REASON.OTHER,), _TRANSIENT, "{detail}: check the server's log, and proxies and firewalls on the way"),
    # ---- a page in front of the server
    HttpRule(_NOTIFY, _SUCCESS, _TRANSIENT,
        "the server answered with a web page, not as Atlas: check whether a log-in page or proxy is in between, and set "
        "{login}"),
    HttpRule(_EVENTS, _SUCCESS, _TRANSIENT,
        "a web page answered: check {server}, and whether a log-in page or proxy is in between",
        when=lambda _, answer: answer.is_foreign),
    HttpRule(_DATA_MAP, _SUCCESS, _TRANSIENT,
        "a web page answered, not Purview: check {server}, and whether a log-in page or proxy is in between",
        when=lambda _, answer: answer.is_foreign),
    HttpRule(_NOT_PURVIEW, REDIRECTIONS, _TRANSIENT,
        _TO_LOGIN + "{login_fix}, or give an address without log-in page in {server}",
        when=lambda _, answer: answer.leads_to_login),
    HttpRule(_PURVIEW, REDIRECTIONS, _TRANSIENT,
        _TO_LOGIN + "check {server} and {login}", when=lambda _, answer: answer.leads_to_login),
    HttpRule(_NOT_PURVIEW, REDIRECTIONS, _ACT,
        "it redirects to {location}: give that address in {server}, or both addresses if both serve"),
    HttpRule(_PURVIEW, REDIRECTIONS, _ACT, "it redirects to {location}: check {server}"),
    # ---- Atlas
    HttpRule(_NOTIFY, (400,), _ACT,
        "the server has no topic {topic}: set atlas.notification.hook.topic.name", words=("ATLAS-400-00-101",)),
    HttpRule(_NOTIFY, (400,), _REJECTED, "the server rejects the message: see its log"),
    HttpRule(_NOTIFY, (401,), _ACT, "the login is refused: {login_fix}"),
    HttpRule(_QUERY, (401,), _ACT, "login rejected: {login_fix}", when=lambda attempt, _: bool(attempt.server.secrets)),
    HttpRule(_QUERY, (401,), _ACT, "login missing: {login_fix}"),
    HttpRule(_NOTIFY, (403,), _ACT, "this user may not post notifications: give it the privilege service-notification-post"),
    # Privileges: Atlas' `org.apache.atlas.authorize.AtlasPrivilege`.
    HttpRule(_QUERY, (403,), _ACT,
        "the user may not change types: grant the privileges type-create and type-update",
        when=lambda attempt, _: attempt.path.startswith(TYPEDEFS) and attempt.method != "GET"),
    HttpRule(_QUERY, (403,), _ACT,
        "the user may not read types: grant the privilege type-read", when=lambda attempt, _: attempt.path.startswith(TYPEDEFS)),
    HttpRule(_QUERY, (403,), _ACT, "the user may not read entities: grant the privilege entity-read"),
    HttpRule(_NOTIFY, (404,), _ACT,
        f"{_NO_ENDPOINT}; Atlas 2.4 or newer has one. If its consumer is a separate service, set its address in {{server}}, "
        "with port and path, as in https://HOST:41000/rest; else set atlas.client.type = kafka"),
    HttpRule(_QUERY, (404,), _ACT, "not an Atlas server, or {server} has a wrong path: give the part before /api/atlas"),
    HttpRule(_NOTIFY, (405,), _ACT, f"{_NO_ENDPOINT}: check {{server}}, or set atlas.client.type = kafka"),
    HttpRule(_NOT_PURVIEW, (407,), _TRANSIENT,
        "the proxy requires a login: add it to the proxy's address (http_proxy, https_proxy)"),
    HttpRule(_NOTIFY, (413,), _REJECTED, "the message is too large: lower atlas.notification.message.max.length.bytes"),
    HttpRule(_NOTIFY, (415,), _ACT, "the endpoint does not accept JSON: check {server}"),
    HttpRule(_NOTIFY, (429,), _TRANSIENT, "the server asks for fewer requests: no action needed"),
    HttpRule(_QUERY, (429,), _TRANSIENT, "too many requests: try again {later}"),
    HttpRule(_NOTIFY, _SERVER, _TRANSIENT,
        "the server's Kafka did not accept it: see the server's log", words=("ATLAS-500-00-018",)),
    HttpRule(_NOTIFY, (500,), _TRANSIENT,
        "the server failed: see its log; a server before Atlas 2.4, which has no notification endpoint, may answer like this"),
    HttpRule(_NOTIFY, _SERVER, _TRANSIENT, "the server failed: see its log"),
    HttpRule(_QUERY, (502,), _TRANSIENT, "the gateway cannot reach the server: check that the server runs"),
    HttpRule(_QUERY, (503,), _TRANSIENT, "the server is starting, passive or overloaded: try again {later}"),
    HttpRule(_QUERY, (504,), _TRANSIENT, "the gateway got no answer from the server in time: check the server's load"),
    HttpRule(_QUERY, _SERVER, _TRANSIENT, "server error: see its log"),
    HttpRule(_NOTIFY, _STATUS, _ACT, "the server does not accept messages: see its log"),
    HttpRule(_QUERY, _STATUS, _ACT, "the server rejects the request: see its log"),
    # ---- receivers of OpenLineage events
    HttpRule(_EVENTS, (401,), _ACT, "the login is refused: check {login}"),
    HttpRule(_EVENTS, (403,), _ACT, "this login may not post events: give it the right to, or check {login}"),
    HttpRule(_EVENTS, (404, 405), _ACT, "it receives no events there: check {server}"),
    HttpRule(_EVENTS, (413,), _REJECTED, "the event is too large: lower atlas.notification.message.max.length.bytes"),
    HttpRule(_EVENTS, (415,), _ACT, "the endpoint does not accept JSON: check {server}"),
    HttpRule(_EVENTS, _BUSY, _TRANSIENT, "the receiver asks for fewer requests: no action needed"),
    HttpRule(_EVENTS, range(400, 500), _REJECTED, "the receiver rejects the event: see its log"),
    HttpRule(_EVENTS, _SERVER, _TRANSIENT, "the receiver failed: see its log"),
    HttpRule(_EVENTS, _STATUS, _ACT, "the receiver does not accept events: see its log"),
    # ---- Purview
    HttpRule(_DATA_MAP, (404,), _REJECTED, _MISSING_REFERENCE, when=lambda attempt, _: attempt.is_of_entity),
    HttpRule(_DATA_MAP, (400, 403, 404), _ACT,
        f"{COLLECTION} is not known there, or not open to this log-in: give the collection's id, not the name that is shown "
        "(the address of its page ends in it), and the role Data Curator on it", words=("collection",), when=_is_of_collection),
    HttpRule(_DATA_MAP, _BAD, _REJECTED,
        "the account does not know the type: add it (sac-kafka types apply), or set "
        "atlas.hook.spark.purview.process.types = built-in", words=(UNKNOWN_TYPE,)),
    HttpRule(_DATA_MAP, _BAD, _REJECTED, _MISSING_REFERENCE, words=("ATLAS-404-00-00A", "ATLAS-404-00-005", "ATLAS-404-00-009")),
    HttpRule(_DATA_MAP, _BAD, _REJECTED,
        "its inputs and outputs must be of types below DataSet: correct the mapping that named them",
        words=("ATLAS-400-00-036",)),
    HttpRule(_DATA_MAP, (401,), _ACT, "the token is refused: check {login}"),
    HttpRule(_PURVIEW, (403,), _ACT,
        "a firewall or the account's network settings keep this machine out: allow its network, or give it a private endpoint",
        words=_FIREWALL),
    HttpRule(_DATA_MAP, (403,), _ACT,
        "this log-in may not write: give it the role Data Curator on the collection (the root one where "
        f"{COLLECTION} is not set), and on those of the assets that it has lineage of; if it has that role, check the account's "
        "network settings"),
    HttpRule(_TYPES, (403,), _ACT, "this identity may not change types: grant it the role Data Curator on the root collection"),
    HttpRule(_DATA_MAP, (405,), _ACT, "there is no Data Map: check {server}"),
    HttpRule(_DATA_MAP, _BUSY, _TRANSIENT, "Purview asks for fewer requests: no action needed"),
    HttpRule(_DATA_MAP, (413,), _REJECTED, "the request is too large: lower atlas.notification.message.max.length.bytes"),
    HttpRule(_DATA_MAP, (409,), _TRANSIENT, "another client changes the same entity: it will be retried"),
    HttpRule(_DATA_MAP, (504,), _TRANSIENT, "Purview took too long: lower atlas.notification.message.max.length.bytes"),
    HttpRule(_PURVIEW, (404,), _ACT,
        f"there is no Data Map: check {{server}}; it is {EXAMPLE}, without a path",
        when=lambda _, answer: is_no_data_map(answer)),
    HttpRule(_DATA_MAP, _SERVER, _TRANSIENT, "Purview failed: no action needed, it will be retried"),
    HttpRule(_DATA_MAP, (*_SUCCESS, *_BAD), _REJECTED, "Purview does not accept it: see its message"),
    HttpRule(_DATA_MAP, _STATUS, _ACT, "Purview does not accept it: see its message"),
    HttpRule(_TYPES, (401,), _ACT,
        "token rejected: check the login (atlas.hook.spark.entra.*, AZURE_CLIENT_ID …, or a token in ATLAS_TOKEN)"),
    HttpRule(_TYPES, _STATUS, _REJECTED, "Purview rejects a type definition: see its message", words=("ATLAS-400-00-01A",)),
    HttpRule(_TYPES, _STATUS, _REJECTED,
        "Purview rejects a relationship definition: the types of its ends must exist and be entity types",
        words=("ATLAS-400-00-036",)),
    HttpRule(_TYPES, _STATUS, _REJECTED,
        "a type refers to another type that does not exist: apply its family, too", words=(UNKNOWN_TYPE,)),
    HttpRule(_TYPES, _STATUS, _TRANSIENT, "another client has just created the type: try again", words=("ATLAS-409-00-001",)),
    HttpRule(_TYPES, _STATUS, _REJECTED,
        "the type is in use: attributes can be added, but not changed", words=("ATLAS-409-00-002",)),
    HttpRule(_TYPES, (429,), _TRANSIENT, "too many requests: try again in a few minutes"),
    HttpRule(_TYPES, _SERVER, _TRANSIENT, "Purview server error: try again"),
    HttpRule(_TYPES, _STATUS, _REJECTED, "Purview rejects the request"),
)  # fmt: skip
"""Meanings of failures: the first one that matches applies."""


def explain_no_answer(attempt: HttpAttempt, error: UnansweredError) -> Refusal:
    """Explain a request without a response."""
    rule = _rule(attempt, error.reason)
    proxy = proxy_of(attempt.server.address)
    if proxy is not None and error.reason in (UnansweredReason.REFUSED, UnansweredReason.NO_HOST):
        text = f"its proxy {proxy} cannot be reached: correct http_proxy or https_proxy, or add the server to no_proxy"
    else:
        text = rule.sentence.format(detail=attempt.mask(error.detail), **_names(attempt)) + attempt.proxy_hint
    failure = Failure(rule.kind, f"{attempt.place}: {text}")
    is_slow = error.reason is UnansweredReason.TIMEOUT
    return Refusal(failure, error.reason.name.lower(), other=True, is_slow=is_slow)


def explain_answer(attempt: HttpAttempt, answer: Answer) -> Refusal | None:
    """Explain a response; None for a success."""
    if _is_success(attempt, answer):
        return None
    status, is_page = answer.status, answer.is_foreign or answer.leads_to_login
    is_of_purview = attempt.use in _PURVIEW
    text = " ".join(error_of(answer)).strip() if is_of_purview else ""
    text = text or answer.error_text
    rule = _rule(attempt, status, text.lower(), answer)
    pause = retry_after_of(answer) if status in _BUSY or status >= 500 else 0.0
    sentence = rule.sentence.format(
        topic=attempt.topic,
        location=answer.location,
        login_fix=attempt.login_fix(answer),
        later=f"in {pause:.0f} s" if pause else "later",
        **_names(attempt),
    )
    who = "Purview" if is_of_purview else "the server"
    suffix = f" ({who} says: {attempt.mask(text)[:_MAX_SHOWN]})" if text else attempt.proxy_hint
    reason = f"{attempt.method} {attempt.place}: HTTP {status}: {sentence}{suffix}".lstrip()
    return Refusal(
        Failure(rule.kind, reason, is_ambiguous=status in _AMBIGUOUS.get(attempt.use, ())),
        "log-in page" if is_page else f"http {status}",
        other=is_page or status >= 500 or status in REDIRECTIONS,
        pause_seconds=pause,
        is_slow=is_page or status in _BUSY,
    )


def retry_after_of(answer: Answer) -> float:
    """Return `Retry-After` in seconds, 0.0 if absent: a number, fractional at some servers, or a date (RFC 9110, 10.2.3)."""
    text = answer.headers.get("retry-after", "").strip()[:_MAX_DATE_LENGTH]
    seconds, _, fraction = text.partition(".")
    if seconds.isdecimal() and (not fraction or fraction.isdecimal()):
        return min(float(text), _MAX_PAUSE_SECONDS)
    try:
        at = email.utils.parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return 0.0
    return min(max(0.0, at - time.time()), _MAX_PAUSE_SECONDS)


def _is_success(attempt: HttpAttempt, answer: Answer) -> bool:
    """Return whether a request succeeded; commands check the content themselves."""
    if attempt.use is Use.EVENTS:  # Some receivers answer in plain text.
        return answer.is_success and "html" not in answer.headers.get("content-type", "").lower()
    if attempt.use is Use.DATA_MAP and error_of(answer)[0]:  # A successful response may contain an error, too.
        return False
    return answer.is_success and not (answer.is_foreign and attempt.use in _SINKS)


def _rule(
    attempt: HttpAttempt, cause: int | UnansweredReason, text: str = "", answer: Answer | None = None
) -> HttpRule:
    return next(rule for rule in FAILURES if rule.matches(attempt, cause, text, answer))


def _names(attempt: HttpAttempt) -> dict[str, str]:
    names = attempt.names
    return {"server": names.server, "ca_file": names.ca_file, "login": names.login, "timeout": names.timeout}
