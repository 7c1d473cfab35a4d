"""Rules for failed logins and TLS handshakes, in order of precedence; part of `rules`.

Texts of the Kerberos login are those of the JDK (`sun.security.krb5`, `Krb5LoginModule`), of GSS-API, and of Kafka's client.
"""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.transport.kafka.errors.rule import PROTOCOL, Rule, has, in_order, needs_action, transient

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
    needs_action(
        "login module",
        "the login module is not on the driver's class path",
        "correct its name in atlas.kafka.sasl.jaas.config, or add its jar",
        r"unable to find loginmodule|no loginmodule",
    ),
    needs_action(
        "kerberos broker",
        "the Kerberos realm does not know the broker",
        "set atlas.kafka.sasl.kerberos.service.name to the first part of the broker's principal, and use its full host name "
        "in atlas.kafka.bootstrap.servers",
        r"server not found in kerberos|s_principal_unknown",
    ),
    needs_action(
        "kerberos clock",
        "the clocks of this machine and of the KDC differ too much",
        "synchronize the clocks",
        r"clock skew",
    ),
    transient(
        "kerberos KDC",
        "no KDC of the Kerberos realm answers",
        "check the realm's kdc in the driver's krb5.conf, and the network path to it",
        r"timed out|refused|unreachable|no route|unknownhost|not known",
        weight=3,
    ),
    needs_action(
        "kerberos realm",
        "the Kerberos realm or its KDC is not known",
        "give the driver's JVM a krb5.conf that names them (-Djava.security.krb5.conf=FILE)",
        r"cannot locate|cannot get kdc|message stream modified|wrong realm",
    ),
    needs_action(
        "kerberos principal",
        "the Kerberos realm does not know the principal",
        "correct the `principal` option, or ask for the principal to be created",
        r"client not found in kerberos|c_principal_unknown|has been revoked",
    ),
    needs_action(
        "kerberos key",
        "the keytab's key is not, or is no longer, the principal's",
        "ask for a new keytab, and name it in the `keyTab` option",
        r"preauth|pre-authentication|integrity check|checksum failed|key version",
    ),
    needs_action(
        "kerberos encryption",
        "the keytab has no key of an encryption type that the KDC accepts",
        "ask for a new keytab",
        r"encryption type|etype|key of appropriate type",
    ),
    needs_action(
        "kerberos keytab",
        "the keytab cannot be read, or has no key for the principal",
        "check the options `keyTab` (a file that the driver's user can read, on its machine) and `principal`",
        r"asked for a password|obtain password",
    ),
    needs_action(
        "kerberos ticket",
        "there is no valid Kerberos ticket",
        "run kinit as the driver's user, or use a keytab (options `useKeyTab`, `keyTab`, `principal`)",
        r"obtain principal name|find any kerberos|no valid credentials|\A(?=.*ticket).*expired",
    ),
    needs_action(
        "kerberos login",
        "there is no login for Kafka",
        "set atlas.kafka.sasl.jaas.config, or atlas.jaas.KafkaClient.loginModuleName and .option.*",
        r"'kafkaclient' entry|servicename",
    ),
)

