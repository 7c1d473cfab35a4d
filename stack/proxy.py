"""A TCP proxy in front of one listener that misbehaves on command, for tests: what networks and load balancers do.

    with Proxy(broker_port) as proxy:      # proxy.port is what the broker has to advertise
        proxy.set(Mode.HOLE)

It works below TLS and needs no rights. It runs in a separate thread; all methods may be called from any thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Coroutine
from enum import Enum
from types import TracebackType
from typing import Any

from stack.errors import StackError
from stack.ports import LOOPBACK, free_port

CHUNK_BYTES = 65_536
COMMAND_SECONDS = 60.0
CLOSE_SECONDS = 1.0
SETTLE_SECONDS = 0.01
SLOW_SECONDS = 0.3


class Mode(Enum):
    """What becomes of connections and of what travels on them."""

    PASS = "pass"
    """Everything goes through."""
    HOLE = "hole"
    """Nothing goes through, without an error; what was held back goes on afterwards, as TCP's own repetitions do."""
    SLOW = "slow"
    """Each piece waits for `slow_seconds`, both ways."""
    HALF = "half"
    """Requests arrive, answers are lost; a connection that has lost some is reset afterwards."""
    RESET = "reset"
    """Every connection, old and new, is reset."""
    CUT = "cut"
    """Every connection, old and new, is closed in order."""
    REFUSE = "refuse"
    """Old connections are reset, and nothing listens any more."""


class Proxy:
    """Passes connections on to a port on loopback.

    Args:
        target: The port of the server.
        port: The port to listen on; a free one by default.
        slow_seconds: The delay of `Mode.SLOW`, in each direction.
    """

    def __init__(self, target: int, port: int = 0, *, slow_seconds: float = SLOW_SECONDS) -> None:
        self.target = target
        self.port = port or free_port()  # one that no client is given for itself while nothing listens on it
        self.slow_seconds = slow_seconds
        self.connections = 0
        """How many connections were accepted."""
        self.lost = 0
        """How many pieces of answers were lost."""
        self._mode = Mode.PASS
        self._links: set[_Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._is_open = asyncio.Event()  # not in a HOLE
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)

    @property
    def mode(self) -> Mode:
        """What it does now."""
        return self._mode

    def start(self) -> Proxy:
        """Listen.

        Raises:
            StackError: The port is in use.
        """
        self._thread.start()
        try:
            self._run(self._switch(Mode.PASS))
        except OSError as error:
            self.stop()
            raise StackError(f"the proxy cannot listen on {LOOPBACK}:{self.port}: {error.strerror}") from error
        return self

    def set(self, mode: Mode) -> None:
        """Behave otherwise from now on; returns when it does."""
        self._run(self._switch(mode))

    def stop(self) -> None:
        """Reset all connections and end. Idempotent."""
        if self._loop.is_closed():
            return
        self._run(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(COMMAND_SECONDS)
        self._loop.close()

    def __enter__(self) -> Proxy:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # ---- in the thread of the loop

    def _run(self, step: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(step, self._loop).result(COMMAND_SECONDS)

    async def _switch(self, mode: Mode) -> None:
        self._mode = mode
        if mode is Mode.HOLE:
            self._is_open.clear()
        else:
            self._is_open.set()
        for link in list(self._links):
            if mode in (Mode.RESET, Mode.REFUSE) or (link.has_lost and mode is not Mode.HALF):
                link.reset()
            elif mode is Mode.CUT:
                link.close()
        if mode is Mode.REFUSE:
            self._close_server()
        elif self._server is None:
            self._server = await asyncio.start_server(self._accept, LOOPBACK, self.port)
            self.port = self._server.sockets[0].getsockname()[1]

    async def _end(self) -> None:
        self._mode = Mode.RESET
        self._close_server()
        while self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await asyncio.sleep(0)  # one that had just been accepted begins now
        await asyncio.sleep(SETTLE_SECONDS)  # transports close in the next turns of the loop

    def _close_server(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        link = _Link(writer)
        try:
            await self._serve(link, reader, writer)
            await link.closed()
        except asyncio.CancelledError:
            pass  # the end: only `_end` waits for this task
        finally:
            link.reset()
            self._tasks.discard(task)

    async def _serve(self, link: _Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            server_reader, server_writer = await asyncio.open_connection(LOOPBACK, self.target)
        except OSError:  # the server is down: a balancer lets go of its client
            link.reset()
            return
        link.add(server_writer)
        if self._mode is Mode.CUT:
            link.close()
            return
        if self._mode in (Mode.RESET, Mode.REFUSE):
            link.reset()
            return
        self._links.add(link)
        pumps = [
            asyncio.ensure_future(self._pump(link, reader, server_writer, is_answer=False)),
            asyncio.ensure_future(self._pump(link, server_reader, writer, is_answer=True)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._links.discard(link)
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            link.close()

    async def _pump(
        self, link: _Link, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_answer: bool
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK_BYTES):
                await self._is_open.wait()
                if self._mode is Mode.SLOW:
                    await asyncio.sleep(self.slow_seconds)
                if self._mode is Mode.HALF and is_answer:
                    link.has_lost = True
                    self.lost += 1
                    continue
                writer.write(data)
                await writer.drain()
            await self._is_open.wait()


class _Link:
    """A client's connection, and the one to the server that belongs to it."""

    def __init__(self, client: asyncio.StreamWriter) -> None:
        self._writers = [client]
        self.has_lost = False

    def add(self, server: asyncio.StreamWriter) -> None:
        self._writers.append(server)

    def close(self) -> None:
        for writer in self._writers:
            writer.close()

    def reset(self) -> None:
        for writer in self._writers:
            with contextlib.suppress(OSError):
                linger = struct.pack("ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            writer.transport.abort()

    async def closed(self) -> None:
        """Wait a moment for those that were closed in order: what was still to be written to them may not go away."""
        for writer in self._writers:
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                await asyncio.wait_for(writer.wait_closed(), CLOSE_SECONDS)
