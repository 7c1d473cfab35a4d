"""Rules that explain the errors of Kafka clients; the first matching rule wins.

Names are those of librdkafka (`TOPIC_AUTHORIZATION_FAILED`; its local errors begin with `_`, `_LOG` is a line of its log)
and of Kafka's Java exceptions (`TopicAuthorizationException`); texts are those of the clients and brokers.

Source: `rdkafka.h` (`rd_kafka_resp_err_t`), `org.apache.kafka.common.errors`.
"""

from __future__ import annotations

from sac_kafka.transport.kafka.errors.login import LOGIN_RULES
from sac_kafka.transport.kafka.errors.rule import (
    ADDRESS,
    PROTOCOL,
    WAIT,
    Rule,
    in_order,
    needs_action,
    rejected,
    transient,
)

RULES: tuple[Rule, ...] = (
    # ---- errors without a connection
    needs_action(
        "gone",
        "the driver's JVM is gone",
        "messages are kept in the spool, and a later job delivers them",
        names="JvmGone",
    ),
    needs_action(
        "Java client",
        "the driver's Kafka client cannot be used",
        "put kafka-clients 2.8 or newer on the driver's class path",
        names="JvmClientError",
    ),
    *LOGIN_RULES,
    # ---- topics and permissions
    needs_action(
        "topic missing",
        "the topic {topic} does not exist",
        "create it, or set atlas.notification.hook.topic.name",
        names="UNKNOWN_TOPIC_OR_PART _UNKNOWN_TOPIC UNKNOWN_TOPIC_ID UnknownTopicOrPartitionException",
        blocks_after=0,
    ),
    needs_action(
        "topic missing",
        "the topic {topic} does not exist",
        "create it, or set atlas.notification.hook.topic.name",
        r"UnknownTopicOrPartition|UNKNOWN_TOPIC_OR_PARTITION",
        blocks_after=0,
    ),
    needs_action(
        "topic name",
        "Kafka does not allow the topic name {topic}",
        "use only letters, digits, '.', '_' and '-' in atlas.notification.hook.topic.name",
        names="TOPIC_EXCEPTION InvalidTopicException",
        blocks_after=0,
    ),
    needs_action(
        "topic not allowed",
        "the user may not write to the topic {topic}",
        "grant the user Write and Describe on it (Event Hubs: a policy with Send, in a tier above Basic)",
        r"^TOPIC_AUTHORIZATION_FAILED|TopicAuthorizationException|topic authorization failed",
        blocks_after=0,
    ),
    needs_action(
        "cluster not allowed",
        "the user lacks a permission on the Kafka cluster",
        "set atlas.kafka.enable.idempotence = false, or grant the user IdempotentWrite",
        r"(?:cluster|transactional_?id)[_ ]?authorization(?:[_ ]failed|exception)",
    ),
    # ---- single records
    rejected(
        "too large",
        "the message is larger than the topic or the client allows",
        "lower atlas.notification.message.max.length.bytes, or raise max.message.bytes of the topic and "
        "atlas.kafka.max.request.size",
        names="MSG_SIZE_TOO_LARGE RECORD_LIST_TOO_LARGE INVALID_MSG_SIZE "
        "RecordTooLargeException RecordBatchTooLargeException",
    ),
    needs_action(
        "batch format",
        "the broker does not accept batches of this format",
        "remove atlas.kafka.compression.type (Event Hubs: gzip in the tiers Premium and Dedicated, nothing else), or raise "
        "message.format.version of the topic",
        names="UNSUPPORTED_FOR_MESSAGE_FORMAT UnsupportedForMessageFormatException",
        blocks_after=0,
    ),
    rejected(
        "invalid record",
        "the broker rejects this message",
        "check the topic's settings (cleanup.policy, message format, timestamps) and the broker's log",
        names="INVALID_RECORD INVALID_MSG INVALID_TIMESTAMP _INVALID_DIFFERENT_RECORD "
        "InvalidRecordException InvalidTimestampException SerializationException",
    ),
    # ---- temporary errors of brokers
    transient(
        "throttled",
        "the service is throttling",
        "raise its throughput (Event Hubs: throughput units) or the user's quota",
        names="POLICY_VIOLATION THROTTLING_QUOTA_EXCEEDED PolicyViolationException ThrottlingQuotaExceededException",
        weight=3,
    ),
    transient(
        "too few replicas",
        "the topic {topic} has fewer in-sync replicas than its min.insync.replicas",
        "messages are kept; check the brokers",
        r"^NOT_ENOUGH_REPLICAS|NotEnoughReplicas|^_ISR_INSUFF",
        weight=3,
    ),
    needs_action(
        "settings",
        "the Kafka client rejects its settings",
        "correct atlas.kafka.*",
        names="_NOT_MADE JvmClientError IllegalArgumentException "
        "_INVALID_ARG _NOT_IMPLEMENTED _UNSUPPORTED_FEATURE INVALID_CONFIG INVALID_REQUIRED_ACKS "
        "UNSUPPORTED_COMPRESSION_TYPE ConfigException InvalidConfigurationException UnsupportedVersionException "
        "InvalidRequiredAcksException UnsupportedCompressionTypeException",
    ),
    # ---- connections to brokers
    transient(
        "unknown host",
        "a broker's host name cannot be resolved",
        ADDRESS,
        r"^_RESOLVE|failed to resolve|no resolvable bootstrap|unknownhost",
    ),
    transient("refused", "nothing listens on the broker's port", ADDRESS, "refused"),
    transient(
        "unreachable",
        "the broker's host does not answer",
        f"{ADDRESS}; is a firewall in between?",
        r"timed out in state (?:TRY_)?CONNECT\b|connection timed out|sockettimeout|unreachable|no ?route",
    ),
    transient(
        "silent",
        "the broker accepts connections, but does not answer",
        f"{PROTOCOL}; is the broker overloaded?",
        r"timed out in state|ApiVersionRequest failed: Local: Timed out",
    ),
    transient(
        "no metadata",
        "no broker has metadata for topic {topic}",
        f"create the topic if it does not exist; {WAIT}",
        r"not present in metadata",
    ),
    transient(
        "no answer", "the broker does not answer", WAIT, rf"request timed out|{in_order('request', 'in flight')}"
    ),
    transient(
        "connection lost",
        "the connection to the broker was lost",
        WAIT,
        r"reset by peer|disconnected|closed by peer|broken pipe|connection closed",
        weight=1,
    ),
    transient(
        "no broker",
        "no broker answers as Kafka: wrong port or wrong protocol",
        f"{PROTOCOL} (Event Hubs: tier Basic, or the connection string)",
        names="_ALL_BROKERS_DOWN DisconnectException",
        guess=True,
        weight=1,
    ),
    transient("down", "no broker can be reached", WAIT, names="_ALL_BROKERS_DOWN DisconnectException", weight=1),
    transient("client failed", "the Kafka client failed", "it is being recreated", names="_FATAL"),
    transient("connection", "no connection", WAIT, names="_TRANSPORT NetworkException", weight=1),
    transient(
        "not acknowledged",
        "the broker did not acknowledge in time",
        WAIT,
        names="_MSG_TIMED_OUT _TIMED_OUT _TIMED_OUT_QUEUE _PURGE_QUEUE _PURGE_INFLIGHT REQUEST_TIMED_OUT "
        "TimeoutException InterruptException",
        weight=0,
    ),
)

UNKNOWN = transient("other", "the Kafka client reports {name}", "check the broker's log", weight=0)
"""Rule for all other errors."""
