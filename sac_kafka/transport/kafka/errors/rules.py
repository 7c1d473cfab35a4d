"""Rules that explain the errors of Kafka clients; the first matching rule wins.

Names are those of librdkafka (`TOPIC_AUTHORIZATION_FAILED`; its local errors begin with `_`, `_LOG` is a line of its log)
and of Kafka's Java exceptions (`TopicAuthorizationException`); texts are those of the clients and brokers,
those of the Kerberos login those of the JDK (`sun.security.krb5`, `Krb5LoginModule`) and of GSS-API.

Source: `rdkafka.h` (`rd_kafka_resp_err_t`), `org.apache.kafka.common.errors`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial

from sac_kafka.transport.base import FailureKind

ADDRESS = "check atlas.kafka.bootstrap.servers: host and port"
PROTOCOL = "check the port in atlas.kafka.bootstrap.servers and atlas.kafka.security.protocol"
WAIT = "messages are kept; check the broker and the network path to it"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that explains matching errors by a cause and a fix.

    It matches errors with one of the `names` (any name if empty) whose text matches `pattern` and `about`, if set. Of two
    errors the one with the higher `weight` is reported: 3 a cause, 2 a connection error, 1 a guess, 0 no information. If a
    connection error occurs `blocks_after` times without a delivery in between, no record can be delivered; 0: never. A
    `guess` matches only until the first delivery.
    """

    kind: str
    failure_kind: FailureKind
    cause: str
    fix: str
    names: frozenset[str] = frozenset()
    pattern: re.Pattern[str] | None = None
    weight: int = 3
    blocks_after: int = 0
    guess: bool = False
    about: re.Pattern[str] | None = None

    def matches(self, name: str, text: str) -> bool:
        """Return whether this rule explains the error."""
        if self.names and name not in self.names:
            return False
        return all(each is None or each.search(text) for each in (self.about, self.pattern))


def _rule(
    failure_kind: FailureKind,
    kind: str,
    cause: str,
    fix: str,
    pattern: str = "",
    *,
    names: str = "",
    weight: int = 3,
    blocks_after: int = 0,
) -> Rule:
    """Return a rule; `pattern` is searched for in any case, `names` are separated by spaces."""
    searched = has(pattern) if pattern else None
    return Rule(kind, failure_kind, cause, fix, frozenset(names.split()), searched, weight, blocks_after)


_act = partial(_rule, FailureKind.NEEDS_ACTION, blocks_after=1)
_transient = partial(_rule, FailureKind.TRANSIENT, weight=2)
_rejected = partial(_rule, FailureKind.REJECTED)


def has(pattern: str) -> re.Pattern[str]:
    """Return a case-insensitive pattern for `search`. It should not contain `.*`; use `in_order` instead."""
    return re.compile(pattern, re.IGNORECASE)


def in_order(first: str, then: str) -> str:
    """Return a pattern for two texts in one line that takes linear time; `first.*then` restarts at every `first`."""
    return rf"\A(?:(?!{first}).)*{first}.*(?:{then})"


_KERBEROS = has(r"gssapi|gss initiate|gssexception|kerberos|krb5|krbexception|\bkdc\b|loginexception|kafkaclient")
_LOG_IN = (
    "_AUTHENTICATION SASL_AUTHENTICATION_FAILED UNSUPPORTED_SASL_MECHANISM "
    "SaslAuthenticationException AuthenticationException UnsupportedSaslMechanismException"
)
_LOG_IN_OR_NOT_MADE = f"{_LOG_IN} _NOT_MADE"
_TLS = r"alert number (?:4[0-8]|116)\b|fatal alert: (?:bad_cert|certificate|unknown_ca|handshake_fail|access_denied)"
_CLIENT_CERTIFICATE = rf"{_TLS}|alert (?:bad certificate|certificate required|unknown ca|certificate unknown)"
_UNREACHED = in_order("token", r"connect|resolve|timed? ?out|refused|unreachable|\b5\d\d\b")
_ENTRA = r"(?:spark\.entra\.\*|token of Entra ID)"
_ENTRA_TRANSIENT = in_order(
    _ENTRA, r"cannot be reached|has cut the connection|no answer in time|nothing needs to be done"
)


