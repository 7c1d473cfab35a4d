"""Parses `sasl.jaas.config` by the exact grammar of Kafka's `JaasConfig`, which is that of `java.io.StreamTokenizer`.

    <login module class> <control flag> (<option>=<value>)* ;

Error messages never show a value, nor a word that could be a piece of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sac_kafka.config.secrets import SecretMapping
from sac_kafka.config.stream_tokens import Token, tokens
from sac_kafka.errors import ConfigurationError

CONTROL_FLAGS = frozenset({"REQUIRED", "REQUISITE", "SUFFICIENT", "OPTIONAL"})
_END = Token("", None)
_SHOWN_OPTIONS = frozenset({"username", "password", "serviceName", "keyTab", "principal", "clientId", "clientSecret"})
_EXAMPLE = (
    "write it as: org.apache.kafka.common.security.plain.PlainLoginModule required "
    'username="…" password="…"; (values in double quotes, inside them \\" and \\\\)'
)
_OF_EVENT_HUBS = (
    "write it as: org.apache.kafka.common.security.plain.PlainLoginModule required "
    'username="$ConnectionString" password="…"; (the connection string is the password)'
)


class JaasError(ConfigurationError):
    """A JAAS entry does not follow the grammar."""


@dataclass(frozen=True, slots=True)
class JaasEntry:
    """A login module, its control flag in upper case, and its options (whose repr shows no secret)."""

    module: str
    control_flag: str
    options: Mapping[str, str] = field(default_factory=SecretMapping)


def parse(text: str, place: str = "sasl.jaas.config") -> JaasEntry:
    """Parse the one entry of a `sasl.jaas.config`; of an option that is given twice the last value counts.

    Raises:
        JaasError: Kafka's client would refuse it, too; the message starts with `place`.
    """
    try:
        return _entry(tokens(text))
    except ValueError as error:
        raise JaasError(f"{place}: {error}; {_OF_EVENT_HUBS if 'SharedAccessKey' in text else _EXAMPLE}") from None


def _entry(stream: Iterator[Token]) -> JaasEntry:
    module = next(stream, _END)
    if module is _END:
        raise ValueError("it holds no login module")
    if module.text is None:
        raise ValueError("it does not start with the class name of a login module")
    flag = next(stream, _END)
    if flag.kind == "{":
        raise ValueError("the braces belong to a JAAS file, this setting takes only what stands between them")
    if flag.text is None or flag.text.upper() not in CONTROL_FLAGS:
        raise ValueError("after the login module there must be required, requisite, sufficient or optional")
    options = dict(_options(stream))
    if next(stream, _END) is not _END:
        raise ValueError("there is something after the ;, but only one login module is allowed (is the key set twice?)")
    return JaasEntry(module.text, flag.text.upper(), SecretMapping(options))


def _options(stream: Iterator[Token]) -> Iterator[tuple[str, str]]:
    number = 0
    while (name := next(stream, _END)).kind != ";":
        number += 1
        if name is _END:
            raise ValueError(f"there is no ; at the end (after {number - 1} options), or a quote is not closed")
        equals, value = next(stream, _END), _END
        if equals.kind == "=":
            value = next(stream, _END)
        if equals.kind != "=" or value.text is None:
            raise ValueError(f"{_shown(name, number)} has no value that can be read; was it not quoted?")
        if name.text is not None:  # Kafka accepts a number or sign for a name, and nobody can ask for it
            yield name.text, value.text


def _shown(name: Token, number: int) -> str:
    return f"the option {name.text}" if name.text in _SHOWN_OPTIONS else f"option number {number}"
