"""Remembers what librdkafka says of its connections, to explain why messages are not delivered.

A delivery report in a lasting fault is only "Message timed out"; the reason came before, in an error callback or a log
line. Knows errors by their names, so that it needs no confluent_kafka.
"""

from __future__ import annotations

import logging
import re
from typing import Any, Protocol

from sac_kafka.config.secrets import mask_text

_log = logging.getLogger("sac_kafka.librdkafka")

_VARIABLE_PART = re.compile(
    r" \(after \d+ms in state \w+[^()]*(?:\([^()]*\)[^()]*)*\)"
)  # the same trouble, the same text
_LENGTH = 500  # characters of foreign text that are kept

_CONNECTION_TROUBLE = {
    # name: (how much it says, what to do)
    "_AUTHENTICATION": (
        3,
        "check atlas.kafka.sasl.mechanism and the user and password in atlas.kafka.sasl.jaas.config",
    ),
    "_SSL": (
        3,
        "the broker's certificate is of a CA that is not in atlas.kafka.ssl.truststore.location, for another host, "
        "or expired",
    ),
    "_FATAL": (3, "the producer is made anew"),
    "_RESOLVE": (2, "check atlas.kafka.bootstrap.servers"),
    "_TRANSPORT": (2, "check atlas.kafka.bootstrap.servers, the port and atlas.kafka.security.protocol"),
    "_ALL_BROKERS_DOWN": (1, "check atlas.kafka.bootstrap.servers, the port and atlas.kafka.security.protocol"),
}
_REPORT_CURES = {
    "UNKNOWN_TOPIC_OR_PART": "create the topic, or set atlas.notification.hook.topic.name",
    "_UNKNOWN_TOPIC": "create the topic, or set atlas.notification.hook.topic.name",
    "TOPIC_EXCEPTION": "set atlas.notification.hook.topic.name to an allowed name",
    "TOPIC_AUTHORIZATION_FAILED": "allow the user to write to the topic",
    "CLUSTER_AUTHORIZATION_FAILED": "allow the user to write to the topic (idempotent: also IdempotentWrite)",
    "MSG_SIZE_TOO_LARGE": "lower atlas.notification.message.max.length.bytes, or raise max.message.bytes of the topic",
    "POLICY_VIOLATION": "the service throttles; raise its throughput",
}
_LABELS = {
    "_AUTHENTICATION": "authentication failed",
    "_SSL": "TLS failed",
    "_FATAL": "the producer failed",
    "_ALL_BROKERS_DOWN": "no broker can be reached",
}
_WITHOUT_REASON = frozenset({"_MSG_TIMED_OUT", "_TIMED_OUT", "_PURGE_QUEUE", "_PURGE_INFLIGHT", "_TRANSPORT"})


class KafkaErrorLike(Protocol):
    """What is used of `confluent_kafka.KafkaError`."""

    def name(self) -> str:
        """Give the error's name, such as `_MSG_TIMED_OUT`."""

    def str(self) -> str:
        """Give the error's text."""


class Journal:
    """Takes librdkafka's errors (`error`) and log lines (`log`); `problem` is None while messages get through."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self.is_down = False
        self._rank = 0
        self._last_line: str | None = None

    def error(self, error: KafkaErrorLike) -> None:
        """Take an error that concerns no single message."""
        name, text = error.name(), _one_line(error.str())
        _log.debug("%s: %s", name, text)
        self.is_down = self.is_down or name == "_ALL_BROKERS_DOWN"
        kind = _kind(name, text)
        rank, cure = _CONNECTION_TROUBLE.get(kind, (0, ""))
        if rank == 1 and self._last_line:
            text = f"{text} ({self._last_line})"
        if rank and rank >= self._rank:
            self._rank = rank
            self.problem = f"{_label(kind)}: {text}; {cure}"

    def log(self, level: int, message: object, *args: object) -> None:  # noqa: ARG002 (the signature of logging.Logger.log)
        """Take a line of librdkafka's log; its levels are those of syslog mapped to Python's."""
        line = _one_line(" ".join(map(str, args or (message,))))
        if "CONFWARN" not in line:
            self._last_line = line
        _log.debug("%s", line)

    def delivered(self) -> None:
        """Note that a message got through: whatever was wrong is over."""
        self.problem, self.is_down, self._rank, self._last_line = None, False, 0, None

    def text(self, error: BaseException) -> str:
        """Give the text of an exception, which confluent_kafka wraps around an error."""
        inner: Any = error.args[0] if error.args else None
        return self.explain(inner) if hasattr(inner, "name") and hasattr(inner, "str") else _one_line(str(error))

    def explain(self, error: KafkaErrorLike) -> str:
        """Give the reason of a failed delivery in one line, with the trouble that went before it."""
        name = error.name()
        reason = f"{name}: {_one_line(error.str())}"
        if name in _WITHOUT_REASON:
            return f"{reason}; {self.problem or self._last_line or 'the broker gave no reason'}"
        return f"{reason}; {_REPORT_CURES[name]}" if name in _REPORT_CURES else reason


def _kind(name: str, text: str) -> str:
    """Give the name under which an error is explained: a broken connection may be a log-in or a handshake refused."""
    if name == "_TRANSPORT" and "SSL handshake failed" in text and "certificate" in text:
        return "_SSL"
    if name == "_TRANSPORT" and "Sasl" in text:
        return "_AUTHENTICATION"
    return name


def _label(kind: str) -> str:
    return _LABELS.get(kind, "no connection")


def _one_line(text: str) -> str:
    return mask_text(" ".join(_VARIABLE_PART.sub("", text).split()))[:_LENGTH]
