"""How a setting is declared: as a dataclass field that carries its keys, kind, unit and reason as metadata."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sac_kafka.config.secrets import MASK, masked
from sac_kafka.config.values import Kind
from sac_kafka.errors import ConfigurationError


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
            ConfigurationError: It is not allowed; the message names origin, key, value and what is allowed.
        """
        try:
            return self.kind.read(text)
        except ValueError as error:
            shown = MASK if self.secret else masked(key, text)
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


def _shown(default: object) -> str:
    if default is None or default == ():
        return ""
    if isinstance(default, bool):
        return str(default).lower()
    return f"{default:g}" if isinstance(default, float) else str(default)
