"""Wrap a transport that may raise, against its contract (`base.Transport`), in one that never does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from sac_kafka.guard import Guard
from sac_kafka.log import logger
from sac_kafka.transport.base import DeliveryCallback, Position, Record, Transport


class GuardedTransport:
    """A transport that calls another one, and counts and reports its exceptions instead of raising them.

    Args:
        transport: May raise.
        on_error: Called with the name of the exception's class; records in flight have failed then.
    """

    def __init__(self, transport: Transport, on_error: Callable[[str], None]) -> None:
        self.wrapped = transport
        self._on_error = on_error
        self._guard = Guard()

    @property
    def errors(self) -> Mapping[str, int]:
        """Number of exceptions by class."""
        return self._guard.counts

    @property
    def name(self) -> str:
        """Name for logs."""
        return self.wrapped.name

    @property
    def flush_slice_seconds(self) -> float:
        """Shortest useful `flush` in a loop of flushes."""
        return self.wrapped.flush_slice_seconds

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Accept a record."""
        with self._guarded():
            self.wrapped.send(record, outcome)

    def service(self, timeout_seconds: float) -> None:
        """Report known outcomes."""
        with self._guarded():
            self.wrapped.service(timeout_seconds)

    def flush(self, timeout_seconds: float) -> int:
        """Wait for outcomes. Return the number of records without one; 0 after an exception, which fails them all."""
        with self._guarded():
            return self.wrapped.flush(timeout_seconds)
        return 0

    def close(self, timeout_seconds: float) -> None:
        """Release all resources."""
        with self._guarded():
            self.wrapped.close(timeout_seconds)

    def problem(self) -> str | None:
        """Return the current failure."""
        try:
            return self.wrapped.problem()
        except Exception as error:  # noqa: BLE001 (does not affect records in flight)
            return f"{self.name} cannot say why: {type(error).__name__}"

    def retry_after(self) -> float:
        """Return the seconds for which `send` fails at once; 0.0 after an exception."""
        try:
            return self.wrapped.retry_after()
        except Exception as error:  # noqa: BLE001 (called while an outcome is handled, so it must not fail the others)
            logger.debug("%s: retry_after failed with %s", self.name, type(error).__name__)
            return 0.0

    def position(self) -> Position | None:
        """Return the location of the last delivered record; None after an exception."""
        with self._guarded():
            return self.wrapped.position()
        return None

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Count an exception and fail the records in flight; the guard raises it in tests."""
        with self._guard("transport"):
            try:
                yield
            except Exception as error:
                self._on_error(type(error).__name__)
                raise
