"""What is wrong with a message, said so that a person can mend it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from sac_kafka.config.secrets import mask_text

_READ = 400
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Violation:
    """A fault: `entity` is type and name, `attribute` where it is in it, `value` what stands there, masked and bounded.

    `rule` is the number in docs/sender-rules.md, "" where none has one. `is_doubt`: a server takes the message all the same.
    """

    problem: str
    cure: str
    entity: str = ""
    attribute: str = ""
    value: str = ""
    rule: str = ""
    is_doubt: bool = field(default=False, kw_only=True)

    def __str__(self) -> str:
        """As a sentence, without its place."""
        what = " ".join(filter(None, (self.entity, self.attribute)))
        shown = f"{what} = {self.value}" if what and self.value else what or self.value
        rule = f" ({self.rule})" if self.rule else ""
        return f"{shown}: {self.problem}{rule}; {self.cure}" if shown else f"{self.problem}{rule}; {self.cure}"


def shown(value: object) -> str:
    """Give a value as it is shown: as JSON, masked, its beginning."""
    if isinstance(value, str):
        text = json.dumps(value[:_READ], ensure_ascii=False)
    else:
        try:
            text = json.dumps(value, ensure_ascii=False)[:_READ]
        except (TypeError, ValueError, RecursionError):
            text = type(value).__name__
    masked = mask_text(text)
    return masked if len(masked) <= _SHOWN else f"{masked[: _SHOWN - 1]}…"
