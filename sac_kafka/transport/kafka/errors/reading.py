"""Explain an error of a Kafka client to the reader of a topic; the rules are worded for producers."""

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
"""Replacements by kind of error: the producer's wording, and the reader's."""


def explain_reading(name: str, text: str, topic: str = "", *, was_reached: bool = False) -> Explained:
    """Explain an error like `explain`, but for the reader of a topic."""
    found = explain(name, text, topic, was_reached=was_reached)
    sentence = found.sentence.replace(WAIT, _PATH).replace("messages are kept; check the brokers", "check the brokers")
    for written, read in _WORDS.get(found.kind, ()):
        sentence = sentence.replace(written, read)
    return replace(found, sentence=sentence)
