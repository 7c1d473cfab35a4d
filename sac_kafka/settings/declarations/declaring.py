"""Declare and read settings: dataclass fields whose metadata holds keys, kind, unit and description."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import MASK, mask_setting, mask_value
from sac_kafka.settings.declarations.interpolation import first_reference
from sac_kafka.settings.declarations.values import BOOLEAN, Kind, one_of

_MAX_QUOTED_LENGTH = 1_000
"""Maximum number of characters of an invalid value that an error message quotes."""
Repeated = Mapping[str, tuple[str, ...]]
"""The values of each key that is set several times with different values, one per line; as in `Configuration`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The declaration of a setting: its keys (the first that is set wins), kind, description, documented default."""

    keys: tuple[str, ...]
    kind: Kind
    doc: str
    default: str
    secret: bool

    def value(self, key: str, text: str, origin: str) -> object:
        """Convert the text that is set for `key`.

        Raises:
            ConfigurationError: The value is invalid or refers to an unset variable; the message names origin, key, value
                and the allowed values.
        """
        if (reference := first_reference(text)) is not None:
            raise ConfigurationError(f"{origin}: {key}: {reference} is not set; set it, or write the value out")
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise ConfigurationError(
                f"{origin}: {key}: contains an unpaired surrogate (\\ud800 to \\udfff); correct it"
            )
        try:
            return self.kind.read(text)
        except ValueError as error:
            quoted = MASK if self.secret else _truncate(mask_setting(key, text))
            raise ConfigurationError(
                f"{origin}: {key} = {quoted}: {error}; correct it, or remove it for the default "
                f"({self.default or 'not set'})"
            ) from None


def setting(  # the type of a dataclass field's descriptor is that of its value, as with dataclasses.field
    *keys: str,
    doc: str,
    kind: Kind | None = None,
    default: object = None,
    documented: str | None = None,
    secret: bool = False,
) -> Any:  # noqa: ANN401
    """Declare a field.

    `kind` is by default that of the default, a boolean or a member of an enumeration. `documented` describes a default that is
    no plain value.
    """
    if kind is None:
        kind = one_of(type(default)) if isinstance(default, Enum) else BOOLEAN
    text = _plain_text(default) if documented is None else documented
    declared = Setting(keys=keys, kind=kind, doc=doc, default=text, secret=secret)
    return field(default=default, metadata={"setting": declared}, repr=not secret)


class Subject:
    """Base class of groups of settings. Their dataclasses use `repr=False`, so that this `__repr__` masks secrets."""

    def __repr__(self) -> str:
        """Return the values with secrets masked."""
        values = (f"{each.name}={_mask(getattr(self, each.name))}" for each in fields(self) if each.repr)  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(values)})"


def _mask(value: object) -> str:
    """Return the masked repr of a value. Pairs are joined by =, because the name in a pair may mark its value as secret."""
    pairs = value if isinstance(value, tuple) else ()
    return mask_value(repr(["=".join(pair) if isinstance(pair, tuple) else pair for pair in pairs] if pairs else value))


def declared_settings(by: type) -> Iterator[tuple[str, Setting]]:
    """Yield the name of each field of a dataclass that declares a setting, and the setting."""
    for own in fields(by):
        if "setting" in own.metadata:
            yield own.name, own.metadata["setting"]


def effective_key(setting: Setting, properties: Mapping[str, str]) -> str | None:
    """Return the key that is in effect, None if the default is; a blank value counts as not set."""
    return next((key for key in setting.keys if properties.get(key, "").strip()), None)


def effective_text(setting: Setting, key: str, properties: Mapping[str, str], repeated: Repeated | None = None) -> str:
    """Return the trimmed text in effect for `key`: the first one if it is set several times and is not a list.

    `key` must be set; `repeated` are the values of each key that is set several times, one per line.
    """
    lines = (repeated or {}).get(key)
    return lines[0] if lines and not setting.kind.is_list else properties[key].strip()


def read_settings(
    by: type,
    properties: Mapping[str, str],
    origin: str,
    origins: Mapping[str, str] | None = None,
    *,
    repeated: Repeated | None = None,
    unused: Collection[str] = (),
    wrong: dict[str, str],
) -> dict[str, Any]:
    """Read the settings that are set, and return their values by field name.

    `origins` are the sources of single keys, `repeated` the values of each key that is set several times. Fields in `unused` are
    skipped instead of reported if they refer to an unset variable. `wrong` receives the errors of invalid values, by key.
    """
    values: dict[str, Any] = {}
    for name, each in declared_settings(by):
        key = effective_key(each, properties)
        if key is None:
            continue
        text = effective_text(each, key, properties, repeated)
        if name not in unused or first_reference(text) is None:
            try:
                values[name] = each.value(key, text, (origins or {}).get(key, origin))
            except ConfigurationError as error:
                wrong[key] = str(error)
    return values


def _truncate(value: str) -> str:
    """Truncate a quoted value, so that the error after it stays within the log's line limit."""
    return value if len(value) <= _MAX_QUOTED_LENGTH else f"{value[:_MAX_QUOTED_LENGTH]}…"


def _plain_text(default: object) -> str:
    if default is None or default == ():
        return ""
    if isinstance(default, Enum):
        return str(default.value)
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:g}" if isinstance(default, float) else str(default)
