"""librdkafka as a `KafkaClient`. For a hook the only module that imports confluent_kafka, and only when a client is made.

Callbacks of librdkafka run inside `poll`, `flush` and `close` on the calling thread, and an exception in one loses the
next report: so they only append events to a list.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from sac_kafka.errors import ConfigurationError
from sac_kafka.log import Logger
from sac_kafka.transport.kafka.client import ClientEvent, Delivered, Failed, Noticed, Throttled
from sac_kafka.transport.kafka.errors.broker_certificate import fault_of_certificate
from sac_kafka.transport.kafka.errors.explaining import one_line

if TYPE_CHECKING:
    from confluent_kafka import Message, Producer

_log = Logger("sac_kafka.librdkafka")

_PURGE_SECONDS = 0.5  # librdkafka's threads carry a purge out within milliseconds

_PARKED: list[Any] = []
"""Producers that must never be destroyed: one that does not end in time would be waited for without limit."""


class LibrdkafkaClient:
    """A producer of librdkafka, made at once; it connects by itself.

    Args:
        config: librdkafka's settings; a value may be a callable (`oauth_cb`).

    Raises:
        ConfigurationError: confluent_kafka cannot be loaded, or does not take the settings.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._heard = Heard(config)
        self._events = self._heard.events
        with making():
            from confluent_kafka import Producer, libversion

            self.name = f"librdkafka {libversion()[0]}"
            self._producer: Producer = Producer({**config, **self._heard.callbacks})

    def produce(self, number: int, topic: str, key: bytes | None, value: bytes) -> None:
        """Queue the record; what librdkafka refuses at once is reported by the next `poll`."""
        try:
            self._producer.produce(topic, value=value, key=key, on_delivery=partial(self._on_delivery, number))
        except Exception as error:  # noqa: BLE001 (too large, queue full, fatal state: the report tells)
            name, text = ("_QUEUE_FULL", str(error)) if isinstance(error, BufferError) else error_of(error)
            self._events.append(Failed(number, name, text))

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Serve librdkafka's callbacks and give what they told; a fatal error is trouble like any other."""
        if not self._events:
            try:
                self._producer.poll(timeout_seconds)
            except Exception as error:  # noqa: BLE001 (raised by librdkafka's fatal errors only)
                self._events.append(Noticed(*error_of(error)))
        return self._heard.take()

    def cluster_id(self, topic: str, timeout_seconds: float) -> str | None:
        """Give the cluster's id out of the topic's metadata."""
        try:
            found = self._producer.list_topics(topic, timeout=timeout_seconds).cluster_id
        except Exception as error:  # noqa: BLE001 (no answer, no right to ask: then nobody can tell)
            _log.debug("The cluster's id cannot be asked for: %s", one_line(str(error)))
            return None
        return str(found) if found else None

    def close(self, timeout_seconds: float) -> None:
        """Purge and destroy the producer. A name that is being looked up holds that up: then it is left behind."""
        producer = self._producer

        def end() -> None:
            with contextlib.suppress(Exception):  # a producer in a fatal state raises from anything
                producer.purge()
                if producer.flush(_PURGE_SECONDS):
                    return  # to destroy it would wait for its records
                producer.close()
            _PARKED.remove(producer)

        _PARKED.append(producer)
        ending = threading.Thread(target=end, name="sac-kafka-close", daemon=True)
        with contextlib.suppress(RuntimeError):  # the interpreter is ending, and the producer with it
            ending.start()
            ending.join(max(timeout_seconds, _PURGE_SECONDS))

    def _on_delivery(self, number: int, error: Any, message: Message | None) -> None:  # noqa: ANN401 (KafkaError)
        if error is not None:
            self._events.append(Failed(number, error.name(), error.str()))
            return
        partition = message.partition() if message is not None else None
        offset = message.offset() if message is not None else None
        self._events.append(Delivered(number, -1 if partition is None else partition, -1 if offset is None else offset))


def library() -> str:
    """Give the versions of confluent-kafka and of librdkafka in it.

    Raises:
        ConfigurationError: It cannot be loaded.
    """
    with making():
        import confluent_kafka

        return f"confluent-kafka {confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})"


class Heard:
    """What a client of librdkafka tells, by the callbacks that it is made with."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.events: list[ClientEvent] = []
        self._config = dict(config)
        self._faults: dict[str, str | None] = {}  # of certificates, by librdkafka's error

    @property
    def callbacks(self) -> dict[str, Any]:
        """Settings of the client."""
        return {"error_cb": self._on_error, "throttle_cb": self._on_throttle, "logger": _Log(self.events)}

    def take(self) -> tuple[ClientEvent, ...]:
        """Give what was told since the last time."""
        events = tuple(self._looked_into(each) for each in self.events)
        self.events.clear()
        return events

    def _on_error(self, error: Any) -> None:  # noqa: ANN401 (KafkaError)
        with contextlib.suppress(Exception):  # would lose the next report
            self.events.append(Noticed(error.name(), error.str()))

    def _on_throttle(self, event: Any) -> None:  # noqa: ANN401 (ThrottleEvent)
        with contextlib.suppress(Exception):  # would lose the next report
            self.events.append(Throttled(float(event.throttle_time)))

    def _looked_into(self, event: ClientEvent) -> ClientEvent:
        """Say of a broker's certificate what is wrong with it: librdkafka has one text for all faults."""
        if not isinstance(event, Noticed) or "certificate" not in event.text or "verif" not in event.text:
            return event
        said = one_line(event.text)
        if said not in self._faults:
            self._faults[said] = fault_of_certificate(event.text, self._config)
        return Noticed(event.name, self._faults[said] or event.text)


@contextlib.contextmanager
def making() -> Iterator[None]:
    """Say of a client that cannot be made why."""
    try:
        yield
    except ImportError as error:
        raise ConfigurationError(
            f"confluent_kafka cannot be loaded: {error}; install it for this Python and platform"
        ) from None
    except Exception as error:  # noqa: BLE001 (KafkaException, TypeError, ValueError: the settings)
        raise ConfigurationError(f"librdkafka does not take the settings: {error_of(error)[1]}") from None


class _Log:
    """Takes librdkafka's log lines instead of a `logging.Logger`: some causes are told nowhere else.

    Warnings and worse are trouble to be explained; the others (hundreds, with `debug = all`) are only logged at DEBUG.
    """

    def __init__(self, events: list[ClientEvent]) -> None:
        self._events = events

    def log(self, level: int, message: object, *args: object) -> None:
        """Take a line; the level is one of `logging`'s."""
        with contextlib.suppress(Exception):  # would lose the next report
            line = " ".join(map(str, args or (message,)))
            if _log.isEnabledFor(logging.DEBUG):
                _log.debug("%s", one_line(line))
            if level >= logging.WARNING and "CONFWARN" not in line:
                self._events.append(Noticed("_LOG", line))


def error_of(error: BaseException) -> tuple[str, str]:
    """Give name and text of an exception, which confluent_kafka wraps around an error."""
    inner: Any = error.args[0] if error.args else None
    if hasattr(inner, "name") and hasattr(inner, "str"):
        return str(inner.name()), str(inner.str())
    return type(error).__name__, str(error)
