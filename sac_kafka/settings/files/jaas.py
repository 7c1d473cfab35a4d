"""Parse `sasl.jaas.config` with the exact grammar of Kafka's `JaasConfig`, which uses `java.io.StreamTokenizer`.

    <login module class> <control flag> (<option>=<value>)* ;

Error messages never contain a value, or a word that could be a part of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import SecretMapping
from sac_kafka.settings.files.stream_tokens import Token, tokens

CONTROL_FLAGS = frozenset({"REQUIRED", "REQUISITE", "SUFFICIENT", "OPTIONAL"})
_END = Token("", None)
_QUOTABLE_OPTIONS = frozenset(
    {"username", "password", "serviceName", "keyTab", "principal", "clientId", "clientSecret"}
)
_EXAMPLE = (
    "write it as: org.apache.kafka.common.security.plain.PlainLoginModule required "
    'username="…" password="…"; (values in double quotes, inside them \\" and \\\\)'
)
_EVENT_HUBS_EXAMPLE = (
    "write it as: org.apache.kafka.common.security.plain.PlainLoginModule required "
    'username="$ConnectionString" password="…"; (the connection string is the password)'
)


class JaasError(ConfigurationError):
    """A JAAS entry does not follow the grammar."""


@dataclass(frozen=True, slots=True)
class JaasEntry:
    """A login module, its control flag in upper case, and its options (whose repr masks secrets)."""

    module: str
    control_flag: str
    options: Mapping[str, str] = field(default_factory=SecretMapping)


def parse(text: str, place: str = "sasl.jaas.config") -> JaasEntry:
    """Parse the entry of a `sasl.jaas.config`; if an option is repeated, the last value is used.

    Raises:
        JaasError: Kafka's client would reject the text too; the message starts with `place`.
    """
    try:
        return _entry(tokens(text))
    except ValueError as error:
        example = _EVENT_HUBS_EXAMPLE if "SharedAccessKey" in text else _EXAMPLE
        raise JaasError(f"{place}: {error}; {example}") from None


def _entry(stream: Iterator[Token]) -> JaasEntry:
    module = next(stream, _END)
    if module is _END:
        raise ValueError("contains no login module")
    if module.text is None:
        raise ValueError("does not start with the class name of a login module")
    flag = next(stream, _END)
    if flag.kind == "{":
        raise ValueError("braces are only allowed in a JAAS file; this setting takes only the text between them")
    if flag.text is None or flag.text.upper() not in CONTROL_FLAGS:
        raise ValueError("the login module must be followed by required, requisite, sufficient or optional")
    options = dict(_options(stream))
    if next(stream, _END) is not _END:
        raise ValueError("there is text after the ;, but only one login module is allowed (is the key set twice?)")
    return JaasEntry(module.text, flag.text.upper(), SecretMapping(options))


def _options(stream: Iterator[Token]) -> Iterator[tuple[str, str]]:
    number = 0
    while (name := next(stream, _END)).kind != ";":
        number += 1
        if name is _END:
            raise ValueError(f"the ; at the end is missing (after {number - 1} options), or a quote is not closed")
        equals, value = next(stream, _END), _END
        if equals.kind == "=":
            value = next(stream, _END)
        if equals.kind != "=" or value.text is None:
            raise ValueError(f"{_option(name, number)} has no readable value; put it in double quotes")
        if name.text is not None:  # Kafka accepts a number or sign as a name, but no login module can look it up
            yield name.text, value.text


def _option(name: Token, number: int) -> str:
    return f"the option {name.text}" if name.text in _QUOTABLE_OPTIONS else f"option number {number}"
