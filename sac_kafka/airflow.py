"""Callbacks of Airflow tasks that state their flow: inlets are inputs, outlets are outputs.

    from sac_kafka.airflow import callbacks

    PythonOperator(task_id="load", python_callable=load, inlets=[Asset("s3://raw/orders")],
                   outlets=[Asset("postgres://db1:5432/shop/sales/orders")], **callbacks())

The job is `dag.task`, as that of a Spark job that the task starts. A callback never fails, and this module imports no Airflow.
Source: Airflow, "Callbacks" and "Assets" (2.4 to 3.3; before 3.0 an asset is called a dataset).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sac_kafka.emitting.configuration import Conf
from sac_kafka.emitting.emission import emit_flow
from sac_kafka.emitting.session import close_all
from sac_kafka.errors import FlowError
from sac_kafka.guard import describe
from sac_kafka.log import logger
from sac_kafka.names.stated_names import named_dataset

TaskContext = Mapping[str, Any]
"""The context of a task, as Airflow passes it to callbacks."""


def callbacks(
    *,
    columns: Mapping[str, object] | None = None,
    conf: Conf = None,
    wait: float | None = 10.0,
    **run: object,
) -> dict[str, Callable[[TaskContext], None]]:
    """Return `on_success_callback` and `on_failure_callback` of a task; arguments as of `sac_kafka.emit`."""
    flow = {**run, "columns": columns}
    return {
        "on_success_callback": lambda context: _emit(context, flow, conf, wait, is_failed=False),
        "on_failure_callback": lambda context: _emit(context, flow, conf, wait, is_failed=True),
    }


def on_success_callback(context: TaskContext) -> None:
    """State the flow of a task that has succeeded."""
    _emit(context, {}, None, 10.0, is_failed=False)


def on_failure_callback(context: TaskContext) -> None:
    """State that the flow of a task has failed."""
    _emit(context, {}, None, 10.0, is_failed=True)


def _emit(context: TaskContext, flow: Mapping[str, object], conf: Conf, wait: float | None, *, is_failed: bool) -> None:
    try:
        given = {key: value for key, value in flow.items() if value is not None}
        stated = flow_of_task(context, is_failed=is_failed)
        if isinstance(facts := given.get("facts"), Mapping):
            given["facts"] = {**stated["facts"], **facts}
        stated |= given
        if stated["outputs"]:
            sent = emit_flow(stated, conf, wait, "callbacks")
            if not sent:  # a task's process ends by os._exit, without atexit: deliver or spool the rest now
                close_all()
        else:
            logger.info("job %s has no outlets that name data, so it is no flow", stated["job"])
    except Exception as error:  # noqa: BLE001 a callback must not affect the task
        logger.warning("the flow of an Airflow task is not sent: %s", describe(error))


def flow_of_task(context: TaskContext, *, is_failed: bool) -> dict[str, Any]:
    """Return the flow of a task as a statement. Assets that name no data are logged; inlets are kept as other sources.

    Args:
        context: The context of the task.
        is_failed: Whether it has failed.
    """
    task, instance = context.get("task"), context.get("ti") or context.get("task_instance")
    dag_id = _text(instance, "dag_id") or _text(task, "dag_id") or _text(context.get("dag"), "dag_id")
    task_id = _text(instance, "task_id") or _text(task, "task_id")
    run = context.get("dag_run")
    known = {
        "parent": "airflow",
        "parent_job": dag_id,
        "parent_task": task_id,
        "parent_run_id": _text(run, "run_id") or _text(instance, "run_id") or str(context.get("run_id") or ""),
        "parent_attempt": str(getattr(instance, "try_number", "") or ""),
    }
    inputs, unknown = _datasets(context.get("inlets") or getattr(task, "inlets", None))
    outputs, _ = _datasets(context.get("outlets") or getattr(task, "outlets", None))
    failure = context.get("exception") or "AirflowTaskFailed"
    return {
        "job": f"{dag_id}.{task_id}",
        "inputs": inputs,
        "outputs": outputs,
        "engine": "Airflow",
        "started": getattr(instance, "start_date", None),
        "ended": getattr(instance, "end_date", None),
        "failure": (failure if isinstance(failure, BaseException) else "AirflowTaskFailed") if is_failed else None,
        "facts": {name: text for name, text in known.items() if text},
        "other_sources": unknown,
    }


def _text(holder: object, name: str) -> str:
    found = getattr(holder, name, "")
    return found if isinstance(found, str) else ""


def _datasets(assets: object) -> tuple[list[object], list[str]]:
    """Return the assets that name data, and the names of the others: aliases, and URIs of unknown systems."""
    found: list[object] = []
    unknown: list[str] = []
    for each in assets if isinstance(assets, Iterable) and not isinstance(assets, (str, Mapping)) else ():
        name = getattr(each, "uri", None) or getattr(each, "url", None) or each
        try:
            named_dataset(name)
        except FlowError as error:
            shown = str(getattr(each, "name", None) or getattr(each, "uri", None) or type(each).__name__)[:100]
            unknown.append(shown)
            logger.warning("an asset of an Airflow task is no dataset: %s", error)
        else:
            found.append(name)
    return found, unknown
