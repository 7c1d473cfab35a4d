"""A topic is read on as far as the journal has room; nothing is skipped, and the log has the reason once."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from sac_kafka.bridge import kafka_input as module
from sac_kafka.bridge.intake import Intake
from sac_kafka.bridge.journal import Journal
from sac_kafka.bridge.kafka_input import KafkaInput
from sac_kafka.transport.kafka.consumer import Consumed


class Reader:
    """A topic with one poll, and the offsets that are committed; the bridge ends behind it."""

    def __init__(self, records: list[Consumed]) -> None:
        self.polls = [records]
        self.committed: list[int] = []
        self.topic: KafkaInput

    def read(self, _: float) -> tuple[list[Consumed], None]:
        if self.polls:
            return self.polls.pop(), None
        self.topic._stopped.set()
        return [], None

    def commit(self, records: list[Consumed]) -> None:
        self.committed += [record.offset for record in records]

    def close(self) -> None: ...


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Six records, which wait for room without a clock."""
    reader = Reader([Consumed(0, offset, None, None, b"x" * 9) for offset in range(6)])
    topic = reader.topic = KafkaInput.__new__(KafkaInput)
    super(KafkaInput, topic).__init__()
    topic._reader = reader  # type: ignore[assignment]
    topic._topic, topic._refusal = "openlineage", ""
    monkeypatch.setattr(module, "_FULL_SECONDS", 0)
    return reader


def test_poll_that_is_larger_than_the_journal_is_kept_in_parts(
    reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    journal = Journal(tmp_path, 25)
    read: list[object] = []
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        if len(waits) % 3 == 0:
            read.extend(placed.event for placed in journal.read(10))
            journal.rotate()
            journal.release(journal.current)
        return False

    monkeypatch.setattr(reader.topic._stopped, "wait", wait)
    with caplog.at_level(logging.WARNING):
        reader.topic.run(Intake(0, journal))
    read += [placed.event for placed in journal.read(10)]
    assert read == ["x" * 9] * 6
    assert reader.committed == [0, 1, 2, 3, 4, 5]
    assert caplog.text.count("is read on when there is room") == 1


def test_bridge_that_ends_commits_what_is_kept(reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path, 25)
    monkeypatch.setattr(reader.topic._stopped, "wait", lambda _: reader.topic._stopped.set())
    reader.topic.run(Intake(0, journal))
    assert reader.committed == [0, 1]
    assert [placed.event for placed in journal.read(10)] == ["x" * 9] * 2