_KERBEROS_RULES: tuple[Rule, ...] = (
    _act("login module", "the login module is not on the driver's class path",
        "correct its name in atlas.kafka.sasl.jaas.config, or add its jar",
        r"unable to find loginmodule|no loginmodule"),
    _act("kerberos broker", "the Kerberos realm does not know the broker",
        "set atlas.kafka.sasl.kerberos.service.name to the first part of the broker's principal, and use its full host name "
        "in atlas.kafka.bootstrap.servers", r"server not found in kerberos|s_principal_unknown"),
    _act("kerberos clock", "the clocks of this machine and of the KDC differ too much", "synchronize the clocks",
        r"clock skew"),
    _transient("kerberos KDC", "no KDC of the Kerberos realm answers",
        "check the realm's kdc in the driver's krb5.conf, and the network path to it",
        r"timed out|refused|unreachable|no route|unknownhost|not known", weight=3),
    _act("kerberos realm", "the Kerberos realm or its KDC is not known",
        "give the driver's JVM a krb5.conf that names them (-Djava.security.krb5.conf=FILE)",
        r"cannot locate|cannot get kdc|message stream modified|wrong realm"),
    _act("kerberos principal", "the Kerberos realm does not know the principal",
        "correct the `principal` option, or ask for the principal to be created",
        r"client not found in kerberos|c_principal_unknown|has been revoked"),
    _act("kerberos key", "the keytab's key is not, or is no longer, the principal's",
        "ask for a new keytab, and name it in the `keyTab` option",
        r"preauth|pre-authentication|integrity check|checksum failed|key version"),
    _act("kerberos encryption", "the keytab has no key of an encryption type that the KDC accepts",
        "ask for a new keytab", r"encryption type|etype|key of appropriate type"),
    _act("kerberos keytab", "the keytab cannot be read, or has no key for the principal",
        "check the options `keyTab` (a file that the driver's user can read, on its machine) and `principal`",
        r"asked for a password|obtain password"),
    _act("kerberos ticket", "there is no valid Kerberos ticket",
        "run kinit as the driver's user, or use a keytab (options `useKeyTab`, `keyTab`, `principal`)",
        r"obtain principal name|find any kerberos|no valid credentials|\A(?=.*ticket).*expired"),
    _act("kerberos login", "there is no login for Kafka",
        "set atlas.kafka.sasl.jaas.config, or atlas.jaas.KafkaClient.loginModuleName and .option.*",
        r"'kafkaclient' entry|servicename"),
)  # fmt: skip

