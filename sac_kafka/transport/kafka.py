"""A transport to Kafka through librdkafka. The only module that imports confluent_kafka, and only at the first record.

Callbacks of librdkafka run inside `poll` and `flush` on the calling thread, and an exception in one loses the next
report: so none raises here, and each record's outcome is kept in a table of ours instead of being counted.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.base import Outcome, Position, Record
from sac_kafka.transport.kafka_journal import Journal, KafkaErrorLike
from sac_kafka.transport.kafka_settings import NATIVE_PREFIX, translate

if TYPE_CHECKING:
    from confluent_kafka import Message, Producer

_log = logging.getLogger(__name__)

_QUEUE_WAIT_SECONDS = 5.0  # for room in librdkafka's queue
_POLL_SECONDS = 0.1
_PURGE_SECONDS = 0.5  # librdkafka's threads carry a purge out within milliseconds
_UNREACHABLE_FLUSH_SECONDS = 0.5
_REOPEN_SECONDS = 60.0
_CLUSTER_SECONDS = 2.0
_PEM_KEYS = {
    "ssl.ca.location": "ssl.truststore.location",
    "ssl.certificate.location": "ssl.keystore.location",
}

_PARKED: list[Any] = []
"""Producers that must never be touched nor destroyed: inherited by a fork, or not to be closed without waiting."""


class KafkaTransport:
    """Sends records with one producer, in order, at least once.

    Args:
        kafka: The settings under `atlas.kafka.`, prefix stripped, as Kafka's Java client knows them.
        message_bytes: The longest value that will be sent.

    Raises:
        ConfigurationError: A setting is wrong, or a PEM file that it names cannot be read.
    """

    def __init__(self, kafka: Mapping[str, str], *, message_bytes: int = 0) -> None:
        translation = translate(kafka, message_bytes)
        self._config = translation.config
        _check_files(self._config, kafka)
        for warning in translation.warnings:
            _log.warning("%s", warning)
        self.name = f"kafka {self._config['bootstrap.servers']} ({self._config['security.protocol'].upper()})"
        self._journal = Journal()
        self._pending: dict[int, tuple[Record, Outcome]] = {}
        self._sent = 0
        self._has_delivered = False
        self._last: Message | None = None  # that was delivered
        self._cluster: str | None = None
        self._is_closed = False
        self._producer: Producer | None = None
        self._broken: str | None = None
        self._reopen_at = 0.0
        self._pid = os.getpid()

    def send(self, record: Record, outcome: Outcome) -> None:
        """Give the record to the producer, which is made by the first one. Waits at most 5 s for room in its queue."""
        if self._is_closed or self._is_forked():
            why = "the transport is closed" if self._is_closed else "forked child: the producer is the parent process's"
            _report(record, outcome, why)
            return
        producer = self._open()
        if producer is None:
            _report(record, outcome, self._broken or "there is no Kafka producer")
            return
        self._sent += 1
        self._pending[self._sent] = (record, outcome)
        reason = self._produce(producer, record, self._sent)
        if reason is not None and self._pending.pop(self._sent, None) is not None:
            _report(record, outcome, reason)

    def service(self, timeout_seconds: float) -> None:
        """Serve delivery reports, errors and log lines; waits only while records are under way."""
        producer = None if self._is_forked() else self._producer
        if producer is not None:
            self._guarded(producer.poll, timeout_seconds if self._pending else 0)

    def flush(self, timeout_seconds: float) -> int:
        """Wait for outcomes; gives up after 0.5 s when no broker can be reached and none ever was."""
        producer = None if self._is_forked() else self._producer
        start = time.monotonic()
        deadline = start + timeout_seconds
        while producer is not None and producer is self._producer and self._pending:
            if self._journal.is_down and not self._has_delivered:
                deadline = min(deadline, start + _UNREACHABLE_FLUSH_SECONDS)
            left = deadline - time.monotonic()
            if left <= 0:
                self._guarded(producer.poll, 0)
                break
            self._guarded(producer.flush, min(_POLL_SECONDS, left))
        return len(self._pending)

    def close(self, timeout_seconds: float) -> None:
        """Flush, report what is left as failed and close the producer. A record reported so may still have arrived."""
        if self._is_forked():
            return
        if not self._is_closed:
            self.flush(timeout_seconds)
            self._is_closed = True
            self._abandon(f"not acknowledged when the transport was closed; {self.problem() or 'it may have arrived'}")

    def problem(self) -> str | None:
        """Give why records do not get through, None after the last one did."""
        return self._broken or self._journal.problem

    def position(self) -> Position | None:
        """Give the offset of the last record, in a log that is named by the cluster's id: a new cluster is a new log."""
        if self._last is None or self._producer is None or self._is_forked():
            return None
        topic, partition, offset = self._last.topic(), self._last.partition(), self._last.offset()
        if topic is None or partition is None or offset is None or offset < 0:
            return None
        if self._cluster is None:
            try:
                self._cluster = self._producer.list_topics(topic, timeout=_CLUSTER_SECONDS).cluster_id or ""
            except Exception as error:  # noqa: BLE001 (no answer, no right to ask: then nobody can tell)
                _log.debug("The cluster's id cannot be asked for: %s", self._journal.text(error))
                self._cluster = ""
        return Position(f"{self._cluster}/{topic}/{partition}", offset, offset + 1) if self._cluster else None

    def _open(self) -> Producer | None:
        if self._producer is not None or time.monotonic() < self._reopen_at:
            return self._producer
        callbacks = {"error_cb": self._on_error, "throttle_cb": self._on_throttle, "logger": self._journal}
        try:
            from confluent_kafka import Producer

            self._producer = Producer({**self._config, **callbacks})
            self._broken = None
        except Exception as error:  # noqa: BLE001 (whatever is wrong with the library or its settings: no lineage, no crash)
            self._broken = f"the Kafka producer cannot be made: {self._journal.text(error)}"
            self._reopen_at = time.monotonic() + _REOPEN_SECONDS
        return self._producer

    def _produce(self, producer: Producer, record: Record, number: int) -> str | None:
        """Queue the record; gives the reason if that is not possible."""
        deadline = time.monotonic() + (0.0 if self._journal.problem else _QUEUE_WAIT_SECONDS)
        while True:
            try:
                producer.produce(
                    record.topic, value=record.value, key=record.key, on_delivery=partial(self._on_delivery, number)
                )
            except BufferError:
                if time.monotonic() >= deadline:
                    return f"the producer's queue is full; {self._journal.problem or 'the broker is too slow'}"
            except Exception as error:  # noqa: BLE001 (too large, fatal state, wrong type: the record's outcome tells)
                return self._journal.text(error)
            else:
                return None
            self._guarded(producer.poll, _POLL_SECONDS)
            if producer is not self._producer:
                return "the producer was given up"

    def _on_delivery(self, number: int, error: KafkaErrorLike | None, message: Message | None) -> None:
        try:
            record, outcome = self._pending.pop(number, (None, None))
            if record is None or outcome is None:
                return  # it has had its outcome, when the producer was given up
            if error is None:
                self._has_delivered = True
                self._last = message
                self._journal.delivered()
            _report(record, outcome, None if error is None else self._journal.explain(error))
        except Exception:  # noqa: BLE001 (would lose the next report)
            _log.exception("The report of a delivery failed")

    def _on_error(self, error: KafkaErrorLike) -> None:
        try:
            self._journal.error(error)
        except Exception:  # noqa: BLE001 (would lose the next report)
            _log.exception("An error of librdkafka could not be noted")

    def _on_throttle(self, event: object) -> None:
        _log.debug("The broker throttles: %s", event)

    def _guarded(self, serve: Callable[[float], object], timeout_seconds: float) -> None:
        """Call poll or flush; a fatal error of the producer, which they raise, makes it be given up."""
        try:
            serve(timeout_seconds)
        except Exception as error:  # noqa: BLE001 (raised by librdkafka's fatal errors only)
            self._broken = f"the Kafka producer failed: {self._journal.text(error)}"
            self._reopen_at = time.monotonic() + _REOPEN_SECONDS
            self._abandon(self._broken)

    def _abandon(self, reason: str) -> None:
        """Report all that is under way as failed and close the producer, never waiting for brokers."""
        producer, self._producer = self._producer, None
        unresolved, self._pending = self._pending, {}
        for record, outcome in unresolved.values():
            _report(record, outcome, reason)
        if producer is None:
            return
        try:
            producer.purge()
            if producer.flush(_PURGE_SECONDS) == 0:
                producer.close()
                return
        except Exception as error:  # noqa: BLE001 (a producer in a fatal state raises from anything)
            _log.debug("Closing the producer: %s", error)
        _PARKED.append(producer)

    def _is_forked(self) -> bool:
        if os.getpid() == self._pid:
            return False
        if self._producer is not None:
            _PARKED.append(self._producer)
            self._producer = None
            self._pending = {}
        return True


def _report(record: Record, outcome: Outcome, reason: str | None) -> None:
    try:
        outcome(record, reason)
    except Exception:  # noqa: BLE001 (the caller's bug must not reach librdkafka)
        _log.exception("An outcome could not be handled")


def _check_files(config: Mapping[str, str], kafka: Mapping[str, str]) -> None:
    """Refuse PEM files that cannot be read, because librdkafka says so only at the first record, and in riddles."""
    for key, java_key in _PEM_KEYS.items():
        if key not in config or NATIVE_PREFIX + key in kafka:
            continue
        try:
            text = Path(config[key]).read_bytes()
        except OSError as error:
            raise ConfigurationError(
                f"atlas.kafka.{java_key} = {config[key]}: cannot be read: {error.strerror}; correct the path (it is "
                "relative to the driver's working directory) or the permissions"
            ) from None
        if b"-----BEGIN " not in text:
            raise ConfigurationError(f"atlas.kafka.{java_key} = {config[key]}: is no PEM file; convert it to PEM")
