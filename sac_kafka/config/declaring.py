"""How a setting is declared and read: a dataclass field that carries its keys, kind, unit and reason as metadata."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any

from sac_kafka.config.interpolation import unresolved
from sac_kafka.config.secrets import MASK, mask_said, masked
from sac_kafka.config.values import Kind
from sac_kafka.errors import ConfigurationError

_SHOWN = 1_000
"""Characters of a value that is not allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is known of a setting: its keys (the first that is set wins), kind, unit, reason, default as documented."""

    keys: tuple[str, ...]
    kind: Kind
    doc: str
    unit: str
    default: str
    secret: bool

    def value(self, key: str, text: str, origin: str) -> object:
        """Read the text that stands under `key`.

        Raises:
            ConfigurationError: It is not allowed, or refers to what is not set; the message names origin, key, value
                and what is allowed.
        """
        if (reference := unresolved(text)) is not None:
            raise ConfigurationError(f"{origin}: {key}: {reference} is not set; set it, or write the value out")
        if not _is_unicode(text):
            raise ConfigurationError(
                f"{origin}: {key}: holds half of a surrogate pair (\\ud800 to \\udfff); correct it"
            )
        try:
            return self.kind.read(text)
        except ValueError as error:
            shown = MASK if self.secret else _shortened(masked(key, text))
            raise ConfigurationError(
                f"{origin}: {key} = {shown}: {error}; correct it, or remove it for the default "
                f"({self.default or 'not set'})"
            ) from None


def setting(  # the type of a dataclass field's descriptor is that of its value, as with dataclasses.field
    *keys: str, kind: Kind, default: object, doc: str, unit: str = "", shown: str | None = None, secret: bool = False
) -> Any:  # noqa: ANN401
    """Declare a field; `shown` is how the documentation gives a default that is no plain value."""
    documented = _shown(default) if shown is None else shown
    declared = Setting(keys=keys, kind=kind, doc=doc, unit=unit, default=documented, secret=secret)
    return field(default=default, metadata={"setting": declared}, repr=not secret)


class Subject:
    """The settings of a subject. Its dataclasses are made with `repr=False`: what is shown of them has no secret."""

    def __repr__(self) -> str:
        """What is set, as it may be shown."""
        shown = (f"{each.name}={_masked(getattr(self, each.name))}" for each in fields(self) if each.repr)  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(shown)})"


def _masked(value: object) -> str:
    """A value as it may be shown; of pairs the first may say that the second is secret."""
    pairs = value if isinstance(value, tuple) else ()
    return mask_said(repr(["=".join(each) if isinstance(each, tuple) else each for each in pairs] if pairs else value))


def declared(by: type) -> Iterator[tuple[str, Setting]]:
    """Give the settings that a dataclass declares, by the names of their fields, in order."""
    for own in fields(by):
        if "setting" in own.metadata:
            yield own.name, own.metadata["setting"]


def key_in_force(setting: Setting, properties: Mapping[str, str]) -> str | None:
    """Give the key whose value counts, None where the default does; a key that is blank counts as not set."""
    return next((key for key in setting.keys if properties.get(key, "").strip()), None)


Repeated = Mapping[str, tuple[str, ...]]
"""What each line says of a key that is set several times with different values, as in `Configuration`."""


def text_in_force(setting: Setting, key: str, properties: Mapping[str, str], repeated: Repeated | None = None) -> str:
    """Give the trimmed text that counts under `key`: of one that is set several times the first, but for lists.

    Args:
        setting: What is read.
        key: One of its keys, which is set.
        properties: Key to value.
        repeated: What each line says of a key that is set several times.
    """
    lines = (repeated or {}).get(key)
    return lines[0] if lines and not setting.kind.is_list else properties[key].strip()


def read_declared(
    by: type,
    properties: Mapping[str, str],
    origin: str,
    origins: Mapping[str, str] | None = None,
    *,
    repeated: Repeated | None = None,
    unused: Collection[str] = (),
    wrong: dict[str, str],
) -> dict[str, Any]:
    """Read the settings that are set, by the names of their fields.

    Args:
        by: The dataclass that declares them.
        properties: Key to value.
        origin: Where they come from, for error messages.
        origins: Where single keys come from, if that is known better.
        repeated: What each line says of a key that is set several times.
        unused: Names of fields that nothing reads: they count as not set where they refer to what is not set.
        wrong: Takes, by key, what is said of values that are not allowed: origin, key, value and what is allowed.
    """
    values: dict[str, Any] = {}
    for name, each in declared(by):
        key = key_in_force(each, properties)
        if key is None:
            continue
        text = text_in_force(each, key, properties, repeated)
        if name not in unused or unresolved(text) is None:
            try:
                values[name] = each.value(key, text, (origins or {}).get(key, origin))
            except ConfigurationError as error:
                wrong[key] = str(error)
    return values


def _shortened(value: str) -> str:
    """A value before what is wrong with it: of a long list the error names the element, and must not be cut off itself."""
    return value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _shown(default: object) -> str:
    if default is None or default == ():
        return ""
    if isinstance(default, Enum):
        return str(default.value)
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:g}" if isinstance(default, float) else str(default)
