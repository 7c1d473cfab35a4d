"""Answer the questions of the Python processes that this one serves."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable

from sac_kafka.guard import Guard
from sac_kafka.hook.doors import verification_as_json
from sac_kafka.hook.parts import Parts
from sac_kafka.hook.questions import Asked, QuestionKind
from sac_kafka.spark.listener import GoneError
from sac_kafka.stats import Stats
from sac_kafka.transport.sinks.memory import MemoryTransport


def answers(parts: Parts, stats: Callable[[], Stats], guard: Guard) -> Callable[[int, Asked], None]:
    """Return what answers a question in the worker's thread; a separate thread answers those about the catalog."""

    def answer(number: int, asked: Asked) -> None:
        if asked.kind is QuestionKind.VERIFY:
            threading.Thread(target=verify, args=(number, asked), name="sac-kafka-verify", daemon=True).start()
            return
        send(number, {"stats": stats(), "messages": parts.worker.messages(), "sent": sent(asked.kind)})

    def verify(number: int, asked: Asked) -> None:
        with guard("verify"):
            send(number, verification_as_json(parts.verify(asked.seconds, asked.destination)))

    def sent(kind: QuestionKind) -> list[str] | None:
        memory = parts.destinations[0].spool.wrapped
        if kind is not QuestionKind.MESSAGES or not isinstance(memory, MemoryTransport):
            return None
        return [value.decode() for record in memory.records for value in record.values]

    def send(number: int, found: object) -> None:
        with guard("answer", GoneError):
            parts.listener.answer(number, json.dumps(found))

    return answer
