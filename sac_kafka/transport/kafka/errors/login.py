"""Rules for failed logins and TLS handshakes, in order of precedence; part of `rules`.

Texts of the Kerberos login are those of the JDK (`sun.security.krb5`, `Krb5LoginModule`), of GSS-API, and of Kafka's client.
"""

from __future__ import annotations

from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.kafka.errors.rule import PROTOCOL, Rule, has, in_order, names

_KERBEROS = has(r"gssapi|gss initiate|gssexception|kerberos|krb5|krbexception|\bkdc\b|loginexception|kafkaclient")
_NEEDS_ACTION, _TRANSIENT = FailureKind.NEEDS_ACTION, FailureKind.TRANSIENT
_LOG_IN = names(
    "_AUTHENTICATION SASL_AUTHENTICATION_FAILED UNSUPPORTED_SASL_MECHANISM "
    "SaslAuthenticationException AuthenticationException UnsupportedSaslMechanismException"
)
_NOT_MADE = names("_NOT_MADE")
_TLS = r"alert number (?:4[0-8]|116)\b|fatal alert: (?:bad_cert|certificate|unknown_ca|handshake_fail|access_denied)"
_CLIENT_CERTIFICATE = rf"{_TLS}|alert (?:bad certificate|certificate required|unknown ca|certificate unknown)"
_UNREACHED = in_order("token", r"connect|resolve|timed? ?out|refused|unreachable|\b5\d\d\b")
_ENTRA = r"(?:spark\.entra\.\*|token of Entra ID)"
_ENTRA_TRANSIENT = in_order(
    _ENTRA, r"cannot be reached|has cut the connection|no answer in time|nothing needs to be done"
)


def _row(kind: str, failure_kind: FailureKind, cause: str, fix: str, pattern: str) -> Rule:
    """Return a rule for texts about Kerberos that match the pattern."""
    blocks_after = 1 if failure_kind is _NEEDS_ACTION else 0
    return Rule(kind, failure_kind, cause, fix, pattern=has(pattern), blocks_after=blocks_after, about=_KERBEROS)


KERBEROS: tuple[Rule, ...] = (
    _row(
        "login module",
        _NEEDS_ACTION,
        "the login module is not on the driver's class path",
        "correct its name in atlas.kafka.sasl.jaas.config, or add its jar",
        r"unable to find loginmodule|no loginmodule",
    ),
    _row(
        "kerberos broker",
        _NEEDS_ACTION,
        "the Kerberos realm does not know the broker",
        "set atlas.kafka.sasl.kerberos.service.name to the first part of the broker's principal, and use its full host name "
        "in atlas.kafka.bootstrap.servers",
        r"server not found in kerberos|s_principal_unknown",
    ),
    _row(
        "kerberos clock",
        _NEEDS_ACTION,
        "the clocks of this machine and of the KDC differ too much",
        "synchronize the clocks",
        r"clock skew",
    ),
    _row(
        "kerberos KDC",
        _TRANSIENT,
        "no KDC of the Kerberos realm answers",
        "check the realm's kdc in the driver's krb5.conf, and the network path to it",
        r"timed out|refused|unreachable|no route|unknownhost|not known",
    ),
    _row(
        "kerberos realm",
        _NEEDS_ACTION,
        "the Kerberos realm or its KDC is not known",
        "give the driver's JVM a krb5.conf that names them (-Djava.security.krb5.conf=FILE)",
        r"cannot locate|cannot get kdc|message stream modified|wrong realm",
    ),
    _row(
        "kerberos principal",
        _NEEDS_ACTION,
        "the Kerberos realm does not know the principal",
        "correct the `principal` option, or ask for the principal to be created",
        r"client not found in kerberos|c_principal_unknown|has been revoked",
    ),
    _row(
        "kerberos key",
        _NEEDS_ACTION,
        "the keytab's key is not, or is no longer, the principal's",
        "ask for a new keytab, and name it in the `keyTab` option",
        r"preauth|pre-authentication|integrity check|checksum failed|key version",
    ),
    _row(
        "kerberos encryption",
        _NEEDS_ACTION,
        "the keytab has no key of an encryption type that the KDC accepts",
        "ask for a new keytab",
        r"encryption type|etype|key of appropriate type",
    ),
    _row(
        "kerberos keytab",
        _NEEDS_ACTION,
        "the keytab cannot be read, or has no key for the principal",
        "check the options `keyTab` (a file that the driver's user can read, on its machine) and `principal`",
        r"asked for a password|obtain password",
    ),
    _row(
        "kerberos ticket",
        _NEEDS_ACTION,
        "there is no valid Kerberos ticket",
        "run kinit as the driver's user, or use a keytab (options `useKeyTab`, `keyTab`, `principal`)",
        r"obtain principal name|find any kerberos|no valid credentials|\A(?=.*ticket).*expired",
    ),
    _row(
        "kerberos login",
        _NEEDS_ACTION,
        "there is no login for Kafka",
        "set atlas.kafka.sasl.jaas.config, or atlas.jaas.KafkaClient.loginModuleName and .option.*",
        r"'kafkaclient' entry|servicename",
    ),
)

