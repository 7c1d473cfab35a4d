"""The table of Kafka's errors: both clients' names and texts, as they were seen, and what is made of them."""

# ruff: noqa: E501 (texts as they were seen)

from __future__ import annotations

import pytest

from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.kafka.errors.explaining import explain, one_line
from sac_kafka.transport.kafka.errors.rules import RULES
from tests.helpers.every_row import every_row

BLOCKED, PASSING, REJECTED = FailureKind.NEEDS_ACTION, FailureKind.TRANSIENT, FailureKind.REJECTED

# kind, failure kind, name, text
SEEN = [
    ("password", BLOCKED, "_AUTHENTICATION", "sasl_ssl://h:1/bootstrap: SASL authentication error: Authentication failed: Invalid username or password (after 301ms in state AUTH_REQ)"),
    ("password", BLOCKED, "_AUTHENTICATION", "Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512"),
    ("password", BLOCKED, "SaslAuthenticationException", "Authentication failed: Invalid username or password"),
    ("mechanism", BLOCKED, "_AUTHENTICATION", "SASL SCRAM-SHA-256 mechanism handshake failed: Broker: Unsupported SASL mechanism: broker's supported mechanisms: PLAIN,GSSAPI"),
    ("mechanism", BLOCKED, "UnsupportedSaslMechanismException", "Client SASL mechanism 'PLAIN' not enabled in the server, enabled mechanisms are [SCRAM-SHA-256]"),
    ("token", BLOCKED, "_AUTHENTICATION", 'Failed to acquire SASL OAUTHBEARER token: {"error": "invalid_client"}'),
    ("token server", PASSING, "_AUTHENTICATION", "Failed to acquire SASL OAUTHBEARER token: Failed to connect to server"),
    ("no log-in there", BLOCKED, "_AUTHENTICATION", "SASL PLAIN mechanism handshake failed: Broker: Request not valid in current SASL state: broker's supported mechanisms:"),
    ("no log-in there", BLOCKED, "IllegalSaslStateException", "Unexpected handshake request with client mechanism PLAIN, enabled mechanisms are []"),
    ("log-in broken off", PASSING, "_TRANSPORT", "SaslAuthenticateRequest failed: Local: Broker transport failure: broker transport failure"),
    ("certificate", BLOCKED, "_SSL", "SSL handshake failed: error:0A000086:SSL routines::certificate verify failed: broker certificate could not be verified, verify that ssl.ca.location is correct"),
    ("certificate not trusted", BLOCKED, "_SSL", "ssl://h:1: certificate verify failed: unable to get local issuer certificate"),
    ("certificate not trusted", BLOCKED, "SslAuthenticationException", "SSL handshake failed; caused by SunCertPathBuilderException: unable to find valid certification path to requested target"),
    ("certificate expired", BLOCKED, "_SSL", "ssl://h:1: certificate verify failed: certificate has expired"),
    ("certificate expired", BLOCKED, "SslAuthenticationException", "SSL handshake failed; caused by CertificateExpiredException: NotAfter: Wed Nov 11 19:00:00 UTC 2026"),
    ("certificate of another host", BLOCKED, "_SSL", "ssl://h:1: certificate verify failed: Hostname mismatch, certificate is not valid for 'localhost'."),
    ("certificate of another host", BLOCKED, "SslAuthenticationException", "SSL handshake failed; caused by CertificateException: No name matching localhost found"),
    ("certificate of another host", BLOCKED, "SslAuthenticationException", "SSL handshake failed; caused by CertificateException: No subject alternative DNS name matching localhost found."),
    ("client certificate", BLOCKED, "_TRANSPORT", "Receive failed: error:0A000412:SSL routines::ssl/tls alert bad certificate: SSL alert number 42 (after 5ms in state APIVERSION_QUERY)"),
    ("client certificate", BLOCKED, "SslAuthenticationException", "SSL handshake failed; caused by SSLHandshakeException: Received fatal alert: bad_certificate"),
    ("client certificate", BLOCKED, "SslAuthenticationException", "Failed to process post-handshake messages; caused by SSLHandshakeException: Received fatal alert: certificate_required"),
    ("no TLS there", PASSING, "_TRANSPORT", "SSL handshake failed: Disconnected: SSL connection closed by peer: connecting to a PLAINTEXT broker listener?"),
    ("no TLS there", PASSING, "SslAuthenticationException", "SSL handshake failed; caused by SSLException: Unsupported or unrecognized SSL message"),
    ("no TLS there", PASSING, "_TRANSPORT", "ssl://h:1/bootstrap: Disconnected: connection reset by peer (after 0ms in state SSL_HANDSHAKE)"),
    ("entra", BLOCKED, "_NOT_MADE", "atlas.hook.spark.entra.*: EntraError: no token of Entra ID for application a of tenant t: the client secret has expired (AADSTS7000222)"),
    ("entra", BLOCKED, "_AUTHENTICATION", "Failed to acquire SASL OAUTHBEARER token: no token of Entra ID for managed identity of this machine: no managed identity is to be had here"),
    ("entra unreachable", PASSING, "_NOT_MADE", "EntraError: no token of Entra ID for application a of tenant t: https://login.microsoftonline.com cannot be reached: check the network"),
    ("entra unreachable", PASSING, "_NOT_MADE", "EntraError: no token of Entra ID for application a of tenant t: no answer in time: check the way"),
    ("firewall", BLOCKED, "TOPIC_AUTHORIZATION_FAILED", "sasl_ssl://n:9093/bootstrap: SASL authentication error: The request was rejected by firewall checks. (after 3ms in state AUTH_REQ)"),
    ("topic missing", BLOCKED, "UNKNOWN_TOPIC_OR_PART", "Broker: Unknown topic or partition"),
    ("topic missing", BLOCKED, "UnknownTopicOrPartitionException", "This server does not host this topic-partition."),
    ("topic missing", BLOCKED, "TimeoutException", "Topic T not present in metadata after 60000 ms.; caused by UnknownTopicOrPartitionException: This server does not host this topic-partition."),
    ("no metadata", PASSING, "TimeoutException", "Topic T not present in metadata after 60000 ms."),
    ("topic name", BLOCKED, "InvalidTopicException", "Invalid topics: [a b]"),
    ("topic not allowed", BLOCKED, "TOPIC_AUTHORIZATION_FAILED", "Broker: Topic authorization failed"),
    ("topic not allowed", BLOCKED, "TopicAuthorizationException", "Not authorized to access topics: [T]"),
    ("cluster not allowed", BLOCKED, "CLUSTER_AUTHORIZATION_FAILED", "Broker: Cluster authorization failed"),
    ("cluster not allowed", BLOCKED, "ClusterAuthorizationException", "Cluster authorization failed."),
    ("cluster not allowed", BLOCKED, "_FATAL", "Failed to acquire idempotence PID from broker h:1/1: Broker: Cluster authorization failed"),
    ("cluster not allowed", BLOCKED, "TransactionalIdAuthorizationException", "Transactional Id authorization failed."),
    ("too large", REJECTED, "MSG_SIZE_TOO_LARGE", "Broker: Message size too large"),
    ("too large", REJECTED, "RecordTooLargeException", "The request included a message larger than the max message size the server will accept."),
    ("batch format", BLOCKED, "UNSUPPORTED_FOR_MESSAGE_FORMAT", "Broker: Message format on broker does not support request"),
    ("batch format", BLOCKED, "UnsupportedForMessageFormatException", "The message format version on the broker does not support the request."),
    ("invalid record", REJECTED, "INVALID_RECORD", "Broker: Broker failed to validate record"),
    ("invalid record", REJECTED, "InvalidRecordException", "Compacted topic cannot accept message without key"),
    ("throttled", PASSING, "POLICY_VIOLATION", "Broker: Request parameters do not satisfy the configured policy"),
    ("throttled", PASSING, "ThrottlingQuotaExceededException", "The throttling quota has been exceeded."),
    ("too few replicas", PASSING, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "Broker: Message(s) written to insufficient number of in-sync replicas"),
    ("too few replicas", PASSING, "NotEnoughReplicasException", "Messages are rejected since there are fewer in-sync replicas than required."),
    ("unknown host", PASSING, "_RESOLVE", "Failed to resolve 'no-such-host.invalid:9093': Name or service not known"),
    ("unknown host", PASSING, "UnknownHostException", "no-such-host.invalid"),
    ("refused", PASSING, "_TRANSPORT", "Connect to ipv4#127.0.0.1:1 failed: Connection refused (after 0ms in state CONNECT)"),
    ("refused", PASSING, "ConnectException", "localhost:1: Connection refused"),
    ("unreachable", PASSING, "_LOG", "FAIL [thrd:h:1/bootstrap]: h:1/bootstrap: Connection setup timed out in state CONNECT (after 10020ms in state CONNECT)"),
    ("unreachable", PASSING, "SocketTimeoutException", "Connect timed out"),
    ("unreachable", PASSING, "NoRouteToHostException", "No route to host"),
    ("silent", PASSING, "_LOG", "FAIL [thrd:h:1/bootstrap]: h:1/bootstrap: Connection setup timed out in state SSL_HANDSHAKE (after 2022ms)"),
    ("silent", PASSING, "_LOG", "FAIL [thrd:h:1/bootstrap]: h:1/bootstrap: ApiVersionRequest failed: Local: Timed out: probably due to broker version < 0.10 (see api.version.request configuration) (after 2002ms in state APIVERSION_QUERY)"),
    ("no answer", PASSING, "_LOG", "REQTMOUT [thrd:h:1/1]: Timed out ProduceRequest in flight (after 2948ms, timeout #0)"),
    ("connection lost", PASSING, "_TRANSPORT", "Disconnected (after 100ms in state UP)"),
    ("no broker", PASSING, "_ALL_BROKERS_DOWN", "1/1 brokers are down"),
    ("no broker", PASSING, "DisconnectException", "localhost:1 takes connections but does not answer as a Kafka broker"),
    ("gone", BLOCKED, "JvmGone", "Connection refused"),
    ("settings", BLOCKED, "ConfigException", "Invalid value -1 for configuration linger.ms"),
    ("client failed", PASSING, "_FATAL", "Local: Fatal error"),
    ("not acknowledged", PASSING, "_MSG_TIMED_OUT", "Local: Message timed out"),
    ("other", PASSING, "SOMETHING_NEW", "an unknown error"),
]  # fmt: skip


