"""Explain an error of a Kafka client: its kind, its effect on other records, and a sentence with cause and fix.

Only the beginning of an error text is examined, because there may be hundreds of errors and matching holds the GIL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from sac_kafka.masking import mask_text
from sac_kafka.transport.base import Failure, FailureKind
from sac_kafka.transport.kafka.errors.rules import RULES, UNKNOWN, WAIT

_MAX_EXAMINED = 2000  # characters of an error text that are examined
_MAX_QUOTED = 200  # characters of an error text that are quoted
_STATE = re.compile(r" ?\(after \d+ms in state \w[^()]*(?:\([^()]*\)[^()]*)*\)")
_HINT = re.compile(r": connecting to a PLAINTEXT broker listener\?")  # misleading: also added after a connection reset
_DURATION = re.compile(r"\b\d+(?:\.\d+)? ?ms\b")  # removed, so that the same error always has the same text
_INSTANCE = re.compile(r"\[thrd:[^\[\]]*\]:? ?|(?:\bFAIL )?(?<!\S)\S*#(?:producer|consumer)-\d+\b\|? ?")
_PATH_FIX = "check the broker and the network path to it"
_WORDS: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "topic not allowed": (
            ("may not write to", "may not read"),
            ("grant the user Write and Describe on it", "grant the user Read and Describe on it"),
            ("a policy with Send", "a policy with Listen"),
        ),
        "cluster not allowed": (
            (
                "set atlas.kafka.enable.idempotence = false, or grant the user IdempotentWrite",
                "grant the user Describe",
            ),
        ),
        "not acknowledged": (("did not acknowledge in time", "did not answer in time"),),
    }
)
"""Replacements by kind of error: the producer's wording, and the reader's."""


@dataclass(frozen=True, slots=True)
class Explained:
    """An explained error; `sentence` contains the cause, the fix and the original text, on one line without secrets."""

    kind: str
    failure_kind: FailureKind
    sentence: str
    weight: int
    blocks_after: int

    @property
    def failure(self) -> Failure:
        """The failure of a record with this error."""
        return Failure(self.failure_kind, self.sentence, is_ambiguous=self.kind == UNKNOWN.kind)


def explain(name: str, text: str, topic: str = "", *, was_reached: bool = False) -> Explained:
    """Explain an error; an error that matches no rule is transient and is reported by its name.

    Args:
        name: Name of the error.
        text: The client's error text.
        topic: The topic, for the error of a record.
        was_reached: Whether a broker has ever acknowledged a record, so that port and protocol must be correct.
    """
    quoted = one_line(text)
    whole = f"{name} {' '.join(_beginning(text).split())}"
    rules = (each for each in RULES if not (each.guess and was_reached))
    rule = next((each for each in rules if each.matches(name, whole)), UNKNOWN)
    cause = rule.cause.format(name=name, topic=topic or "of the messages")
    detail = f" ({quoted})" if quoted else ""
    return Explained(rule.kind, rule.failure_kind, f"{cause}; {rule.fix}{detail}", rule.weight, rule.blocks_after)


def one_line(text: str) -> str:
    """Return an error text as one masked line of at most 200 characters, without variable parts such as durations."""
    text = _beginning(text)
    text = _DURATION.sub("… ms", _INSTANCE.sub("", _STATE.sub("", _HINT.sub("", text))))
    return mask_text(" ".join(text.split()))[:_MAX_QUOTED]


def _beginning(text: str) -> str:
    """Return the beginning of a text, cut between words, because a truncated secret would not be masked."""
    if len(text) <= _MAX_EXAMINED:
        return text
    return text[: _MAX_EXAMINED + 1].rsplit(maxsplit=1)[0][:_MAX_EXAMINED]


def explain_reading(name: str, text: str, topic: str = "", *, was_reached: bool = False) -> Explained:
    """Explain an error like `explain`, but for the reader of a topic."""
    found = explain(name, text, topic, was_reached=was_reached)
    sentence = found.sentence.replace(WAIT, _PATH_FIX).replace(
        "messages are kept; check the brokers", "check the brokers"
    )
    for written, read in _WORDS.get(found.kind, ()):
        sentence = sentence.replace(written, read)
    return replace(found, sentence=sentence)
