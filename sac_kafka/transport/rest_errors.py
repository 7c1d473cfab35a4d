"""What an answer of Atlas' notification endpoint, or none, means for the messages: one sentence that ends in a cure."""

from __future__ import annotations

import email.utils
import time

from sac_kafka.config.secrets import MASK, mask_text
from sac_kafka.transport.base import Failure, Trouble
from sac_kafka.transport.http import REDIRECTIONS, Answer, HttpServer, UnansweredError, Why
from sac_kafka.transport.posting import Refusal
from sac_kafka.transport.proxies import no_proxy_there, proxy_of, through

_ADDRESS = "atlas.rest.address"
_BASIC = "atlas.rest.basic.auth.username and atlas.rest.basic.auth.password"
_BEARER = "atlas.hook.spark.rest.token"
_LOGIN = f"{_BASIC}, or {_BEARER}"
_KERBEROS = "; the server offers Kerberos alone (Negotiate), which rest does not speak: use atlas.client.type = kafka"
_NOT_TAKEN_BY_KAFKA = "ATLAS-500-00-018"  # AtlasErrorCode.NOTIFICATION_EXCEPTION: also of a message that is too large
_PAGE = (
    "the server answered with a web page, not as Atlas: check whether a log-in page or proxy is in between, and set "
    f"{_LOGIN}"
)
_TO_LOGIN = f"it redirects to the log-in page {{location}}: {{cure}}, or give an address that needs none in {_ADDRESS}"
_WRONG_TOPIC = "ATLAS-400-00-101"  # AtlasErrorCode.INVALID_TOPIC_NAME
_LONGEST_PAUSE_SECONDS = 600.0
_LONGEST_DATE = 60


_UNANSWERED: dict[Why, tuple[Trouble, str]] = {
    Why.CERTIFICATE: (
        Trouble.BLOCKED,
        "its certificate is not trusted ({detail}): name the authority's PEM in atlas.hook.spark.rest.ca.file",
    ),
    Why.TLS: (Trouble.BLOCKED, f"no TLS ({{detail}}): is {_ADDRESS} an http:// address?"),
    Why.REFUSED: (Trouble.PASSING, f"nothing listens there: check host and port in {_ADDRESS}, and that Atlas runs"),
    Why.NO_HOST: (Trouble.PASSING, f"there is no such host: check {_ADDRESS}"),
    Why.TIMEOUT: (
        Trouble.PASSING,
        f"no answer in time: check {_ADDRESS} and the server's load, or raise atlas.hook.spark.rest.timeout.seconds",
    ),
    Why.NO_HTTP: (Trouble.BLOCKED, f"no HTTP answer ({{detail}}): is {_ADDRESS} an https:// address?"),
    Why.OTHER: (Trouble.PASSING, "{detail}: check the server's log"),
}
_REFUSED: dict[int, tuple[Trouble, str]] = {
    400: (Trouble.REJECTED, "the server does not take the message: see its log"),
    403: (Trouble.BLOCKED, "this user may not post notifications: give it the privilege service-notification-post"),
    404: (
        Trouble.BLOCKED,
        f"there is no notification endpoint; Atlas 2.4 or newer has one. Where its consumer is a service of its own give "
        f"that in {_ADDRESS}, with port and path, as in https://HOST:41000/rest; else set atlas.client.type = kafka",
    ),
    405: (Trouble.BLOCKED, f"there is no notification endpoint: check {_ADDRESS}, or set atlas.client.type = kafka"),
    407: (Trouble.PASSING, "a proxy wants a log-in: give it in the proxy's address (http_proxy, https_proxy)"),
    413: (Trouble.REJECTED, "the message is too large: lower atlas.notification.message.max.length.bytes"),
    415: (Trouble.BLOCKED, f"the endpoint takes no JSON: check {_ADDRESS}"),
    429: (Trouble.PASSING, "the server asks for fewer requests: nothing needs to be done"),
}


def of_none(server: HttpServer, error: UnansweredError) -> Refusal:
    """Explain that there was no answer."""
    trouble, sentence = _UNANSWERED[error.why]
    proxy = proxy_of(server.address)
    text = sentence.format(detail=_masked(server, error.detail)) + through(proxy)
    missing = no_proxy_there(proxy, error.why)
    return Refusal(
        Failure(trouble, f"{server.address}: {missing or text}"),
        error.why.name.lower(),
        True,
        is_slow=error.why is Why.TIMEOUT,
    )


