"""Rules for errors of the Kerberos login, in order of precedence; part of `rules`.

Texts are those of the JDK's Kerberos (`sun.security.krb5`, `Krb5LoginModule`), of GSS-API, and of Kafka's client.
"""

from __future__ import annotations

from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.kafka.errors.rule import Rule, has

_KERBEROS = has(r"gssapi|gss initiate|gssexception|kerberos|krb5|krbexception|\bkdc\b|loginexception|kafkaclient")
_NEEDS_ACTION, _TRANSIENT = FailureKind.NEEDS_ACTION, FailureKind.TRANSIENT


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
