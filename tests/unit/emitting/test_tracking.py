"""`track`: the flow of a block or a function, also of one that fails, is async, or is called by several threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import sac_kafka
from sac_kafka.emitting import tracking
from sac_kafka.errors import ConfigurationError, FlowError
from tests.unit.emitting.conftest import Sent


def facts(sent: Sent) -> dict[str, str]:
    """Return the facts of the last process."""
    found: dict[str, str] = sent.entities("spark_process")[-1]["customAttributes"]
    return found


def test_a_block(sent: Sent) -> None:
    with sac_kafka.track(job="daily", conf=sent.conf) as flow:
        flow.reads("s3://raw/orders")
        flow.writes(o="sales.orders")
        flow.columns({"o.total": {"aggregation": ["amount"]}})
    assert flow.result
    assert sent.flows() == ["daily: raw/orders -> sales.orders"]
    assert (facts(sent)["status"], facts(sent)["lineage"]) == ("succeeded", "complete")
    assert facts(sent)["engine"].startswith("Python 3.")
    assert facts(sent)["started"] <= facts(sent)["ended"]


def test_a_function_is_named_by_its_module(sent: Sent) -> None:
    @sac_kafka.track(outputs=["sales.orders"], conf=sent.conf)
    def load(number: int) -> int:
        """Load."""
        return number + 1

    assert (load(1), load.__doc__) == (2, "Load.")
    (name,) = sent.flows()
    assert name.endswith("test_tracking.test_a_function_is_named_by_its_module.load: no dataset -> sales.orders")


def test_a_failure_passes_and_marks_the_run_as_failed(sent: Sent) -> None:
    error = ValueError("secret")

    @sac_kafka.track(job="daily", inputs=["a.b"], outputs=["a.c"], conf=sent.conf)
    def load(*, fails: bool) -> None:
        if fails:
            raise error

    load(fails=False)  # a failed run changes a flow that the server knows
    with pytest.raises(ValueError, match="secret") as raised:
        load(fails=True)
    assert raised.value is error
    assert (facts(sent)["status"], facts(sent)["failure"]) == ("failed", "ValueError")
    assert "secret" not in sent.file.read_text()


@pytest.mark.parametrize(("status", "expected"), [(0, "succeeded"), (None, "succeeded"), (1, "failed")])
def test_an_exit_without_an_error_is_no_failure(sent: Sent, status: object, expected: str) -> None:
    sac_kafka.emit(job="daily", outputs="a.b", conf=sent.conf)
    with pytest.raises(SystemExit), sac_kafka.track(job="daily", outputs="a.b", conf=sent.conf):
        raise SystemExit(status)
    assert facts(sent)["status"] == expected


def test_a_wrong_flow_does_not_hide_the_exception_of_the_block(sent: Sent) -> None:
    with pytest.raises(KeyError), sac_kafka.track(job="daily", outputs="a.b", conf=sent.conf) as flow:
        flow.columns({"z.n": ["c"]})
        raise KeyError


def test_a_block_that_writes_nothing_is_no_flow(sent: Sent) -> None:
    with sac_kafka.track(job="daily", inputs="a.b", conf=sent.conf) as flow:
        pass
    assert (flow.result, sent.file.exists()) == (None, False)


def test_an_async_function(sent: Sent) -> None:
    @sac_kafka.track(job="daily", outputs=["a.b"], conf=sent.conf)
    async def load() -> str:
        await asyncio.sleep(0)
        return "done"

    assert asyncio.run(load()) == "done"
    assert sent.flows() == ["daily: no dataset -> a.b"]


def test_an_async_function_waits_in_another_thread(sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []
    monkeypatch.setattr(tracking, "emit_flow", lambda *_: threads.append(threading.current_thread()))

    @sac_kafka.track(job="daily", outputs=["a.b"], conf=sent.conf)
    async def load(fails: bool) -> None:
        if fails:
            raise ValueError

    asyncio.run(load(fails=False))
    with pytest.raises(ValueError):
        asyncio.run(load(fails=True))
    assert len(threads) == 2
    assert threading.main_thread() not in threads


def test_calls_at_the_same_time(sent: Sent) -> None:
    barrier = threading.Barrier(4)

    @sac_kafka.track(job="daily", outputs=["a.b"], conf=sent.conf)
    def load() -> None:
        barrier.wait(30)

    threads = [threading.Thread(target=load) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sent.flows() == ["daily: no dataset -> a.b"] * 4


def test_what_is_wrong_is_known_before_the_function_runs(sent: Sent) -> None:
    with pytest.raises(FlowError, match="outputs: 'b': a table needs its database"):
        sac_kafka.track(job="daily", outputs="b")
    with pytest.raises(FlowError, match="columns: 'z' is no dataset"):
        sac_kafka.track(job="daily", outputs="a.b", columns={"z.n": []})(len)
    with pytest.raises(FlowError, match="columns: a list"):
        sac_kafka.track(job="daily", outputs="a.b", columns=["a"])  # type: ignore[arg-type]
    with pytest.raises(FlowError, match="unknown key 'failure'"):
        sac_kafka.track(job="daily", outputs="a.b", failure="x")
    with pytest.raises(FlowError, match="a block needs the name of its job"), sac_kafka.track(outputs="a.b"):
        pass
    with (
        pytest.raises(ConfigurationError, match="track: no atlas-application"),
        sac_kafka.track(job="daily"),
    ):
        pass


def test_a_function_of_a_notebook_needs_the_name_of_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("__main__.__file__", raising=False)

    def load() -> None: ...

    load.__module__ = "__main__"
    with pytest.raises(FlowError, match="nothing names the job of"):
        sac_kafka.track(outputs="a.b")(load)
    monkeypatch.setattr("__main__.__file__", "/jobs/orders.py", raising=False)
    assert sac_kafka.track(outputs="a.b")(load).__name__ == "load"


def test_a_generator_is_refused() -> None:
    def rows() -> Iterator[int]:
        yield 1

    with pytest.raises(FlowError, match="is a generator; use `with track"):
        sac_kafka.track(outputs="a.b")(rows)


def test_a_block_may_change_the_directory(sent: Sent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "atlas-application.properties").write_text(
        "".join(f"atlas.{name.replace('_', '.').removeprefix('atlas.')}={value}\n" for name, value in sent.conf.items())
    )
    (tmp_path / "elsewhere").mkdir()
    with sac_kafka.track(job="daily") as flow:
        flow.reads(Path("in.csv"))
        flow.writes("a.b")
        monkeypatch.chdir(tmp_path / "elsewhere")
    assert sent.flows() == [f"daily: {tmp_path.name}/in.csv -> a.b"]
