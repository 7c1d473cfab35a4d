"""The Python that serves a shared driver is killed, at random moments: while all write, while it flushes, without a broker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.helpers.broker import Broker
from tests.helpers.messages import validated
from tests.helpers.seeds import seed
from tests.helpers.waiting import until
from tests.live.delivery.chaos_faults import World
from tests.live.spark.shared_driver import DATABRICKS, Process, Shared, job_of

pytestmark = [pytest.mark.spark, pytest.mark.kafka]

WRITES = 6
MOMENTS = ("writes", "flush", "outage")


class SharedOverKafka(Shared):
    """A driver whose Pythons send to a broker."""

    def __init__(self, work: Path, world: World, topic: str) -> None:
        self._broker, self._topic = Broker(world.kafka.bootstrap()), topic
        world.kafka.create_topic(topic)
        settings = {
            "atlas.kafka.bootstrap.servers": self._broker.bootstrap,
            "atlas.notification.hook.topic.name": topic,
            "atlas.hook.spool.dir": str(work / "spool"),
        }
        super().__init__(work, *DATABRICKS, settings=settings)

    def messages(self) -> list[dict[str, Any]]:
        """All messages that the broker has."""
        return validated([value.decode() for value in self._broker.read_all(self._topic)])


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A broker that can be stopped, and started again."""
    with closing(World(tmp_path_factory.mktemp("world"), "unused")) as made:
        yield made.start()


def rounds(number: int) -> list[Any]:
    """The rounds; CI runs none: test_several_pythons.py has the next Python take over."""
    known = [(n, MOMENTS[n % len(MOMENTS)]) for n in range(number)]
    return [
        pytest.param(n, at, id=f"{n}_{at}", marks=pytest.mark.exhaustive if n < 3 else pytest.mark.nightly)
        for n, at in known
    ]


@pytest.mark.parametrize(("round_", "moment"), rounds(20))
def test_nothing_is_lost_when_the_serving_python_is_killed(
    round_: int, moment: str, world: World, tmp_path: Path, add_to_summary: Callable[[str], None]
) -> None:
    """Each write of the others is one process; those of the killed one that Spark has committed, too."""
    random = Random(seed(round_))
    with closing(SharedOverKafka(tmp_path, world, f"round-{round_}")) as shared:
        notebooks = [shared.notebook(name) for name in "abc"]
        try:
            others = killed(moment, notebooks, shared, world, random)
        finally:
            world.start_again()
            world.go_on()
        answers: list[str] = []
        until(
            lambda: is_delivered(others, answers),
            lambda: f"not delivered: {answers}, {others[0].request('stats')}",
            progress=lambda: min(len(answers), 10),
        )
        until(
            lambda: others[0].request("flush") and shared.complete("a") <= shared.processes().keys(),
            lambda: (
                f"of the killed one: {shared.complete('a') - shared.processes().keys()}: {others[0].request('stats')}"
            ),
        )
        found, times = shared.processes(), Counter(shared.times_reported().values())
        of_killed, figures = len(shared.complete("a")), f"times reported {dict(times)}, {len(answers)} answers"
        add_to_summary(f"killed in round {round_} ({moment}): {of_killed} of the killed one; {figures}")
        expected = {f"{name}_{number}" for name in "bc" for number in range(WRITES)}
        assert expected <= found.keys()
        assert {output: names for output, names in found.items() if len(names) > 1} == {}
        jobs = {output: jobs for output, jobs in shared.flows().items() if jobs != {job_of(*output.split("_"))}}
        assert jobs == {}
        if moment == "writes":
            assert_goes_on(others, shared)


def assert_goes_on(notebooks: list[Process], shared: Shared) -> None:
    """What runs while no Python has attached is reported by the next one."""
    for each in notebooks:
        each.end()
    path, source = shared.work / "alone", shared.work / "source"
    shared.ran(f"insert overwrite directory '{path}' using parquet select id from parquet.`{source}`")
    last = shared.notebook("d")
    last.request("write 0 1 1")
    assert "problem=None" in last.request("flush")
    assert {"alone", "d_0"} <= shared.flows().keys()


def killed(moment: str, notebooks: list[Process], shared: Shared, world: World, random: Random) -> list[Process]:
    """Let all write, kill the first at a moment, and return the others, which have written everything."""
    serving, *others = notebooks
    for each in notebooks:
        each.send(f"write 0 {WRITES} 2")
    begins, ends = sorted(random.randrange(WRITES) for _ in range(2))
    reached(shared, begins // 2)
    if moment == "flush":
        world.pause()
        assert [each.heard() for each in notebooks] == ["write done"] * len(notebooks)
        asked = random.sample(notebooks, random.randrange(1, len(notebooks) + 1))
        for each in asked:
            each.send("flush")
        for _ in range(random.randrange(3)):
            idle = [each for each in others if each not in asked]
            if idle:
                idle[0].request("stats")
        if random.random() < 0.5:
            world.go_on()
        serving.kill()
        world.go_on()
        answers = [each.heard() for each in asked if each is not serving]
        assert all(each.startswith("flush ") for each in answers)
        return others
    if moment == "outage":
        world.kafka.kill()
    reached(shared, ends // 2)
    serving.kill()
    if moment == "outage" and random.random() < 0.5:
        world.start_again()
    assert [each.heard() for each in others] == ["write done"] * len(others)
    return others


def reached(shared: Shared, number: int) -> None:
    """Wait until the first notebook has begun so many writes."""
    until(lambda: len(shared.written("a")) >= number, lambda: "the notebook does not write")


def is_delivered(notebooks: list[Process], answers: list[str]) -> bool:
    """Whether a flush of each says so; its answers are added."""
    now = [each.request("flush") for each in notebooks]
    answers += now
    return all("problem=None" in each for each in now)
