"""Review the keys of Kafka's client before translation: misspelt, repeated or missing keys.

Mistakes that would silently change the connection (another server, no login, no encryption) are errors for both clients.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import KAFKA_PREFIX
from sac_kafka.settings.declarations.values import nearest
from sac_kafka.settings.files.unknown_keys import is_one_typo
from sac_kafka.settings.kafka import CLIENT, JAAS_PREFIX, Kafka
from sac_kafka.transport.kafka.settings.checking import is_used, protocol_of
from sac_kafka.transport.kafka.settings.keys import NATIVE_PREFIX, SECURED, TRANSLATED, KeySupport, support_of

_PROTOCOL = "security.protocol"
_JAAS = f"{JAAS_PREFIX}{CLIENT}."
_LOG_IN = ("sasl.mechanism", "sasl.jaas.config")
_OF_OTHER_CLIENTS = frozenset({"sasl.username", "sasl.password"})
"""Login keys of librdkafka and clients based on it, which Kafka's Java client does not have."""
_MECHANISM_KEYS = ("sasl.mechanism", f"{NATIVE_PREFIX}sasl.mechanism", f"{NATIVE_PREFIX}sasl.mechanisms")
_MECHANISM_OF = {
    "PlainLoginModule": "PLAIN",
    "ScramLoginModule": "SCRAM-SHA-512 or SCRAM-SHA-256",
    "OAuthBearerLoginModule": "OAUTHBEARER",
}
_LISTS = frozenset(
    {"interceptor.classes", "metric.reporters", "ssl.cipher.suites", "ssl.enabled.protocols", "config.providers"}
)
"""List settings in `ProducerConfig` that may be repeated; all values are used. Repeated bootstrap servers are an error."""
_MIN_SIMILARITY = 0.8


def review(settings: Kafka, repeated: Iterable[str] = ()) -> tuple[str, ...]:
    """Review the keys of Kafka's client, and return a warning for each misspelt key.

    `repeated` are the keys that the file sets several times with different values.

    Raises:
        ConfigurationError: A key of servers or security is misspelt, missing, or set to several values.
    """
    kafka = settings.properties
    misspelt = dict(_misspelt(kafka))
    for key, meant in misspelt.items():
        if meant in SECURED and is_one_typo(key, meant) and not kafka.get(meant, "").strip() and _matters(meant, kafka):
            raise ConfigurationError(
                f"{KAFKA_PREFIX}{key} is not a Kafka property; did you mean {KAFKA_PREFIX}{meant}? Correct it, or remove it"
            )
    _check_protocol(settings)
    _check_repetition(settings, repeated)
    _check_mechanism(settings)
    return (
        *(
            f"{KAFKA_PREFIX}{key} is not a Kafka property and has no effect; {_fix(key, meant)}"
            for key, meant in misspelt.items()
        ),
        *_login_warnings(settings),
    )


def _login_warnings(settings: Kafka) -> Iterator[str]:
    """Warn about a login section that is not used (as by Atlas' hooks), and about backslashes that Kafka drops."""
    kafka = settings.properties
    section = next(
        (key for key in settings.jaas if key.startswith(f"{CLIENT}.") and key.endswith(".loginModuleName")), None
    )
    if section is not None and not _has_protocol(kafka):
        yield (
            f"{JAAS_PREFIX}{section} is not used: {KAFKA_PREFIX}{_PROTOCOL} is not set, which means PLAINTEXT, without login "
            "and encryption, as for Atlas' hooks; set it to SASL_SSL or SASL_PLAINTEXT (or to PLAINTEXT, if that is meant)"
        )
    if not protocol_of(kafka).startswith("SASL_"):
        return
    from sac_kafka.settings.files.stream_tokens import has_lost_backslash

    if has_lost_backslash(kafka.get("sasl.jaas.config", "")):
        yield (
            f"{KAFKA_PREFIX}sasl.jaas.config: Kafka drops a single backslash in a quoted value, also one of ${{env:NAME}}; write "
            f"two (in a properties file four), or set {_JAAS}option.password, where backslashes are preserved"
        )


