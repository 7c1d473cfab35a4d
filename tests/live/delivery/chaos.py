"""Rounds of jobs whose broker, network, disk or driver fails: nothing of what was encoded may be lost.

    python -m tests.live.delivery.chaos --rounds 200 [--seed N] [--only NUMBER]

Each round is a real Spark job of 50 writes in a separate process, which reaches one real broker through a proxy. All
rounds share the broker, the topic and the spool, so that what one leaves behind is the next one's to deliver.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.helpers import jvm
from tests.live.delivery.chaos_faults import FAULTS, World
from tests.live.delivery.chaos_plan import STATUSES, TERMINATED, Plan, plans
from tests.live.delivery.chaos_running import ChaosJob, Ended
from tests.live.delivery.chaos_topic import TopicReader
from tests.live.delivery.chaos_verdict import Verdict, judge
from tests.live.jobs.running import PATIENT_PROPERTIES, write_conf

WRITES = 50
TOPIC = "chaos"
PROPERTIES = "atlas-application.properties"
EXIT_SECONDS = 20.0
"""`atlas.hook.spark.exit.timeout.seconds`: within it all is to be encoded, also where the machine stands still for a while."""
REPLAY_SECONDS = 300
SETTINGS = {
    **PATIENT_PROPERTIES,
    "atlas.hook.spark.exit.timeout.seconds": f"{EXIT_SECONDS:g}",
    "atlas.kafka.delivery.timeout.ms": "3600000",  # a job that waits for that instead of the exit timeout hangs
}


class ChaosError(AssertionError):
    """A promise was broken; the message says which, in which round, and where its logs are."""


@dataclass
class Figures:
    """Figures of a run at its end, by what was done to the jobs."""

    rounds: Counter[str] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    duplicates: Counter[str] = field(default_factory=Counter)

    def lines(self) -> Iterator[str]:
        """Yield the table."""
        yield f"  {'':<34}{'rounds':>8}{'messages':>10}{'lost':>6}{'dropped*':>10}{'duplicates':>12}"
        for title in sorted(self.rounds):
            yield self._line(title, *(c[title] for c in self._columns))
        yield self._line("all", *(c.total() for c in self._columns))
        yield "  * no broker and no room on disk at once: counted with a reason"

    @property
    def _columns(self) -> tuple[Counter[str], ...]:
        return self.rounds, self.messages, self.lost, self.dropped, self.duplicates

    @staticmethod
    def _line(title: str, rounds: int, messages: int, lost: int, dropped: int, duplicates: int) -> str:
        return f"  {title:<34}{rounds:>8}{messages:>10}{lost:>6}{dropped:>10}{duplicates:>12}"


@dataclass(frozen=True)
class _Pending:
    """A round whose messages are not judged yet, because somebody else is still to deliver them."""

    plan: Plan
    ended: Ended
    dropped: int


class Chaos:
    """Runs rounds one after the other."""

    def __init__(self, work: Path, world: World, report: Callable[[str], None] = print) -> None:
        self.work = work
        self.world = world
        self.figures = Figures()
        self._report = report
        self._reader = TopicReader(world.kafka.bootstrap("PLAINTEXT"), world.topic)
        self._plain: dict[str, Ended] = {}
        self._pending: list[_Pending] = []
        self._last_of_the_judged = -1

    def run(self, chosen: Sequence[Plan]) -> None:
        """Run the rounds, and replay what the last one has left.

        Raises:
            ChaosError: A promise was broken.
        """
        for plan in chosen:
            ended = self._round(plan)
            if plan.replays or plan is chosen[-1]:
                self._replay(plan)
                self._judge_all()
            line = (ended.ran.last_line or "killed")[:200]
            self._report(f"{plan.number:>4} {plan.title}: {len(ended.encoded)} messages, {line}")

    # ---- one round

    def _round(self, plan: Plan) -> Ended:
        plain = self._without_hook(plan.ending)
        conf = write_conf(
            self.work / f"conf{plan.number}", {**self.world.properties(), **SETTINGS, **dict(plan.settings)}
        )
        fault = FAULTS[plan.fault]
        steps = [(plan.strikes_at, fault.strike)]
        after: list[Callable[[World], None]] = [fault.heal]
        if plan.heals_at is not None:
            steps.append((plan.heals_at, fault.heal))
        if plan.strikes_at == 0 and not (fault.needs_disk and not self.world.disk.is_mounted):
            fault.strike(self.world)  # before there is a driver
            steps.pop(0)
        job = ChaosJob(self.work / f"job{plan.number}", plan.ending, WRITES, conf=conf)
        self.world.driver = job.pid
        if plan.kills_at is not None:
            steps.append((plan.kills_at, lambda _: job.kill()))
        if plan.terminates_at is not None:
            steps.append((plan.terminates_at, lambda _: job.terminate()))
        for statement, step in sorted(steps, key=lambda each: each[0]):
            if job.wait_for_statement(statement):
                time.sleep(plan.delay_seconds)
                step(self.world)
        ended = job.ended()
        self.world.driver = None
        for step in after:
            step(self.world)
        (self.work / f"job{plan.number}.log").write_text(ended.ran.log)
        self._check_the_job(plan, ended, plain)
        dropped = self._check_the_report(plan, ended)
        self._pending.append(_Pending(plan, ended, dropped))
        return ended

    def _without_hook(self, ending: str) -> Ended:
        if ending not in self._plain:
            job = ChaosJob(self.work / f"plain-{ending}", ending, WRITES, conf=None)
            if ending == TERMINATED and job.wait_for_statement(WRITES - 5):
                job.terminate()
            plain = job.ended()
            assert plain.ran.status == STATUSES[ending], plain.ran.log
            self._plain[ending] = plain
        return self._plain[ending]

    def _check_the_job(self, plan: Plan, ended: Ended, plain: Ended) -> None:
        ran = ended.ran
        if plan.kills_at is not None:
            self._require(plain.ran.output.startswith(ran.output), plan, f"it printed {ran.output!r}")
            return
        self._require(ran.status == plain.ran.status, plan, f"its exit status is {ran.status}")
        if plan.terminates_at is not None:
            self._require(plain.ran.output.startswith(ran.output), plan, f"it printed {ran.output!r}")
        else:
            self._require(ran.output == plain.ran.output, plan, f"it printed {ran.output!r}")
            self._require(len(ended.encoded) >= WRITES, plan, f"it made {len(ended.encoded)} messages only")
        self._require("an error in" not in ran.log, plan, "the hook logged an error")

    def _check_the_report(self, plan: Plan, ended: Ended) -> int:
        """Return the report of the hook counts every message; gives how many it says were dropped."""
        if plan.kills_at is not None:
            return 0
        line = ended.ran.last_line
        self._require(line is not None, plan, "the hook has reported no end")
        figures, encoded = ended.ran.figures, len(ended.encoded)
        self._require(sum(figures) == encoded, plan, f"{encoded} messages encoded, but {line}")
        _, _, dropped = figures
        if not FAULTS[plan.fault].loses:
            self._require(dropped == 0, plan, f"{line}")
        return dropped

    # ---- what arrived

    def _replay(self, plan: Plan) -> None:
        try:
            replay(self.work / f"conf{plan.number}")
        except AssertionError as error:
            self._require(False, plan, str(error))

    def _judge_all(self) -> None:
        topic = self._reader.read()
        for pending in self._pending:
            assert pending.ended.application is not None
            verdict = judge(pending.ended.application, pending.ended.encoded, topic)
            self._note(pending, verdict)
            self._check(pending, verdict)
        self._pending.clear()

    def _note(self, pending: _Pending, verdict: Verdict) -> None:
        title, figures = pending.plan.title, self.figures
        figures.rounds[title] += 1
        figures.messages[title] += verdict.sent
        figures.dropped[title] += pending.dropped
        figures.lost[title] += max(0, len(verdict.lost) - pending.dropped)
        figures.duplicates[title] += verdict.duplicates

    def _check(self, pending: _Pending, verdict: Verdict) -> None:
        plan = pending.plan
        lost = len(verdict.lost)
        # One that was dropped here may be there all the same: its acknowledgement was what got lost.
        self._require(lost <= pending.dropped, plan, f"{lost} messages are lost, first {_start(verdict.lost)}")
        self._require(not verdict.disordered, plan, f"out of order: {_start(verdict.disordered)}")
        self._require(not verdict.strange, plan, f"sent by no driver: {_start(verdict.strange)}")
        if verdict.first is not None and verdict.last is not None:
            is_behind = verdict.first > self._last_of_the_judged
            self._require(is_behind, plan, "its first message is before the last of an earlier driver's")
            self._last_of_the_judged = verdict.last

    def _require(self, is_kept: bool, plan: Plan, what: str) -> None:
        if not is_kept:
            raise ChaosError(f"{plan}\n{what}\nlog: {self.work / f'job{plan.number}.log'}\nall in {self.work}")


def replay(conf: Path) -> None:
    """Deliver what is in the spool by the command line, as a person does after an outage; nothing may be left."""
    command = [
        sys.executable,
        "-m",
        "sac_kafka.tools.cli.main",
        "spool",
        "replay",
        "--conf-file",
        str(conf / PROPERTIES),
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=REPLAY_SECONDS)
    assert done.returncode == 0, f"{' '.join(command)} ends with {done.returncode}: {done.stdout}{done.stderr}"


def _start(messages: Sequence[str]) -> str:
    return messages[0][:300] if messages else ""


def run_rounds(work: Path, chosen: Sequence[Plan], report: Callable[[str], None] = print) -> Figures:
    """Run rounds with a separate broker; their logs are in `work`.

    Raises:
        ChaosError: A promise was broken.
    """
    world = World(work, TOPIC)
    try:
        world.start()
        chaos = Chaos(work, world, report)
        try:
            chaos.run(chosen)
        finally:
            for line in chaos.figures.lines():
                report(line)
        return chaos.figures
    finally:
        world.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.live.delivery.chaos", description=__doc__)
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--only", type=int, nargs="*", help="only these numbers out of the rounds")
    parser.add_argument("--work", type=Path, help="kept afterwards; a temporary folder that is removed if all is well")
    options = parser.parse_args()
    work = options.work or Path(tempfile.mkdtemp(prefix="sac-kafka-chaos-"))
    work.mkdir(parents=True, exist_ok=True)
    chosen = [
        p for p in plans(options.seed, options.rounds, WRITES) if options.only is None or p.number in options.only
    ]
    print(f"seed {options.seed}, {len(chosen)} rounds, in {work}", flush=True)
    try:
        run_rounds(work, chosen, lambda line: print(line, flush=True))
    except ChaosError as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    print(f"seed {options.seed}: {len(chosen)} rounds")
    return 0


if __name__ == "__main__":
    jvm.set_options()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    sys.exit(main())
