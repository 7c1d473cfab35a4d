"""The errors of Kafka's clients and what they mean: a table, read from the top; the first row that fits counts.

Names are librdkafka's (`TOPIC_AUTHORIZATION_FAILED`, its own begin with `_`; `_LOG` is a line of its log) and those of
Kafka's exceptions in Java (`TopicAuthorizationException`), texts are the clients' and the brokers'. Knows neither client.

Source: `rdkafka.h` (`rd_kafka_resp_err_t`), `org.apache.kafka.common.errors`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sac_kafka.transport.base import Trouble
from sac_kafka.transport.kerberos_errors import KERBEROS


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table.

    It fits an error of one of the `names` (any name, where there are none) whose text has `pattern` (any text, without
    one). `weight` says which of two troubles is told: 3 is a cause, 2 a connection, 1 a guess, 0 nothing by itself.
    An error of a connection that comes `blocks_after` times with nothing delivered in between says that nothing will
    get through; 0: it never says so. A `guess` fits only as long as nothing ever got through.
    """

    kind: str
    trouble: Trouble
    says: str
    cure: str
    names: frozenset[str] = frozenset()
    pattern: re.Pattern[str] | None = None
    weight: int = 3
    blocks_after: int = 0
    guess: bool = False

    def fits(self, name: str, text: str) -> bool:
        """Say whether this row is about the error."""
        return (not self.names or name in self.names) and (self.pattern is None or bool(self.pattern.search(text)))


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _has(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_BLOCKED, _PASSING, _REJECTED = Trouble.BLOCKED, Trouble.PASSING, Trouble.REJECTED
_ADDRESS = "check atlas.kafka.bootstrap.servers: host and port"
_PROTOCOL = "check the port in atlas.kafka.bootstrap.servers and atlas.kafka.security.protocol"
_WAIT = "messages wait; see the broker and the way to it"
_LOG_IN = _names(
    "_AUTHENTICATION SASL_AUTHENTICATION_FAILED UNSUPPORTED_SASL_MECHANISM "
    "SaslAuthenticationException AuthenticationException UnsupportedSaslMechanismException"
)
_NOT_MADE = _names("_NOT_MADE")
_TLS = r"alert number (?:4[0-8]|116)\b|fatal alert: (?:bad_cert|certificate|unknown_ca|handshake_fail|access_denied)"
_CLIENT_CERTIFICATE = rf"{_TLS}|alert (?:bad certificate|certificate required|unknown ca|certificate unknown)"
_UNREACHED = r"token.*(?:connect|resolve|timed? ?out|refused|unreachable|\b5\d\d\b)"

RULES: tuple[Rule, ...] = (
    # ---- what is told of no connection
    Rule(
        "gone",
        _BLOCKED,
        "the driver's JVM is gone",
        "messages wait in the spool",
        names=_names("JvmGone"),
        blocks_after=1,
    ),
    Rule(
        "Java client",
        _BLOCKED,
        "the driver's Kafka client cannot be used",
        "put kafka-clients of version 2.8 or newer on the driver's class path",
        names=_names("JvmClientError"),
    ),
    # ---- logging in
    *(
        Rule(
            each.kind,
            each.trouble,
            each.says,
            each.cure,
            pattern=_has(each.pattern),
            blocks_after=1 if each.trouble is _BLOCKED else 0,
        )
        for each in KERBEROS
    ),
    Rule(
        "no log-in there",
        _BLOCKED,
        "the port does not want a SASL log-in",
        f"set atlas.kafka.security.protocol to PLAINTEXT or SSL, or {_PROTOCOL}",
        pattern=_has(r"current sasl state|illegal_?saslstate|illegal_sasl_state|different protocol|protocol mismatch"),
        blocks_after=1,
    ),
    Rule(
        "mechanism",
        _BLOCKED,
        "the broker does not offer this SASL mechanism",
        "set atlas.kafka.sasl.mechanism to one that its listener has",
        names=_LOG_IN,
        pattern=_has(r"unsupported_?\s?sasl_?\s?mechanism|mechanism handshake failed|not enabled in the server"),
        blocks_after=1,
    ),
    Rule(
        "token server",
        _PASSING,
        "no OAuth token could be had",
        "check atlas.kafka.sasl.oauthbearer.token.endpoint.url and the way to it",
        names=_LOG_IN | _NOT_MADE,
        pattern=_has(_UNREACHED),
    ),
    Rule(
        "token",
        _BLOCKED,
        "the OAuth token was refused, or there is none",
        "check client id, secret and scope in atlas.kafka.sasl.jaas.config and atlas.kafka.sasl.oauthbearer.*",
        names=_LOG_IN | _NOT_MADE,
        pattern=_has(r"oauthbearer|oauth|\bjwt\b|\btoken\b|invalid_client|invalid_token"),
        blocks_after=1,
    ),
    Rule(
        "kerberos",
        _BLOCKED,
        "the Kerberos log-in failed",
        "check keyTab and principal (or the ticket), sasl.kerberos.service.name and the driver's krb5.conf",
        pattern=_has(r"gssapi|kerberos|krb5|\bkdc\b|loginexception|javax\.security\.auth"),
        blocks_after=1,
    ),
    Rule(
        "password",
        _BLOCKED,
        "the broker refuses the user or the password",
        "correct username and password in atlas.kafka.sasl.jaas.config (or atlas.jaas.KafkaClient.option.*)",
        names=_LOG_IN,
        blocks_after=1,
    ),
    Rule(
        "log-in broken off",
        _PASSING,
        "the connection broke off during the log-in",
        f"check user and password in atlas.kafka.sasl.jaas.config; {_PROTOCOL}",
        pattern=_has(r"sasl(?:authenticate|handshake)"),
        weight=2,
        blocks_after=3,
    ),
    # ---- TLS
    Rule(
        "no TLS there",
        _PASSING,
        "the port does not speak TLS, or something resets its connections",
        f"set atlas.kafka.security.protocol to PLAINTEXT or SASL_PLAINTEXT, or {_PROTOCOL}",
        pattern=_has(r"plaintext broker listener|unsupported or unrecognized ssl|wrong.version.number|http request"),
        weight=2,
        guess=True,
    ),
    Rule(
        "client certificate",
        _BLOCKED,
        "the broker does not accept this client's certificate, or wants one",
        "set atlas.kafka.ssl.keystore.location (and its password) to a certificate of a CA that the broker trusts",
        pattern=_has(_CLIENT_CERTIFICATE),
        blocks_after=1,
    ),
    Rule(
        "certificate of another host",
        _BLOCKED,
        "the broker's certificate is for another host",
        "use the host name of its certificate in atlas.kafka.bootstrap.servers and the broker's advertised.listeners, "
        "or give the broker a certificate for this one",
        pattern=_has(r"hostname mismatch|ip address mismatch|no subject alternative|no name matching|not match.*host"),
        blocks_after=1,
    ),
    Rule(
        "certificate expired",
        _BLOCKED,
        "the broker's certificate is expired or not yet valid",
        "give the broker a new certificate, or correct the clock",
        pattern=_has(r"has expired|certificateexpired|certificatenotyetvalid|not yet valid|notafter"),
        blocks_after=1,
    ),
    Rule(
        "certificate not trusted",
        _BLOCKED,
        "the broker's certificate is not trusted",
        "put the certificate of its CA into atlas.kafka.ssl.truststore.location",
        pattern=_has(r"unable to get|self.signed|pkix|certification path|trustanchors|unknown ca"),
        blocks_after=1,
    ),
    Rule(
        "certificate",
        _BLOCKED,
        "the broker's certificate is of a CA that is not trusted, for another host, or expired",
        "put the certificate of its CA into atlas.kafka.ssl.truststore.location, check the host name and the dates",
        pattern=_has(r"certificate verify failed|certificate could not be verified|certificateexception"),
        blocks_after=1,
    ),
    Rule(
        "TLS",
        _PASSING,
        "the TLS handshake failed",
        f"check atlas.kafka.ssl.*; {_PROTOCOL}",
        names=_names("_SSL SslAuthenticationException SSLHandshakeException SSLException"),
        weight=2,
        blocks_after=5,
    ),
    # ---- topics and permissions
    Rule(
        "topic missing",
        _BLOCKED,
        "the topic {topic} does not exist",
        "create it, or set atlas.notification.hook.topic.name",
        names=_names("UNKNOWN_TOPIC_OR_PART _UNKNOWN_TOPIC UNKNOWN_TOPIC_ID UnknownTopicOrPartitionException"),
    ),
    Rule(
        "topic missing",
        _BLOCKED,
        "the topic {topic} does not exist",
        "create it, or set atlas.notification.hook.topic.name",
        pattern=_has(r"UnknownTopicOrPartition|UNKNOWN_TOPIC_OR_PARTITION"),
    ),
    Rule(
        "topic name",
        _BLOCKED,
        "the topic {topic} has a name that Kafka does not allow",
        "set atlas.notification.hook.topic.name to letters, digits, '.', '_' and '-'",
        names=_names("TOPIC_EXCEPTION InvalidTopicException"),
    ),
    Rule(
        "topic not allowed",
        _BLOCKED,
        "the user may not write to the topic {topic}",
        "allow Write and Describe on it (Event Hubs: a policy with Send)",
        pattern=_has(r"^TOPIC_AUTHORIZATION_FAILED|TopicAuthorizationException|topic authorization failed"),
    ),
    Rule(
        "cluster not allowed",
        _BLOCKED,
        "the user lacks a right on the Kafka cluster",
        "set atlas.kafka.enable.idempotence = false, or allow IdempotentWrite",
        pattern=_has(r"(?:cluster|transactional_?id)[_ ]?authorization(?:[_ ]failed|exception)"),
        blocks_after=1,
    ),
    # ---- one record
    Rule(
        "too large",
        _REJECTED,
        "the message is larger than the topic or the client takes",
        "lower atlas.notification.message.max.length.bytes, or raise max.message.bytes of the topic and "
        "atlas.kafka.max.request.size",
        names=_names(
            "MSG_SIZE_TOO_LARGE RECORD_LIST_TOO_LARGE INVALID_MSG_SIZE "
            "RecordTooLargeException RecordBatchTooLargeException"
        ),
    ),
    Rule(
        "invalid record",
        _REJECTED,
        "the broker does not take this message",
        "see the topic's settings (compaction needs keys; message.format, timestamps) and the broker's log",
        names=_names(
            "INVALID_RECORD INVALID_MSG INVALID_TIMESTAMP UNSUPPORTED_FOR_MESSAGE_FORMAT _INVALID_DIFFERENT_RECORD "
            "InvalidRecordException InvalidTimestampException UnsupportedForMessageFormatException "
            "SerializationException"
        ),
    ),
    # ---- brokers that cannot just now
    Rule(
        "throttled",
        _PASSING,
        "the service throttles",
        "raise its throughput (Event Hubs: throughput units) or the user's quota",
        names=_names(
            "POLICY_VIOLATION THROTTLING_QUOTA_EXCEEDED PolicyViolationException ThrottlingQuotaExceededException"
        ),
    ),
    Rule(
        "too few replicas",
        _PASSING,
        "fewer replicas of the topic {topic} are in sync than its min.insync.replicas",
        "see the brokers",
        pattern=_has(r"^NOT_ENOUGH_REPLICAS|NotEnoughReplicas|^_ISR_INSUFF"),
    ),
    Rule(
        "settings",
        _BLOCKED,
        "the Kafka client cannot work with its settings",
        "correct atlas.kafka.*",
        names=_names(
            "_NOT_MADE JvmClientError IllegalArgumentException "
            "_INVALID_ARG _NOT_IMPLEMENTED _UNSUPPORTED_FEATURE INVALID_CONFIG INVALID_REQUIRED_ACKS "
            "UNSUPPORTED_COMPRESSION_TYPE ConfigException InvalidConfigurationException UnsupportedVersionException "
            "InvalidRequiredAcksException UnsupportedCompressionTypeException"
        ),
        blocks_after=1,
    ),
    # ---- the way to them
    Rule(
        "unknown host",
        _PASSING,
        "a broker's host name is not known",
        _ADDRESS,
        pattern=_has(r"^_RESOLVE|failed to resolve|no resolvable bootstrap|unknownhost"),
        weight=2,
    ),
    Rule("refused", _PASSING, "nothing listens at the broker's port", _ADDRESS, pattern=_has("refused"), weight=2),
    Rule(
        "unreachable",
        _PASSING,
        "the broker's host does not answer",
        f"{_ADDRESS}; is a firewall in between?",
        pattern=_has(r"timed out in state (?:TRY_)?CONNECT\b|connection timed out|sockettimeout|unreachable|no ?route"),
        weight=2,
    ),
    Rule(
        "silent",
        _PASSING,
        "the broker's port takes connections and does not answer",
        f"see whether the broker is overloaded or stopped; else {_PROTOCOL}",
        pattern=_has(r"timed out in state"),
        weight=2,
    ),
    Rule(
        "no answer",
        _PASSING,
        "the broker does not answer",
        _ADDRESS,
        pattern=_has(r"request.*in flight|request timed out|not present in metadata"),
        weight=2,
    ),
    Rule(
        "connection lost",
        _PASSING,
        "the connection to the broker broke off",
        _WAIT,
        pattern=_has(r"reset by peer|disconnected|closed by peer|broken pipe|connection closed"),
        weight=1,
    ),
    Rule(
        "no broker",
        _PASSING,
        "no broker answers as Kafka: wrong port or wrong protocol",
        _PROTOCOL,
        names=_names("_ALL_BROKERS_DOWN DisconnectException"),
        weight=1,
        guess=True,
    ),
    Rule(
        "down",
        _PASSING,
        "no broker can be reached",
        _WAIT,
        names=_names("_ALL_BROKERS_DOWN DisconnectException"),
        weight=1,
    ),
    Rule("client failed", _PASSING, "the Kafka client failed", "it is made anew", names=_names("_FATAL"), weight=2),
    Rule("connection", _PASSING, "no connection", _WAIT, names=_names("_TRANSPORT NetworkException"), weight=1),
    Rule(
        "not acknowledged",
        _PASSING,
        "the broker did not acknowledge in time",
        _ADDRESS,
        names=_names(
            "_MSG_TIMED_OUT _TIMED_OUT _TIMED_OUT_QUEUE _PURGE_QUEUE _PURGE_INFLIGHT REQUEST_TIMED_OUT "
            "TimeoutException InterruptException"
        ),
        weight=0,
    ),
)

UNKNOWN = Rule("other", _PASSING, "the Kafka client reports {name}", "see the broker's log", weight=0)
"""What is in no row."""
