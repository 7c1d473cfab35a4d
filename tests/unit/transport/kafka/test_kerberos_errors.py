"""Every failure of a Kerberos log-in has its own sentence; texts as Kafka's client and the JDK write them."""

from __future__ import annotations

import pytest

from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.kafka.errors.explaining import explain

LOGIN = "LoginException"
GSS = (
    "SaslAuthenticationException: An error: (java.security.PrivilegedActionException: javax.security.sasl.SaslException: GSS "
    "initiate failed [Caused by GSSException: No valid credentials provided (Mechanism level: {})]) occurred when "
    "evaluating SASL token received from the Kafka Broker. Kafka Client will go to AUTHENTICATION_FAILED state."
)
TEXTS = {
    "kerberos key": [
        (
            LOGIN,
            "LoginException: Integrity check on decrypted field failed (31) - PREAUTH_FAILED; caused by Asn1Exception: x",
        ),
        (LOGIN, "LoginException: Pre-authentication information was invalid (24); caused by KrbException: Identifier"),
        (LOGIN, "LoginException: Checksum failed; caused by KrbCryptoException: Checksum failed"),
    ],
    "kerberos keytab": [
        (
            LOGIN,
            "LoginException: Could not login: the client is being asked for a password, but the Kafka client code does not "
            "currently support obtaining a password from the user. not available to garner authentication information",
        ),
        (LOGIN, "LoginException: Unable to obtain password from user"),
    ],
    "kerberos principal": [
        (LOGIN, "LoginException: Client not found in Kerberos database (6); caused by KrbException: x")
    ],
    "kerberos ticket": [
        (LOGIN, "LoginException: Unable to obtain Principal Name for authentication"),
        ("SaslAuthenticationException", GSS.format("Failed to find any Kerberos tgt")),
        ("SaslAuthenticationException", GSS.format("Ticket expired (32)")),
    ],
    "kerberos broker": [("SaslAuthenticationException", GSS.format("Server not found in Kerberos database (7)"))],
    "kerberos clock": [
        (LOGIN, "LoginException: Clock skew too great (37) - PREAUTH_FAILED; caused by KrbException: x")
    ],
    "kerberos realm": [(LOGIN, "LoginException: Cannot locate KDC; caused by KrbException: Cannot locate KDC")],
    "kerberos KDC": [
        (
            LOGIN,
            "LoginException: Connection refused (Connection refused); caused by ConnectException: Connection refused",
        ),
        (LOGIN, "LoginException: Receive timed out; caused by SocketTimeoutException: Receive timed out"),
    ],
    "kerberos encryption": [(LOGIN, "LoginException: KDC has no support for encryption type (14)")],
    "kerberos login": [
        (
            "IllegalArgumentException",
            "IllegalArgumentException: Could not find a 'KafkaClient' entry in the JAAS configuration. System property "
            "'java.security.auth.login.config' is not set",
        ),
        (
            "IllegalArgumentException",
            "KafkaException: IllegalArgumentException: No serviceName defined in either JAAS or Kafka config: Kerberos",
        ),
    ],
    "login module": [(LOGIN, "LoginException: unable to find LoginModule class: com.example.Nothing")],
}


@pytest.mark.parametrize(("kind", "name", "text"), [(kind, *each) for kind in TEXTS for each in TEXTS[kind]])
def test_a_failure_has_its_sentence(kind: str, name: str, text: str) -> None:
    explained = explain(name, text)
    assert explained.kind == kind
    assert explained.failure_kind is (FailureKind.TRANSIENT if kind == "kerberos KDC" else FailureKind.NEEDS_ACTION)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ConnectException", "b:9092: ConnectException: Connection refused"),
        (
            "SaslAuthenticationException",
            "SaslAuthenticationException: Authentication failed: Invalid username or password",
        ),
        ("TimeoutException", "TimeoutException: Topic T not present in metadata after 1000 ms."),
    ],
)
def test_other_failures_are_not_blamed_on_kerberos(name: str, text: str) -> None:
    assert "kerberos" not in explain(name, text).kind