LOGIN_RULES: tuple[Rule, ...] = (
    # ---- logging in
    *(replace(each, about=_KERBEROS) for each in _KERBEROS_RULES),
    needs_action(
        "firewall",
        "the service's firewall refuses this machine",
        "allow its address or network there (Event Hubs: Networking of the namespace), or use a private endpoint",
        r"rejected by firewall",
    ),
    needs_action(
        "no log-in there",
        "the port does not expect a SASL log-in",
        "set atlas.kafka.security.protocol to PLAINTEXT or SSL, or check the port in atlas.kafka.bootstrap.servers",
        r"current sasl state|illegal_?saslstate|illegal_sasl_state|different protocol|protocol mismatch",
    ),
    needs_action(
        "mechanism",
        "the broker does not offer this SASL mechanism",
        "set atlas.kafka.sasl.mechanism to one that its listener offers",
        r"unsupported_?\s?sasl_?\s?mechanism|mechanism handshake failed|not enabled in the server",
        names=_LOG_IN,
    ),
    transient(
        "entra unreachable",
        "Microsoft Entra ID gives no token just now",
        "messages are kept; check the network path to it",
        _ENTRA_TRANSIENT,
        names=_LOG_IN_OR_NOT_MADE,
        weight=3,
    ),
    needs_action(
        "entra",
        "Microsoft Entra ID gives no token",
        "correct atlas.hook.spark.entra.*",
        _ENTRA,
        names=_LOG_IN_OR_NOT_MADE,
    ),
    transient(
        "token server",
        "no OAuth token could be obtained",
        "check atlas.kafka.sasl.oauthbearer.token.endpoint.url, and the network path to it",
        _UNREACHED,
        names=_LOG_IN_OR_NOT_MADE,
        weight=3,
    ),
    needs_action(
        "token",
        "the OAuth token was refused or missing",
        "check the client id, secret and scope in atlas.kafka.sasl.jaas.config and atlas.kafka.sasl.oauthbearer.*",
        r"oauthbearer|oauth|\bjwt\b|\btoken\b|invalid_client|invalid_token",
        names=_LOG_IN_OR_NOT_MADE,
    ),
    needs_action(
        "kerberos",
        "the Kerberos log-in failed",
        "check `keyTab` and `principal` (or the ticket), sasl.kerberos.service.name, and the driver's krb5.conf",
        r"gssapi|kerberos|krb5|\bkdc\b|loginexception|javax\.security\.auth",
    ),
    needs_action(
        "password",
        "the broker rejects the user name or password",
        "correct them in atlas.kafka.sasl.jaas.config (or atlas.jaas.KafkaClient.option.*)",
        names=_LOG_IN,
    ),
    transient(
        "log-in broken off",
        "the connection was closed during the log-in",
        f"check the user name and password in atlas.kafka.sasl.jaas.config; {PROTOCOL}",
        r"sasl(?:authenticate|handshake)",
        blocks_after=3,
    ),
    # ---- TLS
    transient(
        "no TLS there",
        "the port does not speak TLS, or something resets its connections",
        "set atlas.kafka.security.protocol to PLAINTEXT or SASL_PLAINTEXT, or check the port in atlas.kafka.bootstrap.servers",
        r"plaintext broker listener|unsupported or unrecognized ssl|wrong.version.number|http request|"
        rf"{in_order('disconnected', 'in state ssl_handshake')}",
        guess=True,
    ),
    needs_action(
        "client certificate",
        "the broker rejects this client's certificate, or requires one",
        "set atlas.kafka.ssl.keystore.location (and its password) to a key store that the broker trusts",
        _CLIENT_CERTIFICATE,
    ),
    needs_action(
        "certificate of another host",
        "the broker's certificate is for another host",
        "use the certificate's host name in atlas.kafka.bootstrap.servers and in the broker's advertised.listeners",
        r"hostname mismatch|ip address mismatch|no subject alternative|no name matching|"
        rf"{in_order('not match', 'host')}",
    ),
    needs_action(
        "certificate expired",
        "the broker's certificate has expired, or is not yet valid",
        "check this machine's clock, or renew the broker's certificate",
        r"has expired|certificateexpired|certificatenotyetvalid|not yet valid|notafter",
    ),
    needs_action(
        "certificate not trusted",
        "the broker's certificate is not trusted",
        "add its CA's certificate to atlas.kafka.ssl.truststore.location",
        r"unable to get|self.signed|pkix|certification path|trustanchors|unknown ca",
    ),
    needs_action(
        "certificate",
        "the broker's certificate is not trusted, is for another host, or has expired",
        "add its CA's certificate to atlas.kafka.ssl.truststore.location; check its host name and dates",
        r"certificate verify failed|certificate could not be verified|certificateexception",
    ),
    transient(
        "TLS",
        "the TLS handshake failed",
        f"check atlas.kafka.ssl.*; {PROTOCOL}",
        names="_SSL SslAuthenticationException SSLHandshakeException SSLException",
        blocks_after=5,
    ),
)
