"""A transport that never raises, around one that should not (`base.Transport`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from sac_kafka.guard import Guard
from sac_kafka.log import logger
from sac_kafka.transport.base import DeliveryCallback, Position, Record, Transport


class Contained:
    """Calls `transport`; an error of it is told as its kind, and what has no outcome yet has none any more.

    Args:
        transport: That may raise.
        raised: Told the name of the error's class.
    """

    def __init__(self, transport: Transport, raised: Callable[[str], None]) -> None:
        self.wrapped = transport
        self._raised = raised
        self._guard = Guard()

    @property
    def errors(self) -> Mapping[str, int]:
        """How often it has raised, by the class of the error."""
        return self._guard.counts

    @property
    def name(self) -> str:
        """What logs call it."""
        return self.wrapped.name

    @property
    def flush_slice_seconds(self) -> float:
        """How short a `flush` may be to be repeated."""
        return self.wrapped.flush_slice_seconds

    def send(self, record: Record, outcome: DeliveryCallback) -> None:
        """Take a record."""
        with self._telling():
            self.wrapped.send(record, outcome)

    def service(self, timeout_seconds: float) -> None:
        """Report outcomes that are due."""
        with self._telling():
            self.wrapped.service(timeout_seconds)

    def flush(self, timeout_seconds: float) -> int:
        """Wait for outcomes; nothing is waited for any longer after an error."""
        with self._telling():
            return self.wrapped.flush(timeout_seconds)
        return 0

    def close(self, timeout_seconds: float) -> None:
        """Let go of everything."""
        with self._telling():
            self.wrapped.close(timeout_seconds)

    def problem(self) -> str | None:
        """Give the last known trouble."""
        try:
            return self.wrapped.problem()
        except Exception as error:  # noqa: BLE001 (as below; nothing is known of what is under way)
            return f"{self.name} cannot say why: {type(error).__name__}"

    def retry_after(self) -> float:
        """Give the seconds for which `send` fails at once; 0.0 after an error."""
        try:
            return self.wrapped.retry_after()
        except Exception as error:  # noqa: BLE001 (as below; it is asked while an outcome is handled)
            logger.debug("%s: retry_after failed with %s", self.name, type(error).__name__)
            return 0.0

    def position(self) -> Position | None:
        """Give where the last delivered record was put; None after an error."""
        with self._telling():
            return self.wrapped.position()
        return None

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Whatever it raises, no message is lost for it; in tests the guard brings it to light."""
        with self._guard("transport"):
            try:
                yield
            except Exception as error:
                self._raised(type(error).__name__)
                raise
