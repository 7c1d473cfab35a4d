"""What `sac-kafka doctor` says of the longest message: the hook's limit beside the topic's, or why the topic's is not known."""

from __future__ import annotations

from sac_kafka.config.secrets import mask_text
from sac_kafka.settings import Settings
from sac_kafka.transport.examining.findings import Finding, Verdict
from sac_kafka.transport.kafka.client import Failed
from sac_kafka.transport.kafka.settings.event_hubs import RECORD_BYTES

_LIMIT = "atlas.notification.message.max.length.bytes"
_SHORTEST_LIMIT = 10_000
"""What that setting takes at least."""
_AROUND_BYTES = 1024
"""Of a batch with one record: what is around its value (Kafka's headers, the key)."""
NOT_TOLD = Failed(0, "NOT_TOLD", "")
"""The broker has answered, and said nothing of the limit."""

_REFUSED = (
    Verdict.SKIPPED,
    "what the topic takes this user may not ask: for this line alone it needs DescribeConfigs on the topic",
)
_SILENT = (
    Verdict.DOUBT,
    "what the topic takes the broker did not tell in time: run it again, or give more by --timeout",
)
_UNKNOWN = (
    Verdict.SKIPPED,
    "what the topic takes this broker does not tell: see its max.message.bytes where the topic was made",
)
_GONE = (Verdict.WRONG, "the topic {topic} is not there any more: create it")
_WHY = {
    "TOPIC_AUTHORIZATION_FAILED": _REFUSED,
    "CLUSTER_AUTHORIZATION_FAILED": _REFUSED,
    "_TIMED_OUT": _SILENT,
    "REQUEST_TIMED_OUT": _SILENT,
    "TimeoutError": _SILENT,
    "_TRANSPORT": _SILENT,
    "_ALL_BROKERS_DOWN": _SILENT,
    "_UNSUPPORTED_FEATURE": _UNKNOWN,
    "UNSUPPORTED_VERSION": _UNKNOWN,
    "INVALID_REQUEST": _UNKNOWN,
    NOT_TOLD.name: _UNKNOWN,
    "UNKNOWN_TOPIC_OR_PART": _GONE,
}
"""By the names of librdkafka's errors, and of the exception of one who waits for its answer."""
_OTHERS = (Verdict.DOUBT, "what the topic takes is not known: {said}")


def size(settings: Settings, topic_bytes: int | Failed) -> Finding:
    """Compare the longest message of the hook with the longest batch of the topic.

    Args:
        settings: The hook's.
        topic_bytes: What the topic takes, or why that is not known.
    """
    longest = settings.content.message_max_bytes
    own = f"messages have up to {longest:,} bytes"
    if isinstance(topic_bytes, Failed):
        verdict, why = _WHY.get(topic_bytes.name, _OTHERS)
        said = mask_text(f"{topic_bytes.name} {topic_bytes.text}".strip())
        return Finding(verdict, "size", f"{own}; {why.format(topic=settings.sink.topic, said=said)}")
    if topic_bytes < longest + _AROUND_BYTES:
        fitting = topic_bytes - _AROUND_BYTES
        text = (
            f"{own}, and the topic {settings.sink.topic} takes {topic_bytes:,}: longer ones are refused; raise its "
            "max.message.bytes"
        )
        shorter = f", or set {_LIMIT} = {fitting}" if fitting >= _SHORTEST_LIMIT else ""
        return Finding(Verdict.WRONG, "size", text + shorter)
    return Finding(Verdict.GOOD, "size", f"{own}, and the topic takes {topic_bytes:,}")


def size_of_hub(settings: Settings) -> Finding:
    """Say what Event Hubs takes, which does not tell."""
    longest = min(settings.content.message_max_bytes, RECORD_BYTES)
    text = f"messages have up to {longest:,} bytes; Event Hubs takes 1 MB (tier Basic, which has no Kafka: 256 kB)"
    return Finding(Verdict.GOOD, "size", text)
