"""Describe a violation of the sender rules, with a fix."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from sac_kafka.config.secrets import mask_text

_READ = 400
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation: `entity` is type and name, `attribute` the place in it, `value` the masked and truncated value.

    `rule` is the number in docs/sender-rules.md, or "". `is_doubt`: Atlas accepts the message nevertheless.
    """

    problem: str
    fix: str
    entity: str = ""
    attribute: str = ""
    value: str = ""
    rule: str = ""
    is_doubt: bool = field(default=False, kw_only=True)

    def __str__(self) -> str:
        """Return the violation as a sentence, without the place of the message."""
        what = " ".join(filter(None, (self.entity, self.attribute)))
        shown = f"{what} = {self.value}" if what and self.value else what or self.value
        rule = f" ({self.rule})" if self.rule else ""
        return f"{shown}: {self.problem}{rule}; {self.fix}" if shown else f"{self.problem}{rule}; {self.fix}"


def shown(value: object) -> str:
    """Return a value as JSON, masked and truncated."""
    if isinstance(value, str):
        text = json.dumps(value[:_READ], ensure_ascii=False)
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)[:_READ]
        except (TypeError, ValueError, RecursionError):
            text = type(value).__name__
    masked = mask_text(text)
    return masked if len(masked) <= _SHOWN else f"{masked[: _SHOWN - 1]}…"
