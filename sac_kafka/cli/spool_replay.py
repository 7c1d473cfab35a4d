"""`sac-kafka spool replay`: deliver what waits, in order, and say how much."""

from __future__ import annotations

import argparse
import logging
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import replace

from sac_kafka.cli.configured import read_configured
from sac_kafka.cli.saying import say
from sac_kafka.cli.spool_directory import readable, topic, total
from sac_kafka.cli.summary import sink
from sac_kafka.config.choices import Durability
from sac_kafka.errors import SacKafkaError
from sac_kafka.figures import counted
from sac_kafka.settings import Settings
from sac_kafka.transport.base import Trouble
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.private_files import is_root
from sac_kafka.transport.spool.directory import found_directory
from sac_kafka.transport.spool.inspection import FileState, SpoolFile, inspect
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool

SOME_LEFT = 1
TO_HERE = "to send them here run: sac-kafka spool replay --any-destination"
_CLOSE_SECONDS = 5.0
_PROGRESS_SECONDS = 2.0
_MOST_RETRY_MS = 2000


def replay_messages(arguments: argparse.Namespace) -> int:
    """Deliver what waits, in order, and say how much."""
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    if arguments.dir is not None:
        readable(arguments.dir, is_named=True)
    settings = read_configured(arguments).settings
    options = options_of(settings)
    if sink_of(settings).address is None:
        shown = shlex.quote(str(arguments.dir or found_directory(settings.spool.dir)))
        raise SacKafkaError(
            f"to look at the messages run: sac-kafka spool show --dir {shown} | sac-kafka show -; a replay to "
            f"atlas.client.type = {settings.sink.client_type.value} would lose them"
        )
    files = replace(
        options.files,
        dir=arguments.dir or options.files.dir,
        enabled=True,
        durability=Durability.ON_FAILURE,
        retry_ms=min(options.files.retry_ms, _MOST_RETRY_MS),
    )
    is_for_all = arguments.any_destination or arguments.topic is not None
    spool = Spool(
        make_transport(settings),
        replace(
            options,
            files=files,
            destination=None if is_for_all else options.destination,
            topic=(arguments.topic or settings.sink.topic) if is_for_all else None,
            with_rejected=arguments.rejected,
            without_locks=arguments.unlocked,
            of_anyone=is_root(),
        ),
        "replay",
    )
    try:
        _drive(spool, arguments.timeout)
    finally:
        spool.close(_CLOSE_SECONDS)
    counts, left = spool.counts, spool.figures["records"]
    delivered = counted(counts["replayed"], "message")
    say(f"{delivered} delivered, {counts['dropped']} dropped, {counts['rejected']} rejected, {left} left")
    for reason, count in spool.reasons.items():
        say(f"{count}: {reason}")
    problem = spool.problem()
    if left and problem:
        say(problem)
    found = inspect(spool.directory)
    if not is_for_all:
        _say_what_stays([each for each in found if each.writer.destination != options.destination], settings)
    in_use = sum(each.state is FileState.IN_USE for each in found)
    if in_use:
        say(f"{in_use} file{'s are' if in_use != 1 else ' is'} in use by running drivers, which deliver them")
    return SOME_LEFT if left or counts["rejected"] else 0


def _say_what_stays(others: Sequence[SpoolFile], settings: Settings) -> None:
    """Say what a replay has left alone because it is for another destination; living drivers see to theirs."""
    staying = [each for each in others if each.state in (FileState.WAITING, FileState.UNKNOWN)]
    if staying:
        topics = ", ".join(sorted({topic(each) for each in staying}))
        for_others = f"for another destination than {sink(settings)} (topic {topics})"
        say(f"{total(staying)} {for_others} stay where they are; {TO_HERE}")


def _drive(spool: Spool, timeout_seconds: float) -> None:
    """Serve the spool until nothing is left, a person has to do something, or nothing happens for too long."""
    spool.service(0)
    before, since, said = -1, time.monotonic(), time.monotonic()
    told = 0
    while (left := spool.figures["records"]) and spool.trouble is not Trouble.BLOCKED:
        now = time.monotonic()
        if left != before:
            before, since = left, now
        elif now - since >= timeout_seconds:
            return
        if now - said >= _PROGRESS_SECONDS and spool.counts["replayed"] != told:
            said, told = now, spool.counts["replayed"]
            print(f"{counted(told, 'message')} delivered, {left} left", file=sys.stderr, flush=True)  # noqa: T201
        spool.flush(min(1.0, timeout_seconds))
        if spool.trouble is not None:
            time.sleep(0.1)
