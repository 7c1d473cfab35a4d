"""What an error of a Kafka client means to who reads a topic: the table's words are of writing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from sac_kafka.transport.kafka.errors.explaining import Explained, explain
from sac_kafka.transport.kafka.errors.rule import WAIT

_PATH = "check the broker and the network path to it"
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
"""By the kind of the error: what stands in the table, and what it is for who reads."""


def explain_reading(name: str, text: str, topic: str = "", *, was_reached: bool = False) -> Explained:
    """Explain an error to who reads, as `explain` does to who writes; nothing is kept for later."""
    found = explain(name, text, topic, was_reached=was_reached)
    sentence = found.sentence.replace(WAIT, _PATH).replace("messages are kept; check the brokers", "check the brokers")
    for written, read in _WORDS.get(found.kind, ()):
        sentence = sentence.replace(written, read)
    return replace(found, sentence=sentence)
