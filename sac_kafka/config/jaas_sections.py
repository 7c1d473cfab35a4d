"""The login of the sections `atlas.jaas.KafkaClient.*`, which Atlas' hooks take where `sasl.jaas.config` is not set.

Source: `org.apache.atlas.utils.KafkaUtils.setKafkaJAASProperties` (2.4); for the indexed form, which only the older
code reads, `org.apache.atlas.security.InMemoryJAASConfiguration`. Friendlier than Atlas, which builds a text of the
options without escaping it: a backslash in a value stays one, and an empty value is one. A value that is written in double
quotes is what stands between them, as Kafka reads the text that Atlas builds.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from itertools import islice

from sac_kafka.config.jaas import CONTROL_FLAGS, JaasEntry, JaasError
from sac_kafka.config.secrets import SecretMapping, mask_said
from sac_kafka.config.stream_tokens import tokens

JAAS_PREFIX = "atlas.jaas."
CLIENT = "KafkaClient"
TICKET_BASED_CLIENT = "ticketBased-KafkaClient"

_MODULE = "loginModuleName"
_FLAG = "loginModuleControlFlag"
_OPTION = "option."
_HOST = "_HOST"
_CLASS = re.compile(r"[\w$.-]+")
_SHOWN = 200
_INDEXED = re.compile(r"([0-9]{1,9})\.(.+)", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_$\u00a0-\uffff][A-Za-z0-9_$.\u00a0-\uffff-]*")
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"}


class NoLoginModuleError(JaasError):
    """A section has no `loginModuleName`. Atlas leaves it out, so that another login counts where there is one."""


def located_section(properties: Mapping[str, str], *, has_ticket: bool = False) -> tuple[JaasEntry, str] | None:
    """Give the login of the section and its place (`atlas.jaas.KafkaClient`). To be asked only where SASL is used.

    Of an indexed section (`KafkaClient.0.…`) the entry with the lowest number that names a login module counts. A
    password of ******** stays as it is: it stands for one in Hadoop's credential store.

    Args:
        properties: The settings under `atlas.jaas.`, prefix stripped, as in `Settings.jaas`.
        has_ticket: The driver's Hadoop login is by ticket, not by keytab: `ticketBased-KafkaClient` goes first.

    Raises:
        NoLoginModuleError: The section has no `loginModuleName`.
        JaasError: It has a control flag that does not exist.
    """
    for client in (TICKET_BASED_CLIENT, CLIENT) if has_ticket else (CLIENT,):
        section = _below(properties, f"{client}.")
        if section:
            return _entry(section, f"{JAAS_PREFIX}{client}")
    return None


def jaas_text(entry: JaasEntry) -> str:
    r"""Write an entry as a `sasl.jaas.config` that Kafka's client reads as the same entry. It holds the secrets.

    >>> jaas_text(JaasEntry("a.Module", "REQUIRED", {"password": 'p"1'}))
    'a.Module required password="p\\"1";'
    """
    options = "".join(f" {_name(name)}={_quoted(value)}" for name, value in entry.options.items())
    return f"{_name(entry.module)} {entry.control_flag.lower()}{options};"


def _entry(section: Mapping[str, str], place: str) -> tuple[JaasEntry, str]:
    found, place = _indexed(section, place)
    module = found.get(_MODULE, "").strip()
    if not module:
        raise NoLoginModuleError(
            f"{place}.{_MODULE} is not set, but the section has {len(section)} other keys; set it to the login module's "
            "class, as in com.sun.security.auth.module.Krb5LoginModule, or set atlas.kafka.sasl.jaas.config"
        )
    if not _CLASS.fullmatch(module):
        raise JaasError(
            f"{place}.{_MODULE} = {mask_said(module)[:_SHOWN]}: must be the name of a class alone, without quotes, ; or blanks"
        )
    flag = found.get(_FLAG, "").strip().upper() or "REQUIRED"
    if flag not in CONTROL_FLAGS:
        raise JaasError(f"{place}.{_FLAG} must be required, requisite, sufficient or optional; remove it for required")
    options = {name: _value(name, _unquoted(text.strip())) for name, text in _below(found, _OPTION).items()}
    return JaasEntry(module, flag, SecretMapping(options)), place


def _indexed(section: Mapping[str, str], place: str) -> tuple[Mapping[str, str], str]:
    """Give the entry of a section and its place; the plain form wins, as Atlas' newer code reads no other."""
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


def _unquoted(text: str) -> str:
    """Return what stands between the quotes of a value that is written as Kafka's JAAS text has it."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    found = list(islice(tokens(text), 2))
    return found[0].text or "" if len(found) == 1 else text


def _value(name: str, text: str) -> str:
    """Put this host in place of `_HOST` in a principal, as `SecurityUtil.getServerPrincipal` of Hadoop does."""
    if name.lower() != "principal":
        return text
    parts = re.split("[/@]", text)
    while parts and not parts[-1]:  # Java's String.split gives no empty ones at the end
        parts.pop()
    if len(parts) != 3 or parts[1] != _HOST:
        return text
    return f"{parts[0]}/{socket.getfqdn().lower()}@{parts[2]}"


def _name(text: str) -> str:
    return text if _WORD.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    return '"' + "".join(_ESCAPED.get(character, character) for character in text) + '"'
