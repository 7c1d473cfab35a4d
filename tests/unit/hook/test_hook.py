"""The public interface of a hook, without a JVM."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import sac_kafka
from sac_kafka import Flushed, Hook
from sac_kafka.hook import hook
from sac_kafka.hook.hook import Hooks
from sac_kafka.stats import stats_of_none
from tests.helpers.hooks import RECORD, Bench
from tests.helpers.waiting import LONG_SECONDS


def test_error_of_a_with_block_passes(make: Callable[..., Bench]) -> None:
    bench = make()
    with pytest.raises(ZeroDivisionError), bench.start():
        1 / 0  # noqa: B018

    assert not bench.hook.is_active
    bench.listener.go.set()


def test_fork_reports_that_nothing_is_attached(make: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch) -> None:
    make()
    context = SimpleNamespace(_jsc=object())
    held = sac_kafka.attach(context)
    with monkeypatch.context() as child:
        child.setattr(os, "getpid", lambda: -1)
        assert not held.is_active
        assert repr(held) == "<Hook disabled: this process is a fork of the driver>"
        assert str(held.flush(1).problem) == "not attached: this process is a fork of the driver"
        assert sac_kafka.attach(context) is held
    assert held.is_active
    assert repr(held).endswith(", active>")
    held.detach()


def test_a_hook_without_a_session_has_all_figures_in_plain_json(caplog: pytest.LogCaptureFixture) -> None:
    h = sac_kafka.attach(None)

    stats = h.stats()
    assert stats["problem"] is None
    assert stats["disabled"] == "attach needs a SparkSession, got None"
    assert stats["undelivered"] == stats["captured"] == stats["listener"] == {}
    assert json.loads(json.dumps(stats)) == stats
    assert (h.messages(), h.lineage()) == ([], ())
    assert h.flush() == Flushed(problem="not attached: attach needs a SparkSession, got None")
    assert caplog.messages[0] == "not attached, the job runs on without lineage: attach needs a SparkSession, got None"
    with h:
        pass


def test_figures_have_the_same_keys_always(make: Callable[..., Bench]) -> None:
    bench = make()
    attached = bench.start().stats()
    none = stats_of_none(None, {})

    assert attached.keys() == none.keys()
    assert attached["messages"].keys() == none["messages"].keys()
    assert attached["spool"].keys() == none["spool"].keys()
    assert json.loads(json.dumps(attached)) == attached
    bench.listener.go.set()


@pytest.mark.parametrize(
    ("what", "got"), [("spark", "str"), (object(), "object"), (Path("x"), "pathlib.PosixPath"), (3, "int")]
)
def test_invalid_session_is_reported(what: object, got: str) -> None:
    assert sac_kafka.attach(what).stats()["disabled"] == f"attach needs a SparkSession, got {got}"


def test_without_hooks_nothing_is_flushed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "HERE", Hooks())

    assert not sac_kafka.flush()
    assert sac_kafka.flush().problem == "no hook is attached"


def test_invalid_setting_disables_the_hook(caplog: pytest.LogCaptureFixture) -> None:
    h = sac_kafka.attach(SimpleNamespace(_jsc=object()), clent_type="console")

    assert h.stats()["disabled"] == "attach(clent_type=…): unknown setting; did you mean client_type?"
    assert not h.is_active
    assert isinstance(h, Hook)


def test_warns_that_settings_of_a_later_attach_have_no_effect(
    make: Callable[..., Bench], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING", "sac_kafka")  # a thread logs that the hook is attached
    bench = make()
    context = SimpleNamespace(_jsc=object())
    first = sac_kafka.attach(context, job_name="a")
    assert sac_kafka.attach(context) is sac_kafka.attach(context, job_name="a") is first
    assert caplog.messages == []
    assert sac_kafka.attach(context, job_name="b", query_text="off") is first
    assert caplog.messages == [
        "already attached: atlas.hook.spark.job.name, atlas.hook.spark.query.text have no effect; call detach first"
    ]
    bench.listener.go.set()


def test_flush_distinguishes_delivered_from_spooled(make: Callable[..., Bench]) -> None:
    bench = make()
    h = bench.start()

    def mark(marker: int) -> None:
        bench.listener.lines.insert(0, f'["marker",{marker}]')
        bench.listener.go.set()

    bench.listener.mark = mark  # type: ignore[method-assign]
    bench.transport.send = lambda record, outcome: outcome(None)  # type: ignore[method-assign]
    bench.spool.send(RECORD, lambda _: None)

    assert h.flush(LONG_SECONDS) == Flushed(delivered=1)
    bench.await_end()


@pytest.mark.parametrize("seconds", [None, float("inf"), 1e300, 10**400, float("nan"), "soon", -1])
def test_no_time_that_is_given_to_flush_harms_the_job(make: Callable[..., Bench], seconds: Any) -> None:
    bench = make()
    h = bench.start()
    bench.listener.lines = ['["end"]']
    bench.listener.go.set()
    bench.await_end()
    assert h.flush(seconds).lost == 0
    assert sac_kafka.flush(seconds) is not None
    assert h.stats()["errors"] == {}


def test_empty_messages_of_a_disabled_hook_give_the_reason(caplog: pytest.LogCaptureFixture) -> None:
    disabled = sac_kafka.attach(object())
    caplog.clear()
    assert disabled.messages() == []
    assert caplog.messages == [f"messages() and lineage() are empty: not attached: {disabled.stats()['disabled']}"]
