"""One client's connection: its requests are answered as the service answers them, or passed on to the broker."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from tests.live.event_hubs.login import MECHANISMS, RefusedError, log_in
from tests.live.event_hubs.namespace import Namespace, Visitor
from tests.live.event_hubs.publications import Produce, Publication, read_outcomes, refused, written_outcomes
from tests.live.event_hubs.wire import Api, Error, Reader, Request, array, data_of, numbers, string

VERSIONS: dict[Api, tuple[int, int]] = {
    # Versions of the service in logs of Java and Elixir clients that people published; no broker has Produce below 3.
    Api.PRODUCE: (3, 7),
    Api.FETCH: (4, 6),
    Api.LIST_OFFSETS: (1, 2),
    Api.METADATA: (0, 5),
    Api.FIND_COORDINATOR: (0, 1),  # by which librdkafka knows that a broker supports lz4
    Api.SASL_HANDSHAKE: (1, 1),  # 0 is offered too; no client needs it, and its login has no frames
    Api.API_VERSIONS: (0, 1),
    Api.INIT_PRODUCER_ID: (0, 1),
    Api.SASL_AUTHENTICATE: (0, 1),
}
BEFORE_LOGIN = frozenset({Api.API_VERSIONS, Api.SASL_HANDSHAKE, Api.SASL_AUTHENTICATE})
NODE = 0

PassOn = Callable[[bytes], Awaitable[bytes]]


class HangUp(Exception):  # noqa: N818 no error: what the service does without a word
    """The service closes the connection."""


class Session:
    """Answers requests.

    Args:
        namespace: Whose client it is.
        address: Host and port of all brokers, as clients see them.
        pass_on: Gives the broker's answer to a request: both without their lengths.
    """

    def __init__(self, namespace: Namespace, address: tuple[str, int], pass_on: PassOn) -> None:
        self._namespace = namespace
        self._address = address
        self._pass_on = pass_on
        self._mechanism = ""
        self._visitor: Visitor | None = None
        self._is_over = False

    async def answer(self, request: Request) -> bytes | None:
        """Give the answer with its header, None where none is wanted.

        Raises:
            HangUp: It does not exist, and the connection ends.
        """
        api = self._known(request)
        if api is None:
            return numbers("i", request.number) + _versions(Error.UNSUPPORTED_VERSION)
        if self._is_over or (self._visitor is None and api not in BEFORE_LOGIN):
            raise HangUp
        handler = _HANDLERS.get(api)
        if handler is None:
            return await self._pass_on(request.frame)
        body = await handler(self, request)
        return None if body is None else numbers("i", request.number) + body

    def _known(self, request: Request) -> Api | None:
        """Return the request's kind; None for a query of versions that is itself too new."""
        try:
            api = Api(request.api)
        except ValueError:
            raise HangUp from None
        self._namespace.seen.versions.setdefault(api.name, set()).add(request.version)
        first, last = VERSIONS[api]
        if first <= request.version <= last:
            return api
        if api is Api.API_VERSIONS:
            return None
        raise HangUp

    async def _api_versions(self, request: Request) -> bytes:
        throttle = numbers("i", 0) if request.version else b""
        return _versions(Error.NONE) + throttle

    async def _handshake(self, request: Request) -> bytes:
        self._mechanism = Reader(request.body).string() or ""
        is_known = self._mechanism in MECHANISMS
        error = Error.NONE if is_known else Error.UNSUPPORTED_SASL_MECHANISM
        return numbers("h", error) + array(map(string, MECHANISMS))

    async def _authenticate(self, request: Request) -> bytes:
        life = numbers("q", 0) if request.version else b""
        try:
            self._visitor = log_in(self._namespace, self._mechanism, Reader(request.body).data())
        except RefusedError as problem:
            self._is_over = True
            self._namespace.seen.counts["log-ins refused"] += 1
            # Bytes that are None are what the service sends, though Kafka's protocol has none here.
            return numbers("h", problem.error) + string(str(problem)) + data_of(None) + life
        self._namespace.seen.counts["log-ins"] += 1
        return numbers("h", Error.NONE) + string(None) + data_of(b"") + life

    async def _metadata(self, request: Request) -> bytes:
        version, reader = request.version, Reader(request.body)
        names = reader.array(lambda each: each.string() or "")
        if version >= 4 and names and reader.number("?"):
            self._namespace.seen.counts["requests to create event hubs"] += 1
        assert self._visitor is not None
        if not names and not self._visitor.may_list:
            raise HangUp
        if names is None or (version == 0 and not names):
            names = list(self._namespace.hubs)
        throttle = numbers("i", 0) if version >= 3 else b""
        rack = string(None) if version >= 1 else b""
        broker = numbers("i", NODE) + string(self._address[0]) + numbers("i", self._address[1]) + rack
        cluster = string(self._namespace.host) if version >= 2 else b""
        controller = numbers("i", NODE) if version >= 1 else b""
        topics = array(self._topic(name, version) for name in names)
        return throttle + array([broker]) + cluster + controller + topics

    def _topic(self, name: str, version: int) -> bytes:
        """Return an event hub by the requested name."""
        error = self._refusal(name)
        only = array([numbers("i", NODE)])
        partition = numbers("hii", Error.NONE, 0, NODE) + only + only + (array(()) if version >= 5 else b"")
        is_internal = numbers("?", 0) if version >= 1 else b""
        return numbers("h", error) + string(name) + is_internal + array(() if error else (partition,))

    def _refusal(self, name: str, right: str = "") -> Error:
        assert self._visitor is not None
        if self._visitor.hub.lower() not in ("", name.lower()) or not self._visitor.rights:
            return Error.TOPIC_AUTHORIZATION_FAILED
        if self._namespace.hub(name) is None:
            return Error.UNKNOWN_TOPIC_OR_PARTITION
        return Error.TOPIC_AUTHORIZATION_FAILED if right and not self._visitor.may(right, name) else Error.NONE

    async def _produce(self, request: Request) -> bytes | None:
        produce = Produce.read(request.body)
        errors = [self._error_of(each) for each in produce.publications]
        delay_ms = round(self._namespace.throttle_seconds * 1000)
        if delay_ms > produce.timeout_ms:  # not measured
            errors = [Error.POLICY_VIOLATION] * len(errors)
        elif delay_ms:
            self._namespace.seen.counts["throttled"] += 1
            await self._namespace.sleep(delay_ms / 1000)
        if any(errors):
            # One request has one batch of each partition, and clients of the hook have one partition a request.
            pairs = zip(produce.publications, errors, strict=True)
            outcomes = [refused(each, error or Error.POLICY_VIOLATION) for each, error in pairs]
        else:
            names = [self._namespace.hub(each.hub) or "" for each in produce.publications]
            frame = request.frame.removesuffix(request.body) + produce.renamed(names).written()
            answer = await self._pass_on(frame)
            outcomes = read_outcomes(answer[4:], request.version)  # after the number
            given = {name.lower(): each.hub for name, each in zip(names, produce.publications, strict=True)}
            outcomes = [replace(each, hub=given[each.hub.lower()]) for each in outcomes]
        return None if produce.acks == 0 else written_outcomes(outcomes, request.version, delay_ms)

    def _error_of(self, publication: Publication) -> Error:
        self._namespace.seen.publications.append(len(publication.batch))
        if error := self._refusal(publication.hub, "Send"):
            return error
        if publication.codec not in self._namespace.tier.codecs:
            return Error.UNSUPPORTED_FOR_MESSAGE_FORMAT
        if len(publication.batch) > self._namespace.publication_bytes:
            self._namespace.seen.counts["too large"] += 1
            return Error.MESSAGE_TOO_LARGE
        return Error.NONE


def _versions(error: Error) -> bytes:
    return numbers("h", error) + array(numbers("hhh", api, *span) for api, span in VERSIONS.items())


_HANDLERS: dict[Api, Callable[[Session, Request], Awaitable[bytes | None]]] = {
    Api.API_VERSIONS: Session._api_versions,
    Api.SASL_HANDSHAKE: Session._handshake,
    Api.SASL_AUTHENTICATE: Session._authenticate,
    Api.METADATA: Session._metadata,
    Api.PRODUCE: Session._produce,
}
