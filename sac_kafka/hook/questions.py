"""Ask the Python process that serves a SparkContext; `answers` has its side.

A question and its answer are JSON and pass through the driver's JVM (`spark/java/Questions.java`).
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sac_kafka.deadlines import Clock
from sac_kafka.spark.listener import Listener

_POLL_MS = 200


class QuestionKind(Enum):
    """The kind of a question; `FLUSH` and `MESSAGES` are answered behind all events that were posted before the question."""

    FLUSH = "flush"
    STATS = "stats"
    VERIFY = "verify"
    MESSAGES = "messages"

    @property
    def is_behind(self) -> bool:
        """Whether the answer must wait for earlier events."""
        return self in (QuestionKind.FLUSH, QuestionKind.MESSAGES)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question: its kind, how long the other process waits for the answer, in seconds, and the destination it is about."""

    kind: QuestionKind
    seconds: float
    destination: str = ""

    def text(self) -> str:
        """Return the question as JSON."""
        return json.dumps([self.kind.value, self.seconds, self.destination])

    @classmethod
    def of(cls, text: str) -> Asked:
        """Return the question from its JSON."""
        kind, seconds, destination = json.loads(text)
        return cls(QuestionKind(kind), seconds, destination)


def ask(listener: Listener, asked: Asked, clock: Clock, is_over: threading.Event) -> Any | None:  # noqa: ANN401 JSON
    """Return the answer of the process that serves; None at the timeout.

    If another process takes over meanwhile, the question is put to that one.

    Raises:
        GoneError: The driver's JVM cannot be reached.
    """
    deadline = clock() + asked.seconds
    while not is_over.is_set():
        owner = listener.owner()
        number = listener.ask(asked.text(), is_behind=asked.kind.is_behind)
        try:
            while listener.owner() == owner and not is_over.is_set():
                left_ms = int(1000 * (deadline - clock()))
                answer = listener.wait_for_answer(number, max(0, min(_POLL_MS, left_ms)))
                if answer is not None:
                    return json.loads(answer)
                if left_ms <= 0:
                    return None
        finally:
            listener.end_question(number)
    return None
