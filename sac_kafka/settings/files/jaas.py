"""Read the login: `sasl.jaas.config`, or `atlas.jaas.KafkaClient.*` if that is not set, as Atlas' hooks do.

    <login module class> <control flag> (<option>=<value>)* ;

Error messages never contain a value, or a word that could be a part of one.

The grammar of `sasl.jaas.config` is that of Kafka's `JaasConfig`, which uses `java.io.StreamTokenizer`.

Source of the sections: `org.apache.atlas.utils.KafkaUtils.setKafkaJAASProperties` (2.4); for the indexed form, which only older
code reads, `org.apache.atlas.security.InMemoryJAASConfiguration`. Atlas builds a JAAS text from the options without escaping it.
Unlike there, backslashes and empty values are preserved. As there, double quotes around a value are removed.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import SecretMapping, mask_value
from sac_kafka.settings.files.stream_tokens import Token, tokens
from sac_kafka.settings.kafka import CLIENT, JAAS_PREFIX

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


@dataclass(frozen=True, slots=True)
class JaasEntry:
    """A login module, its control flag in upper case, and its options (whose repr masks secrets); `place` is for errors."""

    module: str
    control_flag: str
    options: Mapping[str, str] = field(default_factory=SecretMapping)
    place: str = field(default="", compare=False)


def parse(text: str, place: str = "sasl.jaas.config") -> JaasEntry:
    """Parse the entry of a `sasl.jaas.config`; if an option is repeated, the last value is used.

    Raises:
        ConfigurationError: Kafka's client would reject the text too; the message starts with `place`.
    """
    try:
        return _entry(tokens(text), place)
    except ValueError as error:
        example = _EVENT_HUBS_EXAMPLE if "SharedAccessKey" in text else _EXAMPLE
        raise ConfigurationError(f"{place}: {error}; {example}") from None


def _entry(stream: Iterator[Token], place: str) -> JaasEntry:
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
    return JaasEntry(module.text, flag.text.upper(), SecretMapping(options), place)


def _options(stream: Iterator[Token]) -> Iterator[tuple[str, str]]:
    number = 0
    while (name := next(stream, _END)).kind != ";":
        number += 1
        if name is _END:
            raise ValueError("the ; at the end is missing, or a quote is not closed")
        equals, value = next(stream, _END), _END
        if equals.kind == "=":
            value = next(stream, _END)
        if equals.kind != "=" or value.text is None:
            raise ValueError(f"{_option(name, number)} has no readable value; put it in double quotes")
        if name.text is not None:  # Kafka accepts a number or sign as a name, but no login module can look it up
            yield name.text, value.text


def _option(name: Token, number: int) -> str:
    return f"the option {name.text}" if name.text in _QUOTABLE_OPTIONS else f"option number {number}"


TICKET_BASED_CLIENT = "ticketBased-KafkaClient"

_MODULE = "loginModuleName"
_FLAG = "loginModuleControlFlag"
_OPTION = "option."
_HOST = "_HOST"
_CLASS = re.compile(r"[\w$.-]+")
_MAX_QUOTED_LENGTH = 200
_INDEXED = re.compile(r"([0-9]{1,9})\.(.+)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_$\u00a0-\uffff][A-Za-z0-9_$.\u00a0-\uffff-]*")
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}


class NoLoginModuleError(ConfigurationError):
    """Raised for a section without `loginModuleName`. Atlas ignores such a section and uses another login, if any."""


def section_entry(properties: Mapping[str, str], *, has_ticket: bool = False) -> JaasEntry | None:
    """Return the login of the section (`atlas.jaas.KafkaClient`), None without one. Call only for SASL.

    In an indexed section (`KafkaClient.0.…`) the entry with the lowest number that names a login module is used. A
    password of ******** is kept: it refers to Hadoop's credential store.

    `properties` are those below `atlas.jaas.`. With `has_ticket`, the driver's Hadoop login uses a ticket instead of a
    keytab, and `ticketBased-KafkaClient` is preferred.

    Raises:
        NoLoginModuleError: The section has no `loginModuleName`.
        ConfigurationError: Class name or control flag are invalid.
    """
    for client in (TICKET_BASED_CLIENT, CLIENT) if has_ticket else (CLIENT,):
        section = _below(properties, f"{client}.")
        if section:
            return _section_entry(section, f"{JAAS_PREFIX}{client}")
    return None


def jaas_text(entry: JaasEntry) -> str:
    r"""Format an entry as a `sasl.jaas.config` that Kafka's client parses to the same entry. Secrets are not masked.

    >>> jaas_text(JaasEntry("a.Module", "REQUIRED", {"password": 'p"1'}))
    'a.Module required password="p\\"1";'
    """
    options = "".join(f" {_name(name)}={_quote(value)}" for name, value in entry.options.items())
    return f"{_name(entry.module)} {entry.control_flag.lower()}{options};"


def _section_entry(section: Mapping[str, str], place: str) -> JaasEntry:
    found, place = _first_entry(section, place)
    module = found.get(_MODULE, "").strip()
    if not module:
        raise NoLoginModuleError(
            f"{place}.{_MODULE} is not set, but the section has {len(section)} other keys; set it to the class of the login "
            "module, such as com.sun.security.auth.module.Krb5LoginModule, or set atlas.kafka.sasl.jaas.config"
        )
    if not _CLASS.fullmatch(module):
        raise ConfigurationError(
            f"{place}.{_MODULE} = {mask_value(module)[:_MAX_QUOTED_LENGTH]}: must be a class name without quotes, ; or blanks"
        )
    flag = found.get(_FLAG, "").strip().upper() or "REQUIRED"
    if flag not in CONTROL_FLAGS:
        raise ConfigurationError(
            f"{place}.{_FLAG} must be required, requisite, sufficient or optional; remove it for required"
        )
    options = {name: _value(name, _unquote(text.strip())) for name, text in _below(found, _OPTION).items()}
    return JaasEntry(module, flag, SecretMapping(options), place)


def _first_entry(section: Mapping[str, str], place: str) -> tuple[Mapping[str, str], str]:
    """Return the entry of a section and its place; the plain form wins, because newer Atlas code only reads that form."""
    if _MODULE in section:
        return section, place
    numbers = {int(match[1]): match[1] for key in section if (match := _INDEXED.fullmatch(key))}
    for _, number in sorted(numbers.items()):
        entry = _below(section, f"{number}.")
        if _MODULE in entry:
            return entry, f"{place}.{number}"
    return section, place


def _below(properties: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {key[len(prefix) :]: text for key, text in properties.items() if key.startswith(prefix) and key != prefix}


def _unquote(text: str) -> str:
    """Remove double quotes around a value and their escapes, as Kafka's JAAS parser does."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    found = list(islice(tokens(text), 2))
    return found[0].text or "" if len(found) == 1 else text


def _value(name: str, text: str) -> str:
    """Replace `_HOST` in a principal by this host's name, as Hadoop's `SecurityUtil.getServerPrincipal` does."""
    if name.lower() != "principal":
        return text
    parts = re.split("[/@]", text)
    while parts and not parts[-1]:  # Java's String.split drops trailing empty strings
        parts.pop()
    if len(parts) != 3 or parts[1] != _HOST:
        return text
    return f"{parts[0]}/{socket.getfqdn().lower()}@{parts[2]}"


def _name(text: str) -> str:
    return text if _WORD.fullmatch(text) else _quote(text)


def _quote(text: str) -> str:
    return '"' + "".join(_ESCAPED.get(character, character) for character in text) + '"'
