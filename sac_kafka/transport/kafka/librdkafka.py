"""Implement `KafkaClient` with librdkafka. In a hook only this module imports confluent_kafka, when a client is created.

Callbacks of librdkafka run on the calling thread inside `poll`, `flush` and `close`. An exception in a callback would
discard the next delivery report, so callbacks only append events to a list.
"""

from __future__ import annotations

import contextlib
import logging
import re
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from sac_kafka.errors import ConfigurationError
from sac_kafka.log import Logger
from sac_kafka.transport.kafka.client import ClientError, ClientEvent, Delivered, Failed, Throttled

if TYPE_CHECKING:
    from confluent_kafka import Message, Producer

_CERTIFICATE_SECONDS = 2.0
_TLS_ADDRESS = re.compile(r"(?:sasl_)?ssl://(\[[^\[\]]+\]|[^:/\s]+):(\d+)")
_log = Logger("sac_kafka.librdkafka")
_PURGE_SECONDS = 0.5  # librdkafka's threads complete a purge within milliseconds
_PARKED: list[Any] = []
"""References to producers that did not close in time: garbage-collecting one would block without limit."""


def fault_of_certificate(text: str, config: Mapping[str, Any]) -> str | None:
    """Return the address of the broker, with which librdkafka's error begins, and OpenSSL's reason not to trust its certificate.

    None if the reason is unknown.
    """
    address = _TLS_ADDRESS.search(text)
    if address is None:
        return None
    host, port = address[1].strip("[]"), int(address[2])
    try:
        context = trust_of(config)
        with (
            socket.create_connection((host, port), timeout=_CERTIFICATE_SECONDS) as connection,
            context.wrap_socket(connection, server_hostname=host),
        ):
            return None
    except ssl.SSLCertVerificationError as error:
        return f"{address[0]}: certificate verify failed: {error.verify_message}" if error.verify_message else None
    except (OSError, ValueError):
        return None


def _one_line(text: str) -> str:
    from sac_kafka.transport.kafka.errors.explaining import one_line

    return one_line(text)


def trust_of(config: Mapping[str, Any]) -> ssl.SSLContext:
    """Return a TLS context with the same trust as librdkafka has with these settings; raises OSError for unreadable files."""
    pem, location = config.get("ssl.ca.pem"), config.get("ssl.ca.location")
    if pem:
        context = ssl.create_default_context(cadata=str(pem))
    else:
        context = ssl.create_default_context(cafile=str(location) if location else None)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # librdkafka does not set this flag
    context.check_hostname = str(config.get("ssl.endpoint.identification.algorithm", "https")).lower() != "none"
    return context


class LibrdkafkaClient:
    """A librdkafka producer; it connects in the background.

    Args:
        config: librdkafka's settings; a value may be a callable (`oauth_cb`).

    Raises:
        ConfigurationError: confluent_kafka cannot be loaded, or rejects the settings.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._callback_events = CallbackEvents(config)
        self._events = self._callback_events.events
        with creating_client():
            from confluent_kafka import Producer, libversion

            self.name = f"librdkafka {libversion()[0]}"
            self._producer: Producer = Producer({**config, **self._callback_events.callbacks})

    def produce(self, number: int, topic: str, key: bytes | None, value: bytes) -> None:
        """Queue the record; if librdkafka rejects it immediately, the next `poll` reports it."""
        try:
            self._producer.produce(topic, value=value, key=key, on_delivery=partial(self._on_delivery, number))
        except Exception as error:  # noqa: BLE001 (too large, queue full, fatal state: reported as an event)
            name, text = ("_QUEUE_FULL", str(error)) if isinstance(error, BufferError) else error_of(error)
            self._events.append(Failed(number, name, text))

    def poll(self, timeout_seconds: float) -> tuple[ClientEvent, ...]:
        """Run librdkafka's callbacks and return their events; fatal errors are returned as events as well."""
        if not self._events:
            try:
                self._producer.poll(timeout_seconds)
            except Exception as error:  # noqa: BLE001 (raised only for librdkafka's fatal errors)
                self._events.append(ClientError(*error_of(error)))
        return self._callback_events.take()

    def cluster_id(self, topic: str, timeout_seconds: float) -> str | None:
        """Return the cluster id from the topic's metadata, None if it is not available."""
        try:
            found = self._producer.list_topics(topic, timeout=timeout_seconds).cluster_id
        except Exception as error:  # noqa: BLE001 (no response or no permission: the id stays unknown)
            _log.debug("The cluster id is not available: %s", _one_line(str(error)))
            return None
        return str(found) if found else None

    def close(self, timeout_seconds: float) -> None:
        """Purge and close the producer in a thread, which is abandoned at the timeout: a DNS lookup can block it."""
        producer = self._producer

        def close_producer() -> None:
            with contextlib.suppress(Exception):  # every method of a producer in a fatal state raises
                producer.purge()
                if producer.flush(_PURGE_SECONDS):
                    return  # closing would wait for its records
                producer.close()
            _PARKED.remove(producer)

        _PARKED.append(producer)
        thread = threading.Thread(target=close_producer, name="sac-kafka-close", daemon=True)
        with contextlib.suppress(RuntimeError):  # no new threads at the end of the interpreter
            thread.start()
            thread.join(max(timeout_seconds, _PURGE_SECONDS))

    def _on_delivery(self, number: int, error: Any, message: Message | None) -> None:  # noqa: ANN401 (KafkaError)
        if error is not None:
            self._events.append(Failed(number, error.name(), error.str()))
            return
        partition = message.partition() if message is not None else None
        offset = message.offset() if message is not None else None
        self._events.append(Delivered(number, -1 if partition is None else partition, -1 if offset is None else offset))