LOGIN_RULES: tuple[Rule, ...] = (
    # ---- logging in
    *(replace(each, about=_KERBEROS) for each in _KERBEROS_RULES),
    _act("firewall", "the service's firewall refuses this machine",
        "allow its address or network there (Event Hubs: Networking of the namespace), or use a private endpoint",
        r"rejected by firewall"),
    _act("no log-in there", "the port does not expect a SASL log-in",
        "set atlas.kafka.security.protocol to PLAINTEXT or SSL, or check the port in atlas.kafka.bootstrap.servers",
        r"current sasl state|illegal_?saslstate|illegal_sasl_state|different protocol|protocol mismatch"),
    _act("mechanism", "the broker does not offer this SASL mechanism",
        "set atlas.kafka.sasl.mechanism to one that its listener offers",
        r"unsupported_?\s?sasl_?\s?mechanism|mechanism handshake failed|not enabled in the server", names=_LOG_IN),
    _transient("entra unreachable", "Microsoft Entra ID gives no token just now",
        "messages are kept; check the network path to it", _ENTRA_TRANSIENT, names=_LOG_IN_OR_NOT_MADE, weight=3),
    _act("entra", "Microsoft Entra ID gives no token", "correct atlas.hook.spark.entra.*", _ENTRA,
        names=_LOG_IN_OR_NOT_MADE),
    _transient("token server", "no OAuth token could be obtained",
        "check atlas.kafka.sasl.oauthbearer.token.endpoint.url, and the network path to it", _UNREACHED,
        names=_LOG_IN_OR_NOT_MADE, weight=3),
    _act("token", "the OAuth token was refused or missing",
        "check the client id, secret and scope in atlas.kafka.sasl.jaas.config and atlas.kafka.sasl.oauthbearer.*",
        r"oauthbearer|oauth|\bjwt\b|\btoken\b|invalid_client|invalid_token", names=_LOG_IN_OR_NOT_MADE),
    _act("kerberos", "the Kerberos log-in failed",
        "check `keyTab` and `principal` (or the ticket), sasl.kerberos.service.name, and the driver's krb5.conf",
        r"gssapi|kerberos|krb5|\bkdc\b|loginexception|javax\.security\.auth"),
    _act("password", "the broker rejects the user name or password",
        "correct them in atlas.kafka.sasl.jaas.config (or atlas.jaas.KafkaClient.option.*)", names=_LOG_IN),
    _transient("log-in broken off", "the connection was closed during the log-in",
        f"check the user name and password in atlas.kafka.sasl.jaas.config; {PROTOCOL}",
        r"sasl(?:authenticate|handshake)", blocks_after=3),
    # ---- TLS
    replace(_transient("no TLS there", "the port does not speak TLS, or something resets its connections",
        "set atlas.kafka.security.protocol to PLAINTEXT or SASL_PLAINTEXT, or check the port in atlas.kafka.bootstrap.servers",
        r"plaintext broker listener|unsupported or unrecognized ssl|wrong.version.number|http request|"
        rf"{in_order('disconnected', 'in state ssl_handshake')}"), guess=True),
    _act("client certificate", "the broker rejects this client's certificate, or requires one",
        "set atlas.kafka.ssl.keystore.location (and its password) to a key store that the broker trusts",
        _CLIENT_CERTIFICATE),
    _act("certificate of another host", "the broker's certificate is for another host",
        "use the certificate's host name in atlas.kafka.bootstrap.servers and in the broker's advertised.listeners",
        r"hostname mismatch|ip address mismatch|no subject alternative|no name matching|"
        rf"{in_order('not match', 'host')}"),
    _act("certificate expired", "the broker's certificate has expired, or is not yet valid",
        "check this machine's clock, or renew the broker's certificate",
        r"has expired|certificateexpired|certificatenotyetvalid|not yet valid|notafter"),
    _act("certificate not trusted", "the broker's certificate is not trusted",
        "add its CA's certificate to atlas.kafka.ssl.truststore.location",
        r"unable to get|self.signed|pkix|certification path|trustanchors|unknown ca"),
    _act("certificate", "the broker's certificate is not trusted, is for another host, or has expired",
        "add its CA's certificate to atlas.kafka.ssl.truststore.location; check its host name and dates",
        r"certificate verify failed|certificate could not be verified|certificateexception"),
    _transient("TLS", "the TLS handshake failed", f"check atlas.kafka.ssl.*; {PROTOCOL}",
        names="_SSL SslAuthenticationException SSLHandshakeException SSLException", blocks_after=5),
)  # fmt: skip