def of_answer(server: HttpServer, topic: str, answer: Answer) -> Refusal | None:
    """Explain an answer, None where it is one of success."""
    address, by_proxy = server.address, through(proxy_of(server.address)) if not answer.is_success else ""
    if answer.is_foreign:
        return foreign(f"{address}: HTTP {answer.status}: {_PAGE}{through(proxy_of(address))}")
    if answer.is_success:
        return None
    if answer.leads_to_login:
        text = _TO_LOGIN.format(location=answer.location, cure=_login_cure(server, answer))
        return foreign(f"{address}: {text}{by_proxy}")
    kind, said = f"http {answer.status}", _masked(server, answer.said)
    if answer.status in REDIRECTIONS:
        sentence = f"it redirects to {answer.location}: give that address in {_ADDRESS}, beside this one if both serve"
        sentence += by_proxy
        return Refusal(Failure(Trouble.BLOCKED, f"{address}: {sentence}"), kind, other=True)
    if answer.status == 400 and _WRONG_TOPIC in said:
        trouble, sentence = Trouble.BLOCKED, f"the server has no topic {topic}: set atlas.notification.hook.topic.name"
    elif answer.status == 401:
        trouble, sentence = Trouble.BLOCKED, f"the login is refused: {_login_cure(server, answer)}"
    elif answer.status in _REFUSED:
        trouble, sentence = _REFUSED[answer.status]
    elif answer.status >= 500 and _NOT_TAKEN_BY_KAFKA in said:
        trouble, sentence = Trouble.PASSING, "the server's Kafka did not take it: see the server's log"
    elif answer.status == 500:
        cure = "see its log; before Atlas 2.4 there is no notification endpoint, and a server may say so by this"
        trouble, sentence = Trouble.PASSING, f"the server is in trouble: {cure}"
    elif answer.status >= 500:
        trouble, sentence = Trouble.PASSING, "the server is in trouble: see its log"
    else:
        trouble, sentence = Trouble.BLOCKED, "the server does not take messages: see its log"
    heard = f" (the server says: {said})" if said else by_proxy
    is_busy = answer.status == 429 or answer.status >= 500
    return Refusal(
        # 502 to 504 are a proxy's, and say nothing of the message.
        Failure(trouble, f"{address}: HTTP {answer.status}: {sentence}{heard}", is_ambiguous=answer.status == 500),
        kind,
        other=answer.status >= 500,
        pause_seconds=pause_of(answer) if is_busy else 0.0,
        is_slow=answer.status == 429,
    )


def _login_cure(server: HttpServer, answer: Answer) -> str:
    """Return what to do about a log-in that was tried, or that is missing."""
    if server.token:
        cure = f"the token of {_BEARER} is not taken, perhaps because it has expired: set a new one"
    elif server.user is not None:
        cure = f"user and password are not taken: correct {_BASIC}"
    else:
        cure = f"nobody logs in: set {_LOGIN}"
    return f"{cure}{_KERBEROS if answer.wants_kerberos else ''}"


def _masked(server: HttpServer, text: str) -> str:
    """Return a text of the server without the log-in, should it repeat that."""
    for secret in server.secrets:
        text = text.replace(secret, MASK)
    return mask_text(text)


def foreign(reason: str) -> Refusal:
    """Refuse what something in front of the server has answered: the same message may get through once that is gone."""
    return Refusal(Failure(Trouble.PASSING, reason), "log-in page", other=True, is_slow=True)


def pause_of(answer: Answer) -> float:
    """Read `Retry-After`: seconds, with a fraction at some servers, or a date (RFC 9110, 10.2.3); 0.0 for nothing."""
    text = answer.headers.get("retry-after", "").strip()[:_LONGEST_DATE]
    seconds, _, fraction = text.partition(".")
    if seconds.isdecimal() and (not fraction or fraction.isdecimal()):
        return min(float(text), _LONGEST_PAUSE_SECONDS)
    try:
        at = email.utils.parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return 0.0
    return min(max(0.0, at - time.time()), _LONGEST_PAUSE_SECONDS)