@every_row(("kind", "failure_kind", "name", "text"), SEEN)
def test_an_error_is_known(kind: str, failure_kind: FailureKind, name: str, text: str) -> None:
    explained = explain(name, text, "T")
    assert (explained.kind, explained.failure_kind) == (kind, failure_kind)
    assert explained.failure.reason == explained.sentence


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("connection lost", "_TRANSPORT", "SSL handshake failed: Disconnected: connection reset by peer: connecting to a PLAINTEXT broker listener?"),
        ("down", "_ALL_BROKERS_DOWN", "1/1 brokers are down"),
        ("refused", "_TRANSPORT", "Connect to ipv4#127.0.0.1:1 failed: Connection refused"),
    ],
)  # fmt: skip
def test_port_and_protocol_are_not_blamed_after_a_delivery(kind: str, name: str, text: str) -> None:
    explained = explain(name, text, was_reached=True)
    assert explained.kind == kind
    assert "security.protocol" not in explained.sentence
    assert "PLAINTEXT" not in explained.sentence


def test_each_sentence_has_the_cause_the_fix_and_the_original_text() -> None:
    sentence = explain("TOPIC_AUTHORIZATION_FAILED", "Broker: Topic authorization failed", "ATLAS_HOOK").sentence
    assert sentence == (
        "the user may not write to the topic ATLAS_HOOK; grant the user Write and Describe on it (Event Hubs: a policy "
        "with Send, in a tier above Basic) (Broker: Topic authorization failed)"
    )


