"""What is looked at before any setting of Kafka's client is translated: keys that are misspelt, set twice, or missing.

What would silently change the connection (another server, no log-in, no encryption) is an error, whichever client is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sac_kafka.config.jaas_sections import CLIENT, JAAS_PREFIX
from sac_kafka.config.stream_tokens import has_lost_backslash
from sac_kafka.config.unknown_keys import is_one_typo
from sac_kafka.config.values import nearest
from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import KAFKA_PREFIX
from sac_kafka.settings.kafka import Kafka
from sac_kafka.transport.kafka.settings.checking import is_used, protocol_of
from sac_kafka.transport.kafka.settings.keys import NATIVE_PREFIX, SECURED, TRANSLATED, Fate, fate

_PROTOCOL = "security.protocol"
_JAAS = f"{JAAS_PREFIX}{CLIENT}."
_LOG_IN = ("sasl.mechanism", "sasl.jaas.config")
_OF_OTHER_CLIENTS = frozenset({"sasl.username", "sasl.password"})
"""How librdkafka and its like take a log-in; in Kafka's own settings it has other keys."""
_MECHANISM_KEYS = ("sasl.mechanism", f"{NATIVE_PREFIX}sasl.mechanism", f"{NATIVE_PREFIX}sasl.mechanisms")
_MECHANISM_OF = {
    "PlainLoginModule": "PLAIN",
    "ScramLoginModule": "SCRAM-SHA-512 or SCRAM-SHA-256",
    "OAuthBearerLoginModule": "OAUTHBEARER",
}
_LISTS = frozenset(
    {"interceptor.classes", "metric.reporters", "ssl.cipher.suites", "ssl.enabled.protocols", "config.providers"}
)
"""Settings whose type is a list in `ProducerConfig`: set again, they have all values. Of two lists of servers only one can
be meant."""
_NEAR = 0.8


def review(settings: Kafka, repeated: Iterable[str] = ()) -> tuple[str, ...]:
    """Look at the keys of Kafka's client, and give a warning for each that is misspelt.

    Args:
        settings: How Kafka is reached.
        repeated: The keys of the file that are set several times with different values.

    Raises:
        ConfigurationError: A key that says where or as whom is misspelt, missing, or set to several values.
    """
    kafka = settings.properties
    misspelt = dict(_misspelt(kafka))
    for key, meant in misspelt.items():
        if meant in SECURED and is_one_typo(key, meant) and not kafka.get(meant, "").strip() and _matters(meant, kafka):
            raise ConfigurationError(
                f"{KAFKA_PREFIX}{key} is no setting of Kafka; did you mean {KAFKA_PREFIX}{meant}? Correct it, or remove it"
            )
    _check_protocol(settings)
    _check_repeated(settings, repeated)
    _check_mechanism(settings)
    return (
        *(
            f"{KAFKA_PREFIX}{key} is no setting of Kafka and has no effect; {_cure(key, meant)}"
            for key, meant in misspelt.items()
        ),
        *_login_doubts(settings),
    )


def _login_doubts(settings: Kafka) -> Iterator[str]:
    """Report a log-in that does not take place, as with Atlas' hooks, and a password that Kafka reads in another way."""
    kafka = settings.properties
    section = next(
        (key for key in settings.jaas if key.startswith(f"{CLIENT}.") and key.endswith(".loginModuleName")), None
    )
    if section is not None and not _has_protocol(kafka):
        yield (
            f"{JAAS_PREFIX}{section} is not used: {KAFKA_PREFIX}{_PROTOCOL} is not set, which means PLAINTEXT, without log-in "
            "and in clear, as for Atlas' hooks; set it to SASL_SSL or SASL_PLAINTEXT (or to PLAINTEXT, if that is meant)"
        )
    if protocol_of(kafka).startswith("SASL_") and has_lost_backslash(kafka.get("sasl.jaas.config", "")):
        yield (
            f"{KAFKA_PREFIX}sasl.jaas.config: Kafka drops a single backslash in a quoted value, also one of ${{env:NAME}}; write "
            f"it as two (in a properties file as four), or give the value as {_JAAS}option.password, where it stays"
        )


def _has_protocol(kafka: Mapping[str, str]) -> bool:
    return any(kafka.get(key, "").strip() for key in (_PROTOCOL, NATIVE_PREFIX + _PROTOCOL))


def _cure(key: str, meant: str) -> str:
    if key in _OF_OTHER_CLIENTS:
        option = key.removeprefix("sasl.")
        return f"the log-in belongs in {KAFKA_PREFIX}{meant}, or this part of it in {_JAAS}option.{option}"
    return f"did you mean {KAFKA_PREFIX}{meant}?"


def meant_by(key: str) -> str | None:
    """Give the setting that is meant by an unknown key, both without `atlas.kafka.`, None where none is near."""
    if key in _OF_OTHER_CLIENTS:
        return "sasl.jaas.config"
    return nearest(key, [*TRANSLATED, *SECURED], cutoff=_NEAR)


def _misspelt(kafka: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for key in sorted(kafka):
        if not key.startswith(NATIVE_PREFIX) and fate(key) is Fate.UNKNOWN and (meant := meant_by(key)):
            yield key, meant


def _matters(key: str, kafka: Mapping[str, str]) -> bool:
    """Whether a setting would have a part in the connection; without a protocol nobody can say."""
    return not kafka.get(_PROTOCOL, "").strip() or is_used(key, protocol_of(kafka))


def _check_protocol(settings: Kafka) -> None:
    """Refuse a log-in that would not take place because nobody says that there is to be one."""
    kafka = settings.properties
    given = [KAFKA_PREFIX + key for key in _LOG_IN if kafka.get(key, "").strip()]
    if given and not _has_protocol(kafka):
        raise ConfigurationError(
            f"{KAFKA_PREFIX}{_PROTOCOL} is not set, but {given[0]} is: the connection would have no log-in; set it to "
            "SASL_SSL or SASL_PLAINTEXT (or to PLAINTEXT, if that is meant)"
        )


def _check_mechanism(settings: Kafka) -> None:
    """Refuse a log-in whose module says what is meant, while Kafka's default would be Kerberos."""
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
                f"{KAFKA_PREFIX}sasl.mechanism is not set, but {key} names the {module}; set it to {_MECHANISM_OF[module]}"
            )


def _check_repeated(settings: Kafka, repeated: Iterable[str]) -> None:
    """Refuse several values for what has one: Atlas' hooks hand them to Kafka as one text, with commas in between."""
    for key in repeated:
        if _has_one_value(key, settings):
            raise ConfigurationError(f"{key} is set several times, with different values; keep one of these lines")


def _has_one_value(key: str, settings: Kafka) -> bool:
    kafka = settings.properties
    protocol = protocol_of({**kafka, _PROTOCOL: kafka.get(_PROTOCOL, "").partition(",")[0]})
    if key.startswith(_JAAS):
        return protocol.startswith("SASL_") and not kafka.get("sasl.jaas.config", "").strip()
    name = key.removeprefix(KAFKA_PREFIX)
    if not key.startswith(KAFKA_PREFIX) or name in _LISTS:
        return False
    return name.startswith(NATIVE_PREFIX) or (
        fate(name) not in (Fate.IGNORED, Fate.UNKNOWN) and is_used(name, protocol)
    )
