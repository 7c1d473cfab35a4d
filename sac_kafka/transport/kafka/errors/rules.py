"""Rules that explain the errors of Kafka clients; the first matching rule wins.

Names are those of librdkafka (`TOPIC_AUTHORIZATION_FAILED`; its local errors begin with `_`, `_LOG` is a line of its log)
and of Kafka's Java exceptions (`TopicAuthorizationException`); texts are those of the clients and brokers.

Source: `rdkafka.h` (`rd_kafka_resp_err_t`), `org.apache.kafka.common.errors`.
"""

from __future__ import annotations

from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.kafka.errors.login import LOGIN_RULES
from sac_kafka.transport.kafka.errors.rule import ADDRESS, PROTOCOL, WAIT, Rule, has, in_order, names

_NEEDS_ACTION, _TRANSIENT, _REJECTED = FailureKind.NEEDS_ACTION, FailureKind.TRANSIENT, FailureKind.REJECTED

RULES: tuple[Rule, ...] = (
    # ---- errors without a connection
    Rule(
        "gone",
        _NEEDS_ACTION,
        "the driver's JVM is gone",
        "messages are kept in the spool, and a later job delivers them",
        names=names("JvmGone"),
        blocks_after=1,
    ),
    Rule(
        "Java client",
        _NEEDS_ACTION,
        "the driver's Kafka client cannot be used",
        "put kafka-clients 2.8 or newer on the driver's class path",
        names=names("JvmClientError"),
        blocks_after=1,
    ),
    *LOGIN_RULES,
    # ---- topics and permissions
    Rule(
        "topic missing",
        _NEEDS_ACTION,
        "the topic {topic} does not exist",
        "create it, or set atlas.notification.hook.topic.name",
        names=names("UNKNOWN_TOPIC_OR_PART _UNKNOWN_TOPIC UNKNOWN_TOPIC_ID UnknownTopicOrPartitionException"),
    ),
    Rule(
        "topic missing",
        _NEEDS_ACTION,
        "the topic {topic} does not exist",
        "create it, or set atlas.notification.hook.topic.name",
        pattern=has(r"UnknownTopicOrPartition|UNKNOWN_TOPIC_OR_PARTITION"),
    ),
    Rule(
        "topic name",
        _NEEDS_ACTION,
        "Kafka does not allow the topic name {topic}",
        "use only letters, digits, '.', '_' and '-' in atlas.notification.hook.topic.name",
        names=names("TOPIC_EXCEPTION InvalidTopicException"),
    ),
    Rule(
        "topic not allowed",
        _NEEDS_ACTION,
        "the user may not write to the topic {topic}",
        "grant the user Write and Describe on it (Event Hubs: a policy with Send, in a tier above Basic)",
        pattern=has(r"^TOPIC_AUTHORIZATION_FAILED|TopicAuthorizationException|topic authorization failed"),
    ),
    Rule(
        "cluster not allowed",
        _NEEDS_ACTION,
        "the user lacks a permission on the Kafka cluster",
        "set atlas.kafka.enable.idempotence = false, or grant the user IdempotentWrite",
        pattern=has(r"(?:cluster|transactional_?id)[_ ]?authorization(?:[_ ]failed|exception)"),
        blocks_after=1,
    ),
    # ---- single records
    Rule(
        "too large",
        _REJECTED,
        "the message is larger than the topic or the client allows",
        "lower atlas.notification.message.max.length.bytes, or raise max.message.bytes of the topic and "
        "atlas.kafka.max.request.size",
        names=names(
            "MSG_SIZE_TOO_LARGE RECORD_LIST_TOO_LARGE INVALID_MSG_SIZE "
            "RecordTooLargeException RecordBatchTooLargeException"
        ),
    ),
    Rule(
        "batch format",
        _NEEDS_ACTION,
        "the broker does not accept batches of this format",
        "remove atlas.kafka.compression.type (Event Hubs: gzip in the tiers Premium and Dedicated, nothing else), or raise "
        "message.format.version of the topic",
        names=names("UNSUPPORTED_FOR_MESSAGE_FORMAT UnsupportedForMessageFormatException"),
    ),
    Rule(
        "invalid record",
        _REJECTED,
        "the broker rejects this message",
        "check the topic's settings (cleanup.policy, message format, timestamps) and the broker's log",
        names=names(
            "INVALID_RECORD INVALID_MSG INVALID_TIMESTAMP _INVALID_DIFFERENT_RECORD "
            "InvalidRecordException InvalidTimestampException SerializationException"
        ),
    ),
    # ---- temporary errors of brokers
    Rule(
        "throttled",
        _TRANSIENT,
        "the service is throttling",
        "raise its throughput (Event Hubs: throughput units) or the user's quota",
        names=names(
            "POLICY_VIOLATION THROTTLING_QUOTA_EXCEEDED PolicyViolationException ThrottlingQuotaExceededException"
        ),
    ),
    Rule(
        "too few replicas",
        _TRANSIENT,
        "the topic {topic} has fewer in-sync replicas than its min.insync.replicas",
        "messages are kept; check the brokers",
        pattern=has(r"^NOT_ENOUGH_REPLICAS|NotEnoughReplicas|^_ISR_INSUFF"),
    ),
    Rule(
        "settings",
        _NEEDS_ACTION,
        "the Kafka client rejects its settings",
        "correct atlas.kafka.*",
        names=names(
            "_NOT_MADE JvmClientError IllegalArgumentException "
            "_INVALID_ARG _NOT_IMPLEMENTED _UNSUPPORTED_FEATURE INVALID_CONFIG INVALID_REQUIRED_ACKS "
            "UNSUPPORTED_COMPRESSION_TYPE ConfigException InvalidConfigurationException UnsupportedVersionException "
            "InvalidRequiredAcksException UnsupportedCompressionTypeException"
        ),
        blocks_after=1,
    ),
    # ---- connections to brokers
    Rule(
        "unknown host",
        _TRANSIENT,
        "a broker's host name cannot be resolved",
        ADDRESS,
        pattern=has(r"^_RESOLVE|failed to resolve|no resolvable bootstrap|unknownhost"),
        weight=2,
    ),
    Rule("refused", _TRANSIENT, "nothing listens on the broker's port", ADDRESS, pattern=has("refused"), weight=2),
    Rule(
        "unreachable",
        _TRANSIENT,
        "the broker's host does not answer",
        f"{ADDRESS}; is a firewall in between?",
        pattern=has(r"timed out in state (?:TRY_)?CONNECT\b|connection timed out|sockettimeout|unreachable|no ?route"),
        weight=2,
    ),
    Rule(
        "silent",
        _TRANSIENT,
        "the broker accepts connections, but does not answer",
        f"{PROTOCOL}; is the broker overloaded?",
        pattern=has(r"timed out in state|ApiVersionRequest failed: Local: Timed out"),
        weight=2,
    ),
    Rule(
        "no metadata",
        _TRANSIENT,
        "no broker has metadata for topic {topic}",
        f"create the topic if it does not exist; {WAIT}",
        pattern=has(r"not present in metadata"),
        weight=2,
    ),
    Rule(
        "no answer",
        _TRANSIENT,
        "the broker does not answer",
        WAIT,
        pattern=has(rf"request timed out|{in_order('request', 'in flight')}"),
        weight=2,
    ),
    Rule(
        "connection lost",
        _TRANSIENT,
        "the connection to the broker was lost",
        WAIT,
        pattern=has(r"reset by peer|disconnected|closed by peer|broken pipe|connection closed"),
        weight=1,
    ),
    Rule(
        "no broker",
        _TRANSIENT,
        "no broker answers as Kafka: wrong port or wrong protocol",
        f"{PROTOCOL} (Event Hubs: tier Basic, or the connection string)",
        names=names("_ALL_BROKERS_DOWN DisconnectException"),
        weight=1,
        guess=True,
    ),
    Rule(
        "down",
        _TRANSIENT,
        "no broker can be reached",
        WAIT,
        names=names("_ALL_BROKERS_DOWN DisconnectException"),
        weight=1,
    ),
    Rule(
        "client failed", _TRANSIENT, "the Kafka client failed", "it is being recreated", names=names("_FATAL"), weight=2
    ),
    Rule("connection", _TRANSIENT, "no connection", WAIT, names=names("_TRANSPORT NetworkException"), weight=1),
    Rule(
        "not acknowledged",
        _TRANSIENT,
        "the broker did not acknowledge in time",
        WAIT,
        names=names(
            "_MSG_TIMED_OUT _TIMED_OUT _TIMED_OUT_QUEUE _PURGE_QUEUE _PURGE_INFLIGHT REQUEST_TIMED_OUT "
            "TimeoutException InterruptException"
        ),
        weight=0,
    ),
)

UNKNOWN = Rule("other", _TRANSIENT, "the Kafka client reports {name}", "check the broker's log", weight=0)
"""Rule for all other errors."""
