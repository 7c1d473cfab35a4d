"""Explain responses of Atlas' notification endpoint, or their absence, in one sentence that ends in the fix."""

from __future__ import annotations

import email.utils
import time

from sac_kafka.masking import MASK, mask_text
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.http.addresses import proxy_of
from sac_kafka.transport.http.client import REDIRECTIONS, Answer, HttpServer, UnansweredError, UnansweredReason
from sac_kafka.transport.http.posting import Refusal

_ADDRESS = "atlas.rest.address"
_BASIC = "atlas.rest.basic.auth.username and atlas.rest.basic.auth.password"
_BEARER = "atlas.hook.spark.rest.token"
_LOGIN = f"{_BASIC}, or {_BEARER}"
_KERBEROS = "; the server offers Kerberos only (Negotiate), which rest does not support: use atlas.client.type = kafka"
_NOTIFICATION_EXCEPTION = "ATLAS-500-00-018"  # Of AtlasErrorCode; also for a message that is too large.
_PAGE = (
    "the server answered with a web page, not as Atlas: check whether a log-in page or proxy is in between, and set "
    f"{_LOGIN}"
)
_TO_LOGIN = (
    f"it redirects to the log-in page {{location}}: {{fix}}, or give an address without log-in page in {_ADDRESS}"
)
_INVALID_TOPIC_NAME = "ATLAS-400-00-101"  # Of AtlasErrorCode.
_MAX_PAUSE_SECONDS = 600.0
_MAX_DATE_LENGTH = 60


_UNANSWERED: dict[UnansweredReason, tuple[FailureKind, str]] = {
    UnansweredReason.CERTIFICATE: (
        FailureKind.NEEDS_ACTION,
        "its certificate is not trusted ({detail}): name the authority's PEM in atlas.hook.spark.rest.ca.file",
    ),
    UnansweredReason.TLS: (FailureKind.NEEDS_ACTION, f"no TLS ({{detail}}): is {_ADDRESS} an http:// address?"),
    UnansweredReason.REFUSED: (
        FailureKind.TRANSIENT,
        f"nothing listens there: check host and port in {_ADDRESS}, and that Atlas runs",
    ),
    UnansweredReason.NO_HOST: (FailureKind.TRANSIENT, f"there is no such host: check {_ADDRESS}"),
    UnansweredReason.TIMEOUT: (
        FailureKind.TRANSIENT,
        f"no answer in time: check {_ADDRESS} and the server's load, or raise atlas.hook.spark.rest.timeout.seconds",
    ),
    UnansweredReason.NO_HTTP: (
        FailureKind.NEEDS_ACTION,
        f"no HTTP answer ({{detail}}): is {_ADDRESS} an https:// address?",
    ),
    UnansweredReason.OTHER: (FailureKind.TRANSIENT, "{detail}: check the server's log"),
}
_REFUSED: dict[int, tuple[FailureKind, str]] = {
    400: (FailureKind.REJECTED, "the server rejects the message: see its log"),
    403: (
        FailureKind.NEEDS_ACTION,
        "this user may not post notifications: give it the privilege service-notification-post",
    ),
    404: (
        FailureKind.NEEDS_ACTION,
        f"there is no notification endpoint; Atlas 2.4 or newer has one. If its consumer is a separate service, set "
        f"its address in {_ADDRESS}, with port and path, as in https://HOST:41000/rest; else set atlas.client.type = kafka",
    ),
    405: (
        FailureKind.NEEDS_ACTION,
        f"there is no notification endpoint: check {_ADDRESS}, or set atlas.client.type = kafka",
    ),
    407: (FailureKind.TRANSIENT, "a proxy requires a log-in: give it in the proxy's address (http_proxy, https_proxy)"),
    413: (FailureKind.REJECTED, "the message is too large: lower atlas.notification.message.max.length.bytes"),
    415: (FailureKind.NEEDS_ACTION, f"the endpoint does not accept JSON: check {_ADDRESS}"),
    429: (FailureKind.TRANSIENT, "the server asks for fewer requests: no action needed"),
}


def proxy_hint(proxy: str | None) -> str:
    """Return the suffix of an error that the proxy may have caused; "" without a proxy."""
    if proxy is None:
        return ""
    return f"; the request went through the proxy {proxy} of the environment: check it, or add the server to no_proxy"


