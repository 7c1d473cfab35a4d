"""The Kafka endpoint of a namespace of Event Hubs, as clients see it, in front of the project's own broker.

    with Endpoint(Namespace(), broker_port, certificates) as endpoint:
        endpoint.settings(connection_string)

It listens with TLS and is every broker that its clients know. Log-ins, metadata and limits are its own; records are
written by the broker, which it talks to in the clear. It runs in a thread; the namespace may be changed from any other.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any

from stack.certificates import Certificates
from stack.ports import LOOPBACK
from tests.live.event_hubs.namespace import Namespace, Tier
from tests.live.event_hubs.session import HangUp, Session
from tests.live.event_hubs.wire import LENGTH, Request

COMMAND_SECONDS = 60.0
CLOSE_SECONDS = 10.0
SETTLE_SECONDS = 0.02


class Endpoint:
    """Listens for the clients of a namespace.

    Args:
        namespace: The namespace.
        broker_port: Where the broker listens with PLAINTEXT.
        certificates: Whose certificate `event_hubs` it shows.
        host: The address to listen on.
        port: The port to listen on; a free one by default.
        advertised: Host and port that clients are sent to; by default `localhost` and the port.
    """

    def __init__(
        self,
        namespace: Namespace,
        broker_port: int,
        certificates: Certificates,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        advertised: tuple[str, int] | None = None,
    ) -> None:
        self.namespace = namespace
        self.ca = certificates.ca
        self.port = port
        self._host = host
        self._advertised = advertised
        self._broker_port = broker_port
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(certificates.key_store("event_hubs"))
        self._server: asyncio.Server | None = None
        self._waiting: set[asyncio.Task[bytes]] = set()  # for a request of which nothing has come
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="event-hubs", daemon=True)

    @property
    def address(self) -> tuple[str, int]:
        """The address of every broker, as clients see it."""
        return self._advertised or ("localhost", self.port)

    def __enter__(self) -> Endpoint:
        self._thread.start()
        self._run(self._listen())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(COMMAND_SECONDS)
        self._loop.close()

    def close_idle(self) -> int:
        """Close the connections that wait for their clients, as when they have been idle for too long; gives how many."""
        before = self.namespace.seen.counts["closed for idleness"]
        self._run(self._close_idle())
        return self.namespace.seen.counts["closed for idleness"] - before

    # ---- in the thread of the loop

    def _run(self, step: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(step, self._loop).result(COMMAND_SECONDS)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._accept, self._host, self.port, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _end(self) -> None:
        assert self._server is not None
        self._server.close()
        quiet = False
        while not quiet:  # a client that was in its handshake is accepted after the server closed
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(SETTLE_SECONDS)  # transports close in the next turns of the loop
            quiet = not tasks

    async def _close_idle(self) -> None:
        idle = list(self._waiting)
        for task in idle:
            task.cancel()
        await asyncio.gather(*idle, return_exceptions=True)
        await asyncio.sleep(SETTLE_SECONDS)  # those who waited for them go on in the next turns of the loop

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.namespace.seen.counts["connections"] += 1
        broker = _Broker(self._broker_port)
        try:
            if self.namespace.tier is not Tier.BASIC:
                with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                    await self._serve(reader, writer, broker)
        except (asyncio.CancelledError, HangUp):
            pass  # the end of the endpoint, or what the service does without a word
        finally:
            broker.close()
            await _closed(writer)
            self.namespace.seen.counts["connections ended"] += 1

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, broker: _Broker) -> None:
        session = Session(self.namespace, self.address, broker.exchange)
        while True:
            frame = await self._frame(reader, await self._begin_of_a_frame(reader))
            answer = await session.answer(Request.read(frame))
            if answer is not None:
                writer.write(LENGTH.pack(len(answer)) + answer)
                await writer.drain()

    async def _begin_of_a_frame(self, reader: asyncio.StreamReader) -> bytes:
        """Wait for a request, for as long as a connection may be idle."""
        begin = asyncio.ensure_future(reader.readexactly(LENGTH.size))
        self._waiting.add(begin)
        try:
            await asyncio.wait({begin}, timeout=self.namespace.idle_seconds)
        finally:
            self._waiting.discard(begin)
            is_idle = not begin.done() or begin.cancelled()
            begin.cancel()
        if is_idle:
            self.namespace.seen.counts["closed for idleness"] += 1
            raise HangUp
        return begin.result()

    async def _frame(self, reader: asyncio.StreamReader, begin: bytes) -> bytes:
        (length,) = LENGTH.unpack(begin)
        if length > self.namespace.request_bytes:
            self.namespace.seen.counts["closed for size"] += 1
            raise HangUp
        return await reader.readexactly(length)


async def _closed(writer: asyncio.StreamWriter) -> None:
    """Close in order, if the client lets that happen in time."""
    writer.close()
    with contextlib.suppress(OSError, asyncio.TimeoutError):
        await asyncio.wait_for(writer.wait_closed(), CLOSE_SECONDS)
    writer.transport.abort()


class _Broker:
    """A connection to the broker, made with the first request."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def exchange(self, frame: bytes) -> bytes:
        """Give the answer to a request."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(LOOPBACK, self._port)
        reader, writer = self._streams
        writer.write(LENGTH.pack(len(frame)) + frame)
        await writer.drain()
        (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
        return await reader.readexactly(length)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
