"""Requests that wait at the same time are written together; each has an answer, whatever happens."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from sac_kafka.bridge.http_api import _Commits
from sac_kafka.bridge.intake import Intake
from sac_kafka.bridge.journal import FullError, Journal, UnwritableError
from tests.unit.bridge.test_http import EVENT, Server


def keep_all(commits: _Commits, *names: str) -> list[BaseException | None]:
    """Keep an event for each name at the same time; return what comes of them."""

    async def run() -> list[BaseException | None]:
        waits = (commits.keep([(name, name)]) for name in names)
        return await asyncio.wait_for(asyncio.gather(*waits, return_exceptions=True), 60)

    return asyncio.run(run())


def test_requests_whose_sync_fails_are_refused_and_none_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path, 10_000)
    journal.append(["first"])
    real, calls = os.fsync, iter([True])

    def sync(descriptor: int) -> None:
        if next(calls, False):
            raise OSError(errno.EIO, "Input/output error")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", sync)
    commits = _Commits(Intake(0, journal).keep)
    assert [type(result) for result in keep_all(commits, "r1", "r2", "r3")] == [UnwritableError] * 3
    assert keep_all(commits, "confirmed") == [None]
    assert [placed.event for placed in journal.read(10)] == ["first", "confirmed"]


def test_requests_are_written_alone_if_there_is_no_room_for_all(tmp_path: Path) -> None:
    journal = Journal(tmp_path, 12)
    results = keep_all(_Commits(Intake(0, journal).keep), "aaa", "x" * 20, "bbb")
    assert [type(result) for result in results] == [type(None), FullError, type(None)]
    assert [placed.event for placed in journal.read(10)] == ["aaa", "bbb"]


def test_unexpected_error_is_the_answer_of_each_request() -> None:
    kept: list[str] = []

    def keep(texts: Sequence[str], _: Sequence[object]) -> None:
        if not kept:
            kept.append("failed")
            raise MemoryError
        kept.extend(texts)

    commits = _Commits(keep)
    assert [type(result) for result in keep_all(commits, "r1", "r2")] == [MemoryError] * 2
    assert keep_all(commits, "r3") == [None]
    assert kept == ["failed", "r3"]


def test_server_that_ends_leaves_no_request_waiting() -> None:
    release = threading.Event()

    async def run() -> list[bool]:
        commits = _Commits(lambda *_: release.wait(60) and None)
        waits = [asyncio.ensure_future(commits.keep([("r1", "r1")]))]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waits.append(asyncio.ensure_future(commits.keep([("r2", "r2")])))
        await asyncio.sleep(0)
        assert commits._task is not None
        commits._task.cancel()
        await asyncio.wait(waits, timeout=60)
        release.set()
        return [wait.cancelled() for wait in waits]

    assert asyncio.run(run()) == [True, True]


def test_error_of_the_bridge_is_answered_with_500_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(tmp_path)
    try:
        with monkeypatch.context() as patch:
            patch.setattr(server.intake.journal, "append", lambda *_: 1 / 0)
            assert server.request(EVENT)[0] == 500
        assert server.intake.counts == {"requests refused: 500": 1}
        assert server.request(EVENT)[0] == 201
    finally:
        server.input.stop()
