"""What an answer of an Atlas server, or none, means to who asked: address, status, and a sentence that ends in a cure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.asking.words import Words
from sac_kafka.config.secrets import MASK, mask_text
from sac_kafka.errors import SacKafkaError
from sac_kafka.transport.http import REDIRECTIONS, Answer, UnansweredError, Why, shown_address
from sac_kafka.transport.proxies import no_proxy_there, through
from sac_kafka.transport.rest_errors import pause_of

TYPEDEFS = "/api/atlas/v2/types/typedefs"

UNANSWERED: Mapping[Why, str] = {
    Why.CERTIFICATE: "its certificate is not trusted ({detail}): name the authority's PEM by {ca_file}",
    Why.TLS: "no TLS ({detail}): is it an http:// address?",
    Why.REFUSED: "nothing listens there: check host and port of {server}, and that the server runs",
    Why.NO_HOST: "there is no such host: check {server}",
    Why.TIMEOUT: "no answer within {timeout:.3g} s: check {server} and the server's load, or give more by {more}",
    Why.NO_HTTP: "no HTTP answer ({detail}): is it an https:// address?",
    Why.OTHER: "it cannot be asked ({detail}): check {server} and what stands between",
}
_REFUSED: Mapping[int, str] = {
    404: "this is no Atlas server, or {server} has a wrong path: give the part before /api/atlas",
    407: "a proxy wants a log-in: give it in the proxy's address (http_proxy, https_proxy)",
    429: "it asks for fewer requests: run it again {later}",
    502: "a gateway answers in its place: check that the server runs",
    503: "it is starting, passive or overloaded: run it again {later}",
    504: "a gateway answers in its place, which has waited too long: check the server's load",
}
_FORBIDDEN: tuple[tuple[str, bool, str], ...] = (
    (TYPEDEFS, True, "the user may not change types: give it the privileges type-create and type-update"),
    (TYPEDEFS, False, "the user may not read types: give it the privilege type-read"),
    ("", False, "the user may not look: give it the privilege entity-read"),
)
"""Path, whether it is changed, cure. Source of the names: Atlas' `org.apache.atlas.authorize.AtlasPrivilege`."""
_KERBEROS = "; Kerberos (SPNEGO) is not spoken here"
_SHOWN_BYTES = 80
_NO_CONTENT = 204


class RestError(SacKafkaError):
    """The server did not do what was asked; the message names the address, what happened and the cure.

    `status` is that of its answer, None where there was none; `code` Atlas' own code of the error, "" without one;
    `is_elsewhere` says that another address of the same server may do.
    """

    def __init__(self, text: str, status: int | None = None, *, code: str = "", is_elsewhere: bool = False) -> None:
        super().__init__(text)
        self.status = status
        self.code = code
        self.is_elsewhere = is_elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, as far as errors speak of it: `proxy` is what it goes through; `secrets` are never shown."""

    method: str
    address: str
    path: str
    words: Words
    timeout_seconds: float
    proxy: str | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)
    kind: str = "an Atlas server"

    @property
    def place(self) -> str:
        """The address with the path, without parameters, which are long and say nothing of what is wrong."""
        return f"{shown_address(self.address)}{self.path.partition('?')[0]}"

    def without_secrets(self, text: str) -> str:
        """Give a text without the log-in, should a server repeat it."""
        for each in self.secrets:
            text = text.replace(each, MASK)
        return mask_text(text)


def of_none(asked: Question, error: UnansweredError, cures: Mapping[Why, str] = UNANSWERED) -> RestError:
    """Explain that there was no answer."""
    words = asked.words
    cure = cures[error.why].format(
        detail=asked.without_secrets(error.detail),
        server=words.server,
        ca_file=words.ca_file,
        timeout=asked.timeout_seconds,
        more=words.timeout,
    )
    if (missing := no_proxy_there(asked.proxy, error.why)) is not None:
        return RestError(f"{asked.place}: {missing}", is_elsewhere=True)
    return RestError(f"{asked.place}: {cure}{through(asked.proxy)}", is_elsewhere=True)


def of_answer(asked: Question, answer: Answer) -> RestError | None:
    """Explain an answer, None where it is one of success."""
    status = answer.status
    if answer.is_success:
        return None
    said = asked.without_secrets(answer.said)
    if status in REDIRECTIONS:
        cure = f"it redirects to {answer.location}: give that address by {asked.words.server}, or log in"
    elif status == 401:
        what = "the log-in is refused: correct" if asked.secrets else "the log-in is missing: give"
        cure = f"{what} {asked.words.login}{_KERBEROS if answer.wants_kerberos else ''}"
    elif status == 403:
        is_change = asked.method != "GET"
        cure = next(each for path, changes, each in _FORBIDDEN if asked.path.startswith(path) and changes <= is_change)
    elif status in _REFUSED:
        pause = pause_of(answer)
        later = f"in {pause:.0f} s" if pause else "a little later"
        cure = _REFUSED[status].format(server=asked.words.server, later=later)
    else:
        cure = "the server is in trouble: see its log" if status >= 500 else "it does not take this: see its log"
    heard = f" (the server says: {said})" if said else through(asked.proxy)
    return RestError(
        f"{asked.method} {asked.place}: HTTP {status}: {cure}{heard}",
        status,
        code=answer.said.partition(" ")[0],
        is_elsewhere=status >= 500 or status in REDIRECTIONS,
    )


def object_of(asked: Question, answer: Answer) -> dict[str, Any]:
    """Give the JSON object of an answer of success; {} of one that says to have no body.

    Raises:
        RestError: It is none.
    """
    try:
        found = {} if answer.status == _NO_CONTENT else json.loads(answer.body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        shown = asked.without_secrets(answer.body[:_SHOWN_BYTES].decode("utf-8", "replace").strip())
        raise RestError(
            f"{asked.place}: HTTP {answer.status}: the answer is not a JSON object but {repr(shown) if shown else 'empty'}: "
            f"is this {asked.kind}, or a login page? Check {asked.words.server}{through(asked.proxy)}",
            answer.status,
            is_elsewhere=answer.is_foreign,
        )
    return found