def library() -> str:
    """Return the versions of confluent-kafka and its librdkafka.

    Raises:
        ConfigurationError: confluent-kafka cannot be loaded.
    """
    with creating_client():
        import confluent_kafka

        return f"confluent-kafka {confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})"


class CallbackEvents:
    """Events collected by the callbacks of a librdkafka client."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.events: list[ClientEvent] = []
        self._config = dict(config)
        self._faults: dict[str, str | None] = {}  # faults of certificates, by librdkafka's error text

    @property
    def callbacks(self) -> dict[str, Any]:
        """The callback settings with which a client must be created."""
        return {"error_cb": self._on_error, "throttle_cb": self._on_throttle, "logger": _Log(self.events)}

    def take(self) -> tuple[ClientEvent, ...]:
        """Return and remove the events collected so far."""
        events = tuple(self._with_certificate_fault(event) for event in self.events)
        self.events.clear()
        return events

    def _on_error(self, error: Any) -> None:  # noqa: ANN401 (KafkaError)
        with contextlib.suppress(Exception):  # an exception would discard the next delivery report
            self.events.append(ClientError(error.name(), error.str()))

    def _on_throttle(self, event: Any) -> None:  # noqa: ANN401 (ThrottleEvent)
        with contextlib.suppress(Exception):  # an exception would discard the next delivery report
            self.events.append(Throttled(float(event.throttle_time)))

    def _with_certificate_fault(self, event: ClientEvent) -> ClientEvent:
        """Replace a certificate error by the actual fault, because librdkafka has one text for all faults."""
        if not isinstance(event, ClientError) or "certificate" not in event.text or "verif" not in event.text:
            return event
        text = _one_line(event.text)
        if text not in self._faults:
            self._faults[text] = fault_of_certificate(event.text, self._config)
        return ClientError(event.name, self._faults[text] or event.text)


@contextlib.contextmanager
def creating_client() -> Iterator[None]:
    """Convert errors of importing confluent_kafka or creating a client to ConfigurationError."""
    try:
        yield
    except ImportError as error:
        raise ConfigurationError(
            f"confluent_kafka cannot be loaded: {error}; install it for this Python and platform"
        ) from None
    except Exception as error:  # noqa: BLE001 (KafkaException, TypeError, ValueError: invalid settings)
        raise ConfigurationError(f"librdkafka rejects the settings: {error_of(error)[1]}") from None


class _Log:
    """Receiver of librdkafka's log lines, in place of a `logging.Logger`; some causes appear only there.

    Lines of level WARNING and above become events; all are logged at DEBUG (hundreds with `debug = all`).
    """

    def __init__(self, events: list[ClientEvent]) -> None:
        self._events = events

    def log(self, level: int, message: object, *args: object) -> None:
        """Process a line; the level is one of `logging`'s."""
        with contextlib.suppress(Exception):  # an exception would discard the next delivery report
            line = " ".join(map(str, args or (message,)))
            if _log.isEnabledFor(logging.DEBUG):
                _log.debug("%s", _one_line(line))
            if level >= logging.WARNING and "CONFWARN" not in line:
                self._events.append(ClientError("_LOG", line))


def error_of(error: BaseException) -> tuple[str, str]:
    """Return name and text of the KafkaError in an exception of confluent_kafka, else of the exception itself."""
    inner: Any = error.args[0] if error.args else None
    if hasattr(inner, "name") and hasattr(inner, "str"):
        return str(inner.name()), str(inner.str())
    return type(error).__name__, str(error)
