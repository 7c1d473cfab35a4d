"""What the errors of a Kerberos log-in mean: rows for the table of `rules`, read from the top.

Texts are those of the JDK's Kerberos (`sun.security.krb5`, `Krb5LoginModule`), of GSS-API, and of Kafka's client.
"""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.transport.base import Trouble

_KERBEROS = r"(?=.*(?:gssapi|gss initiate|gssexception|kerberos|krb5|krbexception|\bkdc\b|loginexception|kafkaclient))"
_BLOCKED, _PASSING = Trouble.BLOCKED, Trouble.PASSING


@dataclass(frozen=True, slots=True)
class KerberosError:
    """A kind of failure: `pattern` finds it in the text of an error, ignoring case."""

    kind: str
    trouble: Trouble
    says: str
    cure: str
    words: str

    @property
    def pattern(self) -> str:
        """The words, in a text that is about Kerberos."""
        return f"{_KERBEROS}.*(?:{self.words})"


KERBEROS: tuple[KerberosError, ...] = (
    KerberosError(
        "login module",
        _BLOCKED,
        "the login module is not on the driver's class path",
        "correct its name in atlas.kafka.sasl.jaas.config, or add its jar",
        r"unable to find loginmodule|no loginmodule",
    ),
    KerberosError(
        "kerberos broker",
        _BLOCKED,
        "the Kerberos realm does not know the broker",
        "set atlas.kafka.sasl.kerberos.service.name to the first part of the broker's principal, and the broker's full host "
        "name in atlas.kafka.bootstrap.servers",
        r"server not found in kerberos|s_principal_unknown",
    ),
    KerberosError(
        "kerberos clock",
        _BLOCKED,
        "this machine's clock and that of the KDC differ too much",
        "set the clocks",
        r"clock skew",
    ),
    KerberosError(
        "kerberos KDC",
        _PASSING,
        "no KDC of the Kerberos realm answers",
        "check the realm's kdc in the driver's krb5.conf and the way to it",
        r"timed out|refused|unreachable|no route|unknownhost|not known",
    ),
    KerberosError(
        "kerberos realm",
        _BLOCKED,
        "the Kerberos realm or its KDC is not known",
        "give the driver's JVM a krb5.conf that has it (-Djava.security.krb5.conf=FILE)",
        r"cannot locate|cannot get kdc|message stream modified|wrong realm",
    ),
    KerberosError(
        "kerberos principal",
        _BLOCKED,
        "the Kerberos realm does not know the principal",
        "correct the option principal, or have it made",
        r"client not found in kerberos|c_principal_unknown|has been revoked",
    ),
    KerberosError(
        "kerberos key",
        _BLOCKED,
        "the keytab's key is not that of the principal, or not any more",
        "have a new keytab made, and name it in the option keyTab",
        r"preauth|pre-authentication|integrity check|checksum failed|key version",
    ),
    KerberosError(
        "kerberos encryption",
        _BLOCKED,
        "the keytab has no key of an encryption type that the KDC takes",
        "have a new keytab made",
        r"encryption type|etype|key of appropriate type",
    ),
    KerberosError(
        "kerberos keytab",
        _BLOCKED,
        "the keytab cannot be read, or has no key of the principal",
        "check the options keyTab (a path on the driver's machine that its user may read) and principal",
        r"asked for a password|obtain password",
    ),
    KerberosError(
        "kerberos ticket",
        _BLOCKED,
        "there is no valid Kerberos ticket",
        "run kinit as the driver's user, or log in by keytab (options useKeyTab, keyTab, principal)",
        r"obtain principal name|find any kerberos|no valid credentials|ticket.*expired|expired.*ticket",
    ),
    KerberosError(
        "kerberos login",
        _BLOCKED,
        "there is no login for Kafka",
        "set atlas.kafka.sasl.jaas.config, or atlas.jaas.KafkaClient.loginModuleName and .option.*",
        r"'kafkaclient' entry|servicename",
    ),
)