LOGIN_RULES: tuple[Rule, ...] = (
    # ---- logging in
    *KERBEROS,
    Rule(
        "firewall",
        _NEEDS_ACTION,
        "the service's firewall refuses this machine",
        "allow its address or network there (Event Hubs: Networking of the namespace), or use a private endpoint",
        pattern=has(r"rejected by firewall"),
        blocks_after=1,
    ),
    Rule(
        "no log-in there",
        _NEEDS_ACTION,
        "the port does not expect a SASL log-in",
        "set atlas.kafka.security.protocol to PLAINTEXT or SSL, or check the port in atlas.kafka.bootstrap.servers",
        pattern=has(r"current sasl state|illegal_?saslstate|illegal_sasl_state|different protocol|protocol mismatch"),
        blocks_after=1,
    ),
    Rule(
        "mechanism",
        _NEEDS_ACTION,
        "the broker does not offer this SASL mechanism",
        "set atlas.kafka.sasl.mechanism to one that its listener offers",
        names=_LOG_IN,
        pattern=has(r"unsupported_?\s?sasl_?\s?mechanism|mechanism handshake failed|not enabled in the server"),
        blocks_after=1,
    ),
    Rule(
        "entra unreachable",
        _TRANSIENT,
        "Microsoft Entra ID gives no token just now",
        "messages are kept; check the network path to it",
        names=_LOG_IN | _NOT_MADE,
        pattern=has(_ENTRA_TRANSIENT),
    ),
    Rule(
        "entra",
        _NEEDS_ACTION,
        "Microsoft Entra ID gives no token",
        "correct atlas.hook.spark.entra.*",
        names=_LOG_IN | _NOT_MADE,
        pattern=has(_ENTRA),
        blocks_after=1,
    ),
    Rule(
        "token server",
        _TRANSIENT,
        "no OAuth token could be obtained",
        "check atlas.kafka.sasl.oauthbearer.token.endpoint.url, and the network path to it",
        names=_LOG_IN | _NOT_MADE,
        pattern=has(_UNREACHED),
    ),
    Rule(
        "token",
        _NEEDS_ACTION,
        "the OAuth token was refused or missing",
        "check the client id, secret and scope in atlas.kafka.sasl.jaas.config and atlas.kafka.sasl.oauthbearer.*",
        names=_LOG_IN | _NOT_MADE,
        pattern=has(r"oauthbearer|oauth|\bjwt\b|\btoken\b|invalid_client|invalid_token"),
        blocks_after=1,
    ),
    Rule(
        "kerberos",
        _NEEDS_ACTION,
        "the Kerberos log-in failed",
        "check `keyTab` and `principal` (or the ticket), sasl.kerberos.service.name, and the driver's krb5.conf",
        pattern=has(r"gssapi|kerberos|krb5|\bkdc\b|loginexception|javax\.security\.auth"),
        blocks_after=1,
    ),
    Rule(
        "password",
        _NEEDS_ACTION,
        "the broker rejects the user name or password",
        "correct them in atlas.kafka.sasl.jaas.config (or atlas.jaas.KafkaClient.option.*)",
        names=_LOG_IN,
        blocks_after=1,
    ),
    Rule(
        "log-in broken off",
        _TRANSIENT,
        "the connection was closed during the log-in",
        f"check the user name and password in atlas.kafka.sasl.jaas.config; {PROTOCOL}",
        pattern=has(r"sasl(?:authenticate|handshake)"),
        weight=2,
        blocks_after=3,
    ),
    # ---- TLS
    Rule(
        "no TLS there",
        _TRANSIENT,
        "the port does not speak TLS, or something resets its connections",
        "set atlas.kafka.security.protocol to PLAINTEXT or SASL_PLAINTEXT, or check the port in atlas.kafka.bootstrap.servers",
        pattern=has(
            r"plaintext broker listener|unsupported or unrecognized ssl|wrong.version.number|http request|"
            rf"{in_order('disconnected', 'in state ssl_handshake')}"
        ),
        weight=2,
        guess=True,
    ),
    Rule(
        "client certificate",
        _NEEDS_ACTION,
        "the broker rejects this client's certificate, or requires one",
        "set atlas.kafka.ssl.keystore.location (and its password) to a key store that the broker trusts",
        pattern=has(_CLIENT_CERTIFICATE),
        blocks_after=1,
    ),
    Rule(
        "certificate of another host",
        _NEEDS_ACTION,
        "the broker's certificate is for another host",
        "use the certificate's host name in atlas.kafka.bootstrap.servers and in the broker's advertised.listeners",
        pattern=has(
            r"hostname mismatch|ip address mismatch|no subject alternative|no name matching|"
            rf"{in_order('not match', 'host')}"
        ),
        blocks_after=1,
    ),
    Rule(
        "certificate expired",
        _NEEDS_ACTION,
        "the broker's certificate has expired, or is not yet valid",
        "check this machine's clock, or renew the broker's certificate",
        pattern=has(r"has expired|certificateexpired|certificatenotyetvalid|not yet valid|notafter"),
        blocks_after=1,
    ),
    Rule(
        "certificate not trusted",
        _NEEDS_ACTION,
        "the broker's certificate is not trusted",
        "add its CA's certificate to atlas.kafka.ssl.truststore.location",
        pattern=has(r"unable to get|self.signed|pkix|certification path|trustanchors|unknown ca"),
        blocks_after=1,
    ),
    Rule(
        "certificate",
        _NEEDS_ACTION,
        "the broker's certificate is not trusted, is for another host, or has expired",
        "add its CA's certificate to atlas.kafka.ssl.truststore.location; check its host name and dates",
        pattern=has(r"certificate verify failed|certificate could not be verified|certificateexception"),
        blocks_after=1,
    ),
    Rule(
        "TLS",
        _TRANSIENT,
        "the TLS handshake failed",
        f"check atlas.kafka.ssl.*; {PROTOCOL}",
        names=names("_SSL SslAuthenticationException SSLHandshakeException SSLException"),
        weight=2,
        blocks_after=5,
    ),
)
