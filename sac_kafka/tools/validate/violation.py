"""Describe a violation of the sender rules, with a fix."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from sac_kafka.masking import mask_text

_MAX_INPUT = 400
"""Characters of a value that are masked; the rest is dropped before."""
_MAX_RENDERED = 80


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
        place = " ".join(filter(None, (self.entity, self.attribute)))
        subject = f"{place} = {self.value}" if place and self.value else place or self.value
        rule = f" ({self.rule})" if self.rule else ""
        return f"{subject}: {self.problem}{rule}; {self.fix}" if subject else f"{self.problem}{rule}; {self.fix}"


def rendered(value: object) -> str:
    """Return a value as JSON, masked and truncated."""
    if isinstance(value, str):
        text = json.dumps(value[:_MAX_INPUT], ensure_ascii=False)
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)[:_MAX_INPUT]
        except (TypeError, ValueError, RecursionError):
            text = type(value).__name__
    masked = mask_text(text)
    return masked if len(masked) <= _MAX_RENDERED else f"{masked[: _MAX_RENDERED - 1]}…"