def test_each_row_has_words_and_each_kind_one_failure_kind() -> None:
    assert all(each.cause and each.fix and (each.names or each.pattern) for each in RULES)
    kinds: dict[str, set[FailureKind]] = {}
    for each in RULES:
        kinds.setdefault(each.kind, set()).add(each.failure_kind)
    assert all(len(found) == 1 for found in kinds.values())
    assert not [each.kind for each in RULES if each.blocks_after and each.failure_kind is REJECTED]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Connect failed: refused (after 12ms in state CONNECT, 3 identical error(s) suppressed)", "Connect failed: refused"),
        ("FAIL rdkafka#producer-7| [thrd:h:1/bootstrap]: h:1/bootstrap: text", "h:1/bootstrap: text"),
        ("FAIL sac-kafka#consumer-1| [thrd:GroupCoordinator]: GroupCoordinator: text", "GroupCoordinator: text"),
        ("Topic T not present in metadata after 60000 ms.", "Topic T not present in metadata after … ms."),
        ("two\n lines\twith password=hunter2", "two lines with password=********"),
        ("x" * 1000, "x" * 200),
    ],
)  # fmt: skip
def test_foreign_text_becomes_one_stable_masked_line(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_a_sentence_without_the_original_text_fits_200_characters() -> None:
    lengths = {each.kind: len(f"{each.cause.replace('{topic}', 'ATLAS_HOOK')}; {each.fix}") for each in RULES}
    assert {kind: length for kind, length in lengths.items() if length > 200} == {}


def test_a_text_is_read_to_its_2000th_character_and_no_further() -> None:
    assert explain("_LOG", "x " * 900 + "Connection refused").kind == "refused"
    assert explain("_LOG", "x " * 1100 + "Connection refused").kind == "other"
    assert "hunter2" not in explain("_LOG", "x" * 1990 + " password=hunter2").sentence


@pytest.mark.parametrize("order", ["ticket {} expired", "expired {} ticket"])
def test_two_words_of_a_row_are_found_in_one_text(order: str) -> None:
    assert explain("LoginException", f"krb5: {order.format('has')}").kind == "kerberos ticket"


def test_ordered_words_are_matched_in_order() -> None:
    assert explain("_AUTHENTICATION", "no token: token server timed out").kind == "token server"
    assert explain("_AUTHENTICATION", "timed out: token refuse").kind == "token"
