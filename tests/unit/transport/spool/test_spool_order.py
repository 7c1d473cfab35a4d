"""Random events: the order stays, and nothing is lost."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from sac_kafka.transport.spool import orphans
from tests.unit.transport.spool.fakes import Bench, Disk, FakeTransport, number_of
from tests.unit.transport.spool.spooled_numbers import numbers_in_file

NIGHTLY = (range(first, first + 100) for first in range(60, 2000, 100))
SEEDS = (range(60), *(pytest.param(seeds, marks=pytest.mark.nightly) for seeds in NIGHTLY))


@pytest.mark.slow
@pytest.mark.parametrize("seeds", SEEDS)
def test_random_events_keep_the_order_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seeds: range
) -> None:
    for seed in seeds:
        folder = tmp_path / str(seed)
        folder.mkdir()
        with monkeypatch.context() as patched:
            play(seed, folder, patched)


def play(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(seed)
    monkeypatch.setattr(orphans, "MAX_WRITERS", 1 + seed % 3)
    window_bytes = dice.choice([200, 500, 10_000_000])
    disk = Disk(monkeypatch)
    dropped, was_full = 0, False
    is_first = dice.random() < 0.5
    sent, arrived, lost_at_kill = 0, [], set()

    def new() -> Bench:
        return Bench(
            tmp_path,
            transport=FakeTransport(is_late=dice.random() < 0.8),
            is_first=is_first,
            batch_records=dice.choice([1, 3, 100]),
            rollover_seconds=dice.choice([0.0, 60.0]),
            window_bytes=window_bytes,
        )

    bench = new()
    for _ in range(dice.randrange(10, 80)):
        match dice.choice(
            ["send", "send", "send", "service", "service", "down", "up", "later", "hang", "full", "end", "kill"]
        ):
            case "send":
                count = dice.randrange(1, 6)
                bench.send(*range(sent, sent + count))
                sent += count
            case "service":
                bench.service()
            case "down":
                bench.transport.good = dice.randrange(4)
            case "up":
                bench.transport.failure_kind, bench.transport.good, bench.transport.hangs = None, None, False
                disk.left = None
            case "full":
                disk.left = dice.randrange(2000) if dice.random() < 0.3 else None
                was_full |= disk.left is not None
            case "later":
                bench.later(dice.choice([0.3, 1, 40]))
            case "hang":
                bench.transport.hangs = True
            case "end":
                bench.spool.close(dice.choice([0, 1]))
                arrived += bench.transport.numbers
                dropped += bench.counts.get("dropped", 0)
                bench = new()
            case "kill":
                kept_here = {number for each in tmp_path.glob("*.avro") for number in numbers_in_file(each)}
                lost_at_kill |= {number_of(record) for record, _ in bench.transport.queue} - kept_here
                bench.kill()
                arrived += bench.transport.numbers
                dropped += bench.counts.get("dropped", 0)
                bench = new()
    bench.transport.failure_kind, bench.transport.good, bench.transport.hangs = None, None, False
    disk.left = None
    for _ in range(5):
        bench.later(700)
        bench.spool.flush(10)
    bench.spool.close(1)
    dropped += bench.counts.get("dropped", 0)
    arrived += bench.transport.numbers

    assert was_full or not (dropped or (is_first and lost_at_kill)), seed
    assert list(dict.fromkeys(arrived)) == [n for n in range(sent) if n in set(arrived)], seed
    assert len(set(range(sent)) - set(arrived) - lost_at_kill) <= dropped, seed
    assert list(tmp_path.iterdir()) == [], seed
