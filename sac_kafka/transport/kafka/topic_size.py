"""Compare the hook's maximum message size with the topic's, for `sac-kafka doctor`."""

from __future__ import annotations

from sac_kafka.masking import mask_text
from sac_kafka.settings import Settings
from sac_kafka.transport.diagnostics.findings import Finding, Verdict
from sac_kafka.transport.kafka.client import Failed
from sac_kafka.transport.kafka.settings.event_hubs import RECORD_BYTES

_LIMIT = "atlas.notification.message.max.length.bytes"
_MIN_LIMIT = 10_000
"""Minimum of that setting."""
_OVERHEAD_BYTES = 1024
"""Size of a batch with one record without its value (Kafka's headers, the key)."""
NOT_REPORTED = Failed(0, "NOT_REPORTED", "")
"""The broker responded without `max.message.bytes`."""

_DENIED = (
    Verdict.SKIPPED,
    "the topic's limit is unknown, because this user may not query it: only this check needs DescribeConfigs on the topic",
)
_TIMED_OUT = (
    Verdict.DOUBT,
    "the topic's limit is unknown, because the broker did not respond in time: run it again, or increase --timeout",
)
_UNSUPPORTED = (
    Verdict.SKIPPED,
    "the topic's limit is unknown, because this broker does not report it: check max.message.bytes of the topic there",
)
_DELETED = (Verdict.WRONG, "the topic {topic} does not exist any more: create it")
_REASONS = {
    "TOPIC_AUTHORIZATION_FAILED": _DENIED,
    "CLUSTER_AUTHORIZATION_FAILED": _DENIED,
    "_TIMED_OUT": _TIMED_OUT,
    "REQUEST_TIMED_OUT": _TIMED_OUT,
    "TimeoutError": _TIMED_OUT,
    "_TRANSPORT": _TIMED_OUT,
    "_ALL_BROKERS_DOWN": _TIMED_OUT,
    "_UNSUPPORTED_FEATURE": _UNSUPPORTED,
    "UNSUPPORTED_VERSION": _UNSUPPORTED,
    "INVALID_REQUEST": _UNSUPPORTED,
    NOT_REPORTED.name: _UNSUPPORTED,
    "UNKNOWN_TOPIC_OR_PART": _DELETED,
}
"""Verdict and text by the name of librdkafka's error or of the exception raised while waiting for the response."""
_OTHER = (Verdict.DOUBT, "the topic's limit is unknown: {error}")


def size(settings: Settings, topic_bytes: int | Failed) -> Finding:
    """Compare the hook's maximum message size with the topic's maximum batch size.

    Args:
        settings: The hook's settings.
        topic_bytes: The topic's `max.message.bytes`, or why it is not known.
    """
    max_bytes = settings.content.message_max_bytes
    own = f"messages have up to {max_bytes:,} bytes"
    if isinstance(topic_bytes, Failed):
        verdict, reason = _REASONS.get(topic_bytes.name, _OTHER)
        error = mask_text(f"{topic_bytes.name} {topic_bytes.text}".strip())
        return Finding(verdict, "size", f"{own}; {reason.format(topic=settings.sink.topic, error=error)}")
    if topic_bytes < max_bytes + _OVERHEAD_BYTES:
        fitting = topic_bytes - _OVERHEAD_BYTES
        text = (
            f"{own}, but the topic {settings.sink.topic} accepts only {topic_bytes:,}: longer ones are rejected; raise its "
            "max.message.bytes"
        )
        lower = f", or set {_LIMIT} = {fitting}" if fitting >= _MIN_LIMIT else ""
        return Finding(Verdict.WRONG, "size", text + lower)
    return Finding(Verdict.GOOD, "size", f"{own}, the topic accepts {topic_bytes:,}")


def event_hubs_size(settings: Settings) -> Finding:
    """Report the fixed limit of Event Hubs, which cannot be queried."""
    max_bytes = min(settings.content.message_max_bytes, RECORD_BYTES)
    text = f"messages have up to {max_bytes:,} bytes; Event Hubs accepts 1 MB (tier Basic, without Kafka: 256 kB)"
    return Finding(Verdict.GOOD, "size", text)
