"""Requesters of runs and their jobs, as Spark Connect, the Thrift server, Kyuubi and a session name them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import pytest

from sac_kafka.lineage.open_executions import MAX_OPERATIONS
from sac_kafka.lineage.runs.attribution import with_session_job
from sac_kafka.model import Process, Requester
from sac_kafka.plan import wire
from sac_kafka.plan.execution import (
    Event,
    SparkListenerJobStart,
    SparkListenerSQLExecutionStart,
    SparkListenerThriftServerOperationStart,
    SparkOperationEvent,
)
from tests.cases.batches import BATCHES
from tests.helpers.live_runs import APPLICATION
from tests.helpers.staged import Actions

SESSION = "5c1f1a52-7f59-4a5e-9a57-3d7f2b0f8a11"
OPERATION = "0b6f6a0c-90c5-4c39-8f3e-c2f0a9a3d7e4"


def tag(user: str) -> str:
    return f"SparkConnect_OperationTag_User_{user}_Session_{SESSION}_Operation_{OPERATION}"


STATEMENTS = (("k6", "joe"), ("k7", "jane"), ("k8", "joe"))


def statement(user: str | None = "jane", group: str = "g1") -> SparkListenerThriftServerOperationStart:
    return SparkListenerThriftServerOperationStart(id="o1", session_id="s1", group_id=group, user_name=user)


def run(
    case: str,
    *,
    before: Iterable[Event] = (),
    jobs: Iterable[dict[str, str]] = (),
    application: object = APPLICATION,
    **of_start: object,
) -> list[Process]:
    """Return the processes of a case whose executions start so; `jobs` are the job properties of each of them."""
    actions = Actions(application)
    for event in before:
        assert not list(actions.add(event))
    processes = []
    for line in wire.read((BATCHES / "4.3.0" / f"{case}.txt").read_text("utf-8")):
        if not isinstance(line, wire.Projected):
            continue
        event = line.event
        if isinstance(event, SparkListenerSQLExecutionStart):
            event = dataclasses.replace(event, **of_start)
        processes += [o for o in actions.add(event) if isinstance(o, Process)]
        if isinstance(event, SparkListenerSQLExecutionStart):
            root = event.execution_id if event.root_execution_id is None else event.root_execution_id
            ids = {"spark.sql.execution.id": str(event.execution_id), "spark.sql.execution.root.id": str(root)}
            for properties in jobs:
                assert not list(actions.add(SparkListenerJobStart(properties=ids | properties)))
    return processes


@pytest.mark.parametrize("user", ["jane@example.com", "", "a_Session_b_Operation_c", "two\nlines"])
def test_spark_connect_names_the_requester_in_a_tag(user: str) -> None:
    (process,) = run("copy_csv", job_tags=("mine", tag(user)))
    assert process.run.requester == Requester(
        user=user, server="Spark Connect", session_id=SESSION, operation_id=OPERATION
    )


def test_the_first_of_two_tags_of_spark_connect_names_the_requester() -> None:
    (process,) = run("copy_csv", job_tags=(tag("jane"), tag("joe")))
    assert process.run.requester is not None
    assert process.run.requester.user == "jane"


@pytest.mark.parametrize("own", ["nightly", "SparkConnect_OperationTag_User_x_Session_1_Operation_2"])
def test_user_tag_names_no_requester(own: str) -> None:
    (process,) = run("copy_csv", job_tags=(own,))
    assert process.run.requester is None


def test_thrift_server_names_the_requester_in_the_job_group() -> None:
    others = (statement("joe", "g0"), statement("jim", "g2"))
    (process,) = run("copy_csv", before=(*others, statement()), job_group="g1")
    assert process.run.requester == Requester(
        user="jane", server="Spark Thrift server", session_id="s1", operation_id="o1"
    )
    (process,) = run("copy_csv", before=others, job_group="g1")
    assert process.run.requester is None
    (process,) = run("copy_csv", before=[statement(None)], job_group="g1")
    assert process.run.requester is not None
    assert process.run.requester.user == ""


@pytest.mark.parametrize("case", ["copy_csv", "ctas"])
def test_on_spark_3_5_the_jobs_have_the_group(case: str) -> None:
    """Find the group also in jobs of a nested execution that stands for the action."""
    processes = run(case, before=[statement()], jobs=[{"spark.jobGroup.id": "g1"}])
    assert [p.run.requester and p.run.requester.user for p in processes if not p.defines_view] == ["jane"]


def test_kyuubi_names_the_requester_in_a_job_property() -> None:
    (process,) = run("copy_csv", jobs=[{"kyuubi.session.user": "jane", "spark.jobGroup.id": "k7"}])
    assert process.run.requester == Requester(user="jane", server="Kyuubi", operation_id="k7")


@pytest.mark.parametrize(
    "given", [{"job_group": "k7"}, {"jobs": [{"kyuubi.session.user": "jane", "spark.jobGroup.id": "k7"}]}]
)
def test_kyuubi_names_the_requester_and_the_session_in_events_of_its_own(given: dict[str, Any]) -> None:
    """Spark 3.5 reports the job group only for jobs."""
    events = [SparkOperationEvent(statement_id=id, session_id=f"s{id}", session_user=user) for id, user in STATEMENTS]
    (process,) = run("copy_csv", before=events, **given)
    assert process.run.requester == Requester(user="jane", server="Kyuubi", session_id="sk7", operation_id="k7")


def test_two_sessions_of_kyuubi_that_share_an_engine_are_identified() -> None:
    """Recorded with Kyuubi 1.12.0 on Spark 3.5.9: each of them creates a table at the same time."""
    actions = Actions(APPLICATION)
    text = (BATCHES.parent / "kyuubi_sessions.txt").read_text("utf-8")
    lines = [line for line in wire.read(text) if isinstance(line, wire.Projected)]
    written = [o for line in lines for o in actions.add(line.event) if isinstance(o, Process)]
    assert {(p.outputs[0].key, p.run.requester) for p in written} == {
        (
            f"table:spark_catalog.k_{user}.ctas",
            Requester(user=user, server="Kyuubi", session_id=session, operation_id=operation),
        )
        for user, session, operation in (
            ("carol", "f9bc8784-22e2-43b5-b81e-f8be7d9cee9c", "0513357f-afb3-4c77-90ce-4b260082a642"),
            ("dave", "2cbfd613-e7d5-4581-9647-8ced264887b5", "6656278f-7e86-4fc5-ad3d-8f63208fc77e"),
        )
    }


@pytest.mark.parametrize(
    "properties",
    [
        {"spark.jobGroup.id": "unknown"},
        {"spark.sql.execution.id": "99", "spark.sql.execution.root.id": "99", "kyuubi.session.user": "x"},
        {"spark.sql.execution.id": "", "spark.sql.execution.root.id": "-1", "kyuubi.session.user": "x"},
    ],
)
def test_job_without_known_properties_has_no_requester(properties: dict[str, str]) -> None:
    (process,) = run("copy_csv", before=[statement()], jobs=[properties])
    assert process.run.requester is None


def test_statements_are_forgotten_before_they_fill_the_memory() -> None:
    many = [statement("old", "old"), *(statement("new", f"n{i}") for i in range(MAX_OPERATIONS))]
    (process,) = run("copy_csv", before=many, job_group="old")
    assert process.run.requester is None
    (process,) = run("copy_csv", before=many, job_group="n0")
    assert process.run.requester is not None


CHOSEN = dataclasses.replace(APPLICATION, job="chosen", is_job_chosen=True)
SET, CALLED = {"spark.atlas.hook.spark.job.name": "mine 2026-11-21"}, {"spark.app.name": "orders 2026-11-21"}


@pytest.mark.parametrize(
    ("application", "configs", "job"),
    [
        (APPLICATION, {}, APPLICATION.job),
        (APPLICATION, None, APPLICATION.job),
        (APPLICATION, CALLED, "orders"),
        (APPLICATION, CALLED | SET, "mine 2026-11-21"),
        (CHOSEN, {}, "chosen"),
        (CHOSEN, CALLED, "chosen"),
        (CHOSEN, CALLED | SET, "mine 2026-11-21"),
        (APPLICATION, {"spark.app.name": " ", "spark.atlas.hook.spark.job.name": " "}, APPLICATION.job),
    ],
)
def test_a_session_may_name_its_job(application: object, configs: dict[str, str] | None, job: str) -> None:
    (process,) = run("copy_csv", application=application, modified_configs=configs)
    assert process.application.job == job
    assert process.application.application_id == APPLICATION.application_id


@pytest.mark.parametrize(
    ("at_start", "by_now", "job"),
    [
        ({"spark.app.name": "*********(redacted)"}, {"spark.app.name": "hourly_orders"}, "hourly_orders"),
        ({"spark.app.name": "*********(redacted)"}, None, "daily"),
        ({"spark.app.name": "first"}, {"spark.app.name": "next"}, "first"),
        ({}, {"spark.app.name": "next"}, "daily"),
        (None, {"spark.app.name": "late"}, "late"),
        (None, None, "daily"),
    ],
)
def test_name_comes_from_the_start_event_unless_spark_redacted_it(
    at_start: dict[str, str] | None, by_now: dict[str, str] | None, job: str
) -> None:
    daily = dataclasses.replace(APPLICATION, job="daily")
    assert with_session_job(daily, at_start, by_now).job == job


def test_runs_of_two_jobs_are_not_added_up() -> None:
    """Keep runs of two jobs apart that read and write the same at the same time."""
    actions = Actions(APPLICATION)
    lines = [
        line.event
        for line in wire.read((BATCHES / "4.3.0" / "copy_csv.txt").read_text("utf-8"))
        if isinstance(line, wire.Projected)
    ]
    executions = []
    for job in ("one", "other", "one"):
        configs = {"spark.atlas.hook.spark.job.name": job}
        for event in lines:
            if isinstance(event, SparkListenerSQLExecutionStart):
                event = dataclasses.replace(event, modified_configs=configs, time=event.time - 1)
            executions += [(job, o.run.executions) for o in actions.add(event) if isinstance(o, Process)]
    assert executions == [("one", 1), ("other", 1), ("one", 2)]
