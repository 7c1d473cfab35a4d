"""The spool behind the transport to Atlas' notification endpoint: nothing is lost, and the order stays."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sac_kafka.settings import Settings
from sac_kafka.transport.base import Record
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool
from tests.helpers.waiting import until
from tests.unit.transport.notification_server import NotificationServer


def spool_of(address: str, folder: Path, application_id: str) -> Spool:
    properties = {
        "atlas.client.type": "rest",
        "atlas.rest.address": address,
        "atlas.hook.spool.dir": str(folder),
        "atlas.hook.spool.destination.retry.ms": "100",
        "atlas.hook.spark.rest.timeout.seconds": "60",
    }
    settings = Settings.read(properties, "here")
    return Spool(make_transport(settings), options_of(settings), application_id)


def record(number: int) -> Record:
    value = b'{"spooled":false,"n":%d}' % number
    return Record("ATLAS_HOOK", b"app", (value,), created_ms=int(time.time() * 1000))


def test_the_next_driver_posts_what_one_could_not(tmp_path: Path) -> None:
    with NotificationServer() as server:
        server.always = (401, {}, b"")
        first = spool_of(server.address, tmp_path / "spool", "app-1")
        for number in range(5):
            first.send(record(number), lambda failure: None)
            first.service(0)
        first.close(1)
        assert len(server.requests) == 1  # a refused login is not tried again
        assert list((tmp_path / "spool").rglob("*.avro")) != []
        server.always = (204, {}, b"")
        second = spool_of(server.address, tmp_path / "spool", "app-2")
        second.send(record(5), lambda failure: None)
        until(lambda: second.service(0) or len(server.posted) == 6)
        second.close(60)
    assert [each["n"] for each in server.posted] == [0, 1, 2, 3, 4, 5]
    assert all(each["spooled"] for each in server.posted)  # the last, too: it has waited behind the others


@pytest.mark.full
def test_a_message_answered_with_500_delays_no_other_of_this_or_a_later_job(tmp_path: Path) -> None:
    answer = b'{"errorCode":"ATLAS-500-00-018","errorMessage":"failed to send notification"}'
    with NotificationServer() as server:
        server.fails_on = lambda body: (500, {}, answer) if any(each["n"] == 0 for each in body) else None
        for job, numbers in enumerate([(0, 1, 2), (3, 4)]):
            spool = spool_of(server.address, tmp_path / "spool", f"app-{job}")
            for number in numbers:
                spool.send(record(number), lambda failure: None)
            until(
                lambda spool=spool, job=job, last=numbers[-1]: (
                    spool.service(0) or (len(server.posted) >= last and (job or spool.counts["rejected"]))
                )
            )
            spool.close(60)
            assert spool.counts["rejected"] == (1 if job == 0 else 0)
    assert sorted(each["n"] for each in server.posted) == [1, 2, 3, 4]
    assert len(list((tmp_path / "spool" / "rejected").glob("*.avro"))) == 1
    assert list((tmp_path / "spool").glob("*.avro")) == []


def test_a_deeply_nested_answer_loses_nothing(tmp_path: Path) -> None:
    with NotificationServer() as server:
        server.always = (500, {}, b"[" * 200_000)
        spool = spool_of(server.address, tmp_path / "spool", "app")
        for number in range(3):
            spool.send(record(number), lambda failure: None)
        spool.flush(2)
        assert spool.counts["spooled"] == 3
        spool.close(2)
    assert len(list((tmp_path / "spool").glob("*.avro"))) == 1
