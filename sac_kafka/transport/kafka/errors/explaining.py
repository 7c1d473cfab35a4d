"""What an error of a Kafka client means: its kind, its trouble, and one sentence that a person can act on.

Of a foreign text the beginning is read: errors come by the hundred, and what reads them holds the interpreter's lock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sac_kafka.config.secrets import mask_text
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.kafka.errors.rules import RULES, UNKNOWN

WITHOUT_CAUSE = frozenset({"not acknowledged", "connection", "connection lost", "no answer", "no metadata"})
"""Kinds of a record's error that say less than the trouble of the connection before it."""

_READ = 2000  # characters of foreign text that are read
_LENGTH = 200  # and that are shown
_STATE = re.compile(r" ?\(after \d+ms in state \w[^()]*(?:\([^()]*\)[^()]*)*\)")
_HINT = re.compile(r": connecting to a PLAINTEXT broker listener\?")  # also after a mere reset
_DURATION = re.compile(r"\b\d+(?:\.\d+)? ?ms\b")  # the same trouble must have the same text
_INSTANCE = re.compile(r"\[thrd:[^\[\]]*\]:? ?|(?:\bFAIL )?(?<!\S)\S*#(?:producer|consumer)-\d+\b\|? ?")


@dataclass(frozen=True, slots=True)
class Explained:
    """An error in words: `sentence` is what is wrong, the cure, and what was said of it; one line without secrets."""

    kind: str
    failure_kind: FailureKind
    sentence: str
    weight: int
    blocks_after: int

    @property
    def failure(self) -> Failure:
        """What a record fails with."""
        return Failure(self.failure_kind, self.sentence, is_ambiguous=self.kind == UNKNOWN.kind)


def explain(name: str, text: str, topic: str = "", *, was_reached: bool = False) -> Explained:
    """Explain an error; one that is in no row is passing and keeps its name.

    Args:
        name: Of the error.
        text: What the client says.
        topic: Of the record, if it is a record's error.
        was_reached: Whether a broker has ever taken a record: then port and protocol are right.
    """
    said = one_line(text)
    whole = f"{name} {' '.join(_beginning(text).split())}"
    rules = (each for each in RULES if not (each.guess and was_reached))
    rule = next((each for each in rules if each.fits(name, whole)), UNKNOWN)
    what = rule.says.format(name=name, topic=topic or "of the messages")
    detail = f" ({said})" if said else ""
    return Explained(rule.kind, rule.failure_kind, f"{what}; {rule.cure}{detail}", rule.weight, rule.blocks_after)


def one_line(text: str) -> str:
    """Give foreign text as one masked line of at most 200 characters, without what differs from time to time."""
    text = _beginning(text)
    text = _DURATION.sub("… ms", _INSTANCE.sub("", _STATE.sub("", _HINT.sub("", text))))
    return mask_text(" ".join(text.split()))[:_LENGTH]


def _beginning(text: str) -> str:
    """What is read of a text: no word is cut in two, as half a secret is not known for one."""
    if len(text) <= _READ:
        return text
    return text[: _READ + 1].rsplit(maxsplit=1)[0][:_READ]