RULES: tuple[Rule, ...] = (
    # ---- errors without a connection
    _act("gone", "the driver's JVM is gone", "messages are kept in the spool, and a later job delivers them",
        names="JvmGone"),
    _act("Java client", "the driver's Kafka client cannot be used",
        "put kafka-clients 2.8 or newer on the driver's class path", names="JvmClientError"),
    *LOGIN_RULES,
    # ---- topics and permissions
    _act("topic missing", "the topic {topic} does not exist", "create it, or set atlas.notification.hook.topic.name",
        names="UNKNOWN_TOPIC_OR_PART _UNKNOWN_TOPIC UNKNOWN_TOPIC_ID UnknownTopicOrPartitionException", blocks_after=0),
    _act("topic missing", "the topic {topic} does not exist", "create it, or set atlas.notification.hook.topic.name",
        r"UnknownTopicOrPartition|UNKNOWN_TOPIC_OR_PARTITION", blocks_after=0),
    _act("topic name", "Kafka does not allow the topic name {topic}",
        "use only letters, digits, '.', '_' and '-' in atlas.notification.hook.topic.name",
        names="TOPIC_EXCEPTION InvalidTopicException", blocks_after=0),
    _act("topic not allowed", "the user may not write to the topic {topic}",
        "grant the user Write and Describe on it (Event Hubs: a policy with Send, in a tier above Basic)",
        r"^TOPIC_AUTHORIZATION_FAILED|TopicAuthorizationException|topic authorization failed", blocks_after=0),
    _act("cluster not allowed", "the user lacks a permission on the Kafka cluster",
        "set atlas.kafka.enable.idempotence = false, or grant the user IdempotentWrite",
        r"(?:cluster|transactional_?id)[_ ]?authorization(?:[_ ]failed|exception)"),
    # ---- single records
    _rejected("too large", "the message is larger than the topic or the client allows",
        "lower atlas.notification.message.max.length.bytes, or raise max.message.bytes of the topic and "
        "atlas.kafka.max.request.size", names="MSG_SIZE_TOO_LARGE RECORD_LIST_TOO_LARGE INVALID_MSG_SIZE "
        "RecordTooLargeException RecordBatchTooLargeException"),
    _act("batch format", "the broker does not accept batches of this format",
        "remove atlas.kafka.compression.type (Event Hubs: gzip in the tiers Premium and Dedicated, nothing else), or raise "
        "message.format.version of the topic",
        names="UNSUPPORTED_FOR_MESSAGE_FORMAT UnsupportedForMessageFormatException", blocks_after=0),
    _rejected("invalid record", "the broker rejects this message",
        "check the topic's settings (cleanup.policy, message format, timestamps) and the broker's log",
        names="INVALID_RECORD INVALID_MSG INVALID_TIMESTAMP _INVALID_DIFFERENT_RECORD "
        "InvalidRecordException InvalidTimestampException SerializationException"),
    # ---- temporary errors of brokers
    _transient("throttled", "the service is throttling",
        "raise its throughput (Event Hubs: throughput units) or the user's quota",
        names="POLICY_VIOLATION THROTTLING_QUOTA_EXCEEDED PolicyViolationException ThrottlingQuotaExceededException",
        weight=3),
    _transient("too few replicas", "the topic {topic} has fewer in-sync replicas than its min.insync.replicas",
        "messages are kept; check the brokers", r"^NOT_ENOUGH_REPLICAS|NotEnoughReplicas|^_ISR_INSUFF", weight=3),
    _act("settings", "the Kafka client rejects its settings", "correct atlas.kafka.*",
        names="_NOT_MADE JvmClientError IllegalArgumentException "
        "_INVALID_ARG _NOT_IMPLEMENTED _UNSUPPORTED_FEATURE INVALID_CONFIG INVALID_REQUIRED_ACKS "
        "UNSUPPORTED_COMPRESSION_TYPE ConfigException InvalidConfigurationException UnsupportedVersionException "
        "InvalidRequiredAcksException UnsupportedCompressionTypeException"),
    # ---- connections to brokers
    _transient("unknown host", "a broker's host name cannot be resolved", ADDRESS,
        r"^_RESOLVE|failed to resolve|no resolvable bootstrap|unknownhost"),
    _transient("refused", "nothing listens on the broker's port", ADDRESS, "refused"),
    _transient("unreachable", "the broker's host does not answer", f"{ADDRESS}; is a firewall in between?",
        r"timed out in state (?:TRY_)?CONNECT\b|connection timed out|sockettimeout|unreachable|no ?route"),
    _transient("silent", "the broker accepts connections, but does not answer",
        f"{PROTOCOL}; is the broker overloaded?", r"timed out in state|ApiVersionRequest failed: Local: Timed out"),
    _transient("no metadata", "no broker has metadata for topic {topic}",
        f"create the topic if it does not exist; {WAIT}", r"not present in metadata"),
    _transient("no answer", "the broker does not answer", WAIT,
        rf"request timed out|{in_order('request', 'in flight')}"),
    _transient("connection lost", "the connection to the broker was lost", WAIT,
        r"reset by peer|disconnected|closed by peer|broken pipe|connection closed", weight=1),
    replace(_transient("no broker", "no broker answers as Kafka: wrong port or wrong protocol",
        f"{PROTOCOL} (Event Hubs: tier Basic, or the connection string)", names="_ALL_BROKERS_DOWN DisconnectException",
        weight=1), guess=True),
    _transient("down", "no broker can be reached", WAIT, names="_ALL_BROKERS_DOWN DisconnectException", weight=1),
    _transient("client failed", "the Kafka client failed", "it is being recreated", names="_FATAL"),
    _transient("connection", "no connection", WAIT, names="_TRANSPORT NetworkException", weight=1),
    _transient("not acknowledged", "the broker did not acknowledge in time", WAIT,
        names="_MSG_TIMED_OUT _TIMED_OUT _TIMED_OUT_QUEUE _PURGE_QUEUE _PURGE_INFLIGHT REQUEST_TIMED_OUT "
        "TimeoutException InterruptException", weight=0),
)  # fmt: skip

UNKNOWN = _transient("other", "the Kafka client reports {name}", "check the broker's log", weight=0)
"""Rule for all other errors."""