def _has_protocol(kafka: Mapping[str, str]) -> bool:
    return any(kafka.get(key, "").strip() for key in (_PROTOCOL, NATIVE_PREFIX + _PROTOCOL))


def _fix(key: str, meant: str) -> str:
    if key in _OF_OTHER_CLIENTS:
        option = key.removeprefix("sasl.")
        return f"set the login in {KAFKA_PREFIX}{meant}, or this option in {_JAAS}option.{option}"
    return f"did you mean {KAFKA_PREFIX}{meant}?"


def meant_by(key: str) -> str | None:
    """Return the known key probably meant by an unknown one (both without `atlas.kafka.`), None if none is similar."""
    if key in _OF_OTHER_CLIENTS:
        return "sasl.jaas.config"
    return nearest(key, [*TRANSLATED, *SECURED], cutoff=_MIN_SIMILARITY)


def _misspelt(kafka: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key in sorted(kafka):
        if not key.startswith(NATIVE_PREFIX) and support_of(key) is KeySupport.UNKNOWN and (meant := meant_by(key)):
            yield key, meant


def _matters(key: str, kafka: Mapping[str, str]) -> bool:
    """Return whether a setting affects the connection; True if the protocol is not set."""
    return not kafka.get(_PROTOCOL, "").strip() or is_used(key, protocol_of(kafka))


def _check_protocol(settings: Kafka) -> None:
    """Check that a protocol is set if a login is, because the default protocol has no login."""
    kafka = settings.properties
    given = [KAFKA_PREFIX + key for key in _LOG_IN if kafka.get(key, "").strip()]
    if given and not _has_protocol(kafka):
        raise ConfigurationError(
            f"{KAFKA_PREFIX}{_PROTOCOL} is not set, but {given[0]} is: the connection would have no login; set it to "
            "SASL_SSL or SASL_PLAINTEXT (or to PLAINTEXT, if that is meant)"
        )


def _check_mechanism(settings: Kafka) -> None:
    """Check that the mechanism is set if the login module is not Kerberos, which is the default mechanism."""
    kafka = settings.properties
    is_set = any(kafka.get(key, "").strip() for key in _MECHANISM_KEYS)
    if is_set or not protocol_of(kafka).startswith("SASL_"):
        return
    for key, text in (
        (KAFKA_PREFIX + "sasl.jaas.config", kafka.get("sasl.jaas.config", "")),
        (f"{_JAAS}loginModuleName", settings.jaas.get(f"{CLIENT}.loginModuleName", "")),
    ):
        module = text.split(None, 1)[0].rpartition(".")[2] if text.strip() else ""
        if module in _MECHANISM_OF:
            raise ConfigurationError(
                f"{KAFKA_PREFIX}sasl.mechanism is not set, but {key} uses the {module}; set it to {_MECHANISM_OF[module]}"
            )


def _check_repetition(settings: Kafka, repeated: Iterable[str]) -> None:
    """Check that settings with a single value are not repeated: Atlas' hooks would join the values by commas."""
    for key in repeated:
        if _takes_one_value(key, settings):
            raise ConfigurationError(f"{key} is set several times with different values; keep one of these lines")


def _takes_one_value(key: str, settings: Kafka) -> bool:
    kafka = settings.properties
    protocol = protocol_of({**kafka, _PROTOCOL: kafka.get(_PROTOCOL, "").partition(",")[0]})
    if key.startswith(_JAAS):
        return protocol.startswith("SASL_") and not kafka.get("sasl.jaas.config", "").strip()
    name = key.removeprefix(KAFKA_PREFIX)
    if not key.startswith(KAFKA_PREFIX) or name in _LISTS:
        return False
    return name.startswith(NATIVE_PREFIX) or (
        support_of(name) not in (KeySupport.IGNORED, KeySupport.UNKNOWN) and is_used(name, protocol)
    )
