"""Airflow's callbacks, as docs/emit.md has them, with contexts of the shape that Airflow documents: it is not installed here."""

from __future__ import annotations

import sys
from datetime import datetime, timezone
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from sac_kafka.airflow import callbacks, on_failure_callback, on_success_callback
from tests.project.docs.blocks import ROOT, blocks
from tests.unit.emitting.conftest import Sent

BEGAN = datetime(2026, 11, 28, 5, tzinfo=timezone.utc)


def asset(uri: str, name: str = "") -> SimpleNamespace:
    return SimpleNamespace(uri=uri, name=name or uri)


def context(inlets: list[Any], outlets: list[Any], **more: Any) -> dict[str, Any]:
    task = SimpleNamespace(task_id="load", dag_id="shop_daily", inlets=inlets, outlets=outlets)
    instance = SimpleNamespace(dag_id="shop_daily", task_id="load", try_number=2, start_date=BEGAN, end_date=None)
    return {"task": task, "ti": instance, "dag_run": SimpleNamespace(run_id="scheduled__1"), **more}


ORDERS = context([asset("s3://raw/orders")], [asset("postgres://db1:5432/shop/sales/orders")])


def facts(sent: Sent) -> dict[str, str]:
    found: dict[str, str] = sent.entities("spark_process")[-1]["customAttributes"]
    return found


def test_a_task_is_a_flow_from_inlets_to_outlets(sent: Sent) -> None:
    callbacks(conf=sent.conf)["on_success_callback"](ORDERS)
    assert sent.flows() == ["shop_daily.load: raw/orders -> sales.orders"]
    found = facts(sent)
    assert (found["status"], found["engine"], found["parent_attempt"]) == ("succeeded", "Airflow", "2")
    assert (found["parent_job"], found["parent_task"], found["parent_run_id"]) == ("shop_daily", "load", "scheduled__1")
    assert "airflow" not in sys.modules


def test_a_failed_task(sent: Sent) -> None:
    both = callbacks(conf=sent.conf)
    both["on_success_callback"](ORDERS)
    both["on_failure_callback"]({**ORDERS, "exception": ValueError("secret")})
    assert (facts(sent)["status"], facts(sent)["failure"]) == ("failed", "ValueError")
    both["on_failure_callback"](ORDERS)
    assert facts(sent)["failure"] == "AirflowTaskFailed"


def test_columns(sent: Sent) -> None:
    callbacks(conf=sent.conf, columns={"orders.total": {"direct": ["orders.amount"]}})["on_success_callback"](ORDERS)
    assert facts(sent)["lineage"] == "complete"


def test_assets_that_name_no_data_are_other_sources(sent: Sent, caplog: pytest.LogCaptureFixture) -> None:
    found = context([asset("named-only"), SimpleNamespace(name="alias")], [asset("s3://out/x"), asset("x-other://a/b")])
    callbacks(conf=sent.conf)["on_success_callback"](found)
    assert sent.flows() == ["shop_daily.load: alias, named-only -> out/x"]
    assert "an asset of an Airflow task is no dataset: 'x-other://a/b': unknown scheme x-other" in caplog.text


def test_a_task_without_outlets_is_no_flow(sent: Sent) -> None:
    callbacks(conf=sent.conf)["on_success_callback"](context([asset("s3://raw/orders")], []))
    assert not sent.file.exists()


@pytest.mark.parametrize("callback", [on_success_callback, on_failure_callback])
@pytest.mark.parametrize("broken", [{}, {"task": None, "ti": 3}, ORDERS])
def test_a_callback_never_fails(
    sent: Sent, callback: Any, broken: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Here there is no configuration."""
    callback(broken)
    assert broken is not ORDERS or "no atlas-application.properties" in caplog.text


class Dag:
    """What the examples use of Airflow's DAG: its arguments are those of its tasks."""

    tasks: ClassVar[list[Task]]
    current: ClassVar[Dag]

    def __init__(self, dag_id: str, *, default_args: dict[str, Any], **_: Any) -> None:
        self._dag_id, self._default_args = dag_id, default_args

    def __enter__(self) -> Dag:
        Dag.tasks = []
        Dag.current = self
        return self

    def __exit__(self, *_: object) -> None: ...

    @classmethod
    def operator(cls, **given: Any) -> Task:
        task = Task(**{"dag_id": cls.current._dag_id, **cls.current._default_args, **given})
        cls.tasks.append(task)
        return task


class Task(SimpleNamespace):
    def __rshift__(self, other: Task) -> Task:
        return other


EXAMPLES = {
    "docs/emit.md": next(each.text for each in blocks(ROOT / "docs" / "emit.md") if "sac_kafka.airflow" in each.text),
    "examples/emit/airflow_dag.py": (ROOT / "examples" / "emit" / "airflow_dag.py").read_text("utf-8"),
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples(example: str, sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    operators = "airflow.providers.standard.operators.python"
    parents = (operators.rsplit(".", number)[0] for number in range(1, 5))
    modules = {"airflow.sdk": {"DAG": Dag, "Asset": asset}, operators: {"PythonOperator": Dag.operator}}
    modules |= {parent: {} for parent in parents}
    for name, content in modules.items():
        module = ModuleType(name)
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, module)
    lines = ("atlas.client.type=file", f"atlas.client.file.path={sent.file}")
    (sent.file.parent / "atlas-application.properties").write_text("\n".join(lines))
    exec(compile(EXAMPLES[example], example, "exec"), {})
    for task in Dag.tasks:
        instance = SimpleNamespace(dag_id=task.dag_id, task_id=task.task_id)
        task.on_success_callback({"task": task, "ti": instance})
    assert sent.flows()[0] == "shop_daily.load: raw/orders -> sales.orders"
    assert len(sent.flows()) == len(Dag.tasks)


def test_arguments_are_added_to_the_facts_of_the_task(sent: Sent) -> None:
    both = callbacks(conf=sent.conf, outputs=["sales.orders"], facts={"parent_task": "mine"})
    both["on_success_callback"](context([asset("s3://raw/orders")], []))
    found = facts(sent)
    assert sent.flows() == ["shop_daily.load: raw/orders -> sales.orders"]
    assert (found["parent_job"], found["parent_task"]) == ("shop_daily", "mine")