def proxy_problem(proxy: str | None, reason: UnansweredReason) -> str | None:
    """Return the error if the proxy itself cannot be reached, else None."""
    if proxy is None or reason not in (UnansweredReason.REFUSED, UnansweredReason.NO_HOST):
        return None
    return f"its proxy {proxy} cannot be reached: correct http_proxy or https_proxy, or add the server to no_proxy"


def explain_no_answer(server: HttpServer, error: UnansweredError) -> Refusal:
    """Explain a request without a response."""
    failure_kind, sentence = _UNANSWERED[error.reason]
    proxy = proxy_of(server.address)
    text = sentence.format(detail=_masked(server, error.detail)) + proxy_hint(proxy)
    missing = proxy_problem(proxy, error.reason)
    return Refusal(
        Failure(failure_kind, f"{server.address}: {missing or text}"),
        error.reason.name.lower(),
        True,
        is_slow=error.reason is UnansweredReason.TIMEOUT,
    )


def explain_answer(server: HttpServer, topic: str, answer: Answer) -> Refusal | None:
    """Explain a response, None if it is a success."""
    address, by_proxy = server.address, proxy_hint(proxy_of(server.address)) if not answer.is_success else ""
    if answer.is_foreign:
        return refusal_by_page(f"{address}: HTTP {answer.status}: {_PAGE}{proxy_hint(proxy_of(address))}")
    if answer.is_success:
        return None
    if answer.leads_to_login:
        text = _TO_LOGIN.format(location=answer.location, fix=_login_fix(server, answer))
        return refusal_by_page(f"{address}: {text}{by_proxy}")
    kind, error_text = f"http {answer.status}", _masked(server, answer.error_text)
    if answer.status in REDIRECTIONS:
        sentence = (
            f"it redirects to {answer.location}: give that address in {_ADDRESS}, or both addresses if both serve"
        )
        sentence += by_proxy
        return Refusal(Failure(FailureKind.NEEDS_ACTION, f"{address}: {sentence}"), kind, other=True)
    if answer.status == 400 and _INVALID_TOPIC_NAME in error_text:
        failure_kind, sentence = (
            FailureKind.NEEDS_ACTION,
            f"the server has no topic {topic}: set atlas.notification.hook.topic.name",
        )
    elif answer.status == 401:
        failure_kind, sentence = FailureKind.NEEDS_ACTION, f"the login is refused: {_login_fix(server, answer)}"
    elif answer.status in _REFUSED:
        failure_kind, sentence = _REFUSED[answer.status]
    elif answer.status >= 500 and _NOTIFICATION_EXCEPTION in error_text:
        failure_kind, sentence = FailureKind.TRANSIENT, "the server's Kafka did not accept it: see the server's log"
    elif answer.status == 500:
        fix = "see its log; a server before Atlas 2.4, which has no notification endpoint, may answer like this"
        failure_kind, sentence = FailureKind.TRANSIENT, f"the server failed: {fix}"
    elif answer.status >= 500:
        failure_kind, sentence = FailureKind.TRANSIENT, "the server failed: see its log"
    else:
        failure_kind, sentence = FailureKind.NEEDS_ACTION, "the server does not accept messages: see its log"
    suffix = f" (the server says: {error_text})" if error_text else by_proxy
    is_busy = answer.status == 429 or answer.status >= 500
    return Refusal(
        # 502 to 504 come from a proxy, so the message is not the cause.
        Failure(
            failure_kind, f"{address}: HTTP {answer.status}: {sentence}{suffix}", is_ambiguous=answer.status == 500
        ),
        kind,
        other=answer.status >= 500,
        pause_seconds=retry_after_of(answer) if is_busy else 0.0,
        is_slow=answer.status == 429,
    )


def _login_fix(server: HttpServer, answer: Answer) -> str:
    """Return how to correct the credentials that were refused, or are missing."""
    if server.token:
        fix = f"the token of {_BEARER} is not accepted, perhaps because it has expired: set a new one"
    elif server.user is not None:
        fix = f"user and password are not accepted: correct {_BASIC}"
    else:
        fix = f"no log-in is configured: set {_LOGIN}"
    return f"{fix}{_KERBEROS if answer.wants_kerberos else ''}"


def _masked(server: HttpServer, text: str) -> str:
    """Return a text of the server with the credentials masked."""
    for secret in server.secrets:
        text = text.replace(secret, MASK)
    return mask_text(text)


def refusal_by_page(reason: str) -> Refusal:
    """Return the refusal by a page in front of the server: the same message may succeed once that page is gone."""
    return Refusal(Failure(FailureKind.TRANSIENT, reason), "log-in page", other=True, is_slow=True)


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
