"""The dbt model of a statement, as dbt names it in a comment before the statement."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.lineage.runs.attribution import with_session_job
from sac_kafka.settings import Settings
from sac_kafka.settings.content import Content
from sac_kafka.settings.names import Names
from sac_kafka.stages.dbt import dbt_node
from sac_kafka.stages.process_stages import StageState, name_dbt_job
from tests.helpers.pipelines import Pipeline
from tests.unit.atlas.flows import APPLICATION, ORDINARY

SAID = '/* {"app": "dbt", "dbt_version": "1.10.0", "target_name": "prod", "node_id": "model.sales.orders"} */'
CTAS = "create table t as select 1"


@pytest.mark.parametrize(
    ("statement", "node"),
    [
        (f"{SAID}\n{CTAS}", "model.sales.orders"),
        (f"\n  {SAID}{CTAS}", "model.sales.orders"),
        (SAID.replace(', "node_id"', ',\n    "node_id"') + CTAS, "model.sales.orders"),
        (f"/* dbt test.sales.not_null_orders_id.ab12 */ {CTAS}", "test.sales.not_null_orders_id.ab12"),
        (f"{CTAS} {SAID}", None),
        (f'/* {{"app": "dbt", "connection_name": "master"}} */ {CTAS}', None),
        (f'/* {{"app": "other", "node_id": "model.a.b"}} */ {CTAS}', None),
        (f'/* {{"app": "dbt", "x": 1 */ select "node_id": "model.a.b" {CTAS}', None),
        (f'/* {{"app": "dbt", "node_id": "a secret: x"}} */ {CTAS}', None),
        (CTAS, None),
        ("", None),
    ],
)
def test_statement_has_its_model(statement: str, node: str | None) -> None:
    assert dbt_node(statement) == node


def ran(query_text: str | None) -> Any:
    return dataclasses.replace(ORDINARY, run=dataclasses.replace(ORDINARY.run, query_text=query_text))


def test_a_process_is_of_the_job_of_its_model() -> None:
    state = StageState(application=APPLICATION)
    named = name_dbt_job(ran(f"{SAID} {CTAS}"), state).application
    assert (named.job, named.facts) == ("dbt model.sales.orders", (("dbt_node", "model.sales.orders"),))
    assert dataclasses.replace(named, job=APPLICATION.job, facts=()) == APPLICATION
    for other in (CTAS, None):
        assert name_dbt_job(ran(other), state) == ran(other)


@pytest.mark.parametrize(
    ("settings", "job"),
    [
        ({}, "dbt model.sales.orders"),
        ({"atlas.hook.spark.query.text": "off"}, "dbt model.sales.orders"),
        ({"atlas.hook.spark.job.name": "nightly"}, APPLICATION.job),
        ({"atlas.hook.spark.compat": "sac"}, APPLICATION.job),
    ],
)
def test_setting_overrides_the_name_from_dbt(
    settings: dict[str, str], job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Settings.read({"atlas.client.type": "memory", **settings}, "test")
    pipeline = Pipeline(context_of(APPLICATION, read.names, read.content))
    monkeypatch.setattr(pipeline, "_actions", SimpleNamespace(add=lambda _: (ran(f"{SAID} {CTAS}"),)))
    line: Any = type("Line", (), {"notes": {}, "microseconds": 0, "event": None})()
    (step,) = pipeline.steps(line, 0)
    assert step.outcome.application.job == job  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("session", "platform", "job"),
    [
        ({"spark.atlas.hook.spark.job.name": "nightly"}, False, "nightly"),
        ({"spark.app.name": "sales client"}, False, "dbt model.sales.orders"),
        ({}, True, "dbt model.sales.orders"),
    ],
)
def test_so_does_a_setting_of_the_session(
    session: dict[str, str], platform: bool, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = dataclasses.replace(APPLICATION, is_job_chosen=platform)
    pipeline = Pipeline(context_of(driver, Names(), Content()))
    process = dataclasses.replace(ran(f"{SAID} {CTAS}"), application=with_session_job(driver, session, session))
    monkeypatch.setattr(pipeline, "_actions", SimpleNamespace(add=lambda _: (process,)))
    line: Any = type("Line", (), {"notes": {}, "microseconds": 0, "event": None})()
    (step,) = pipeline.steps(line, 0)
    assert step.outcome.application.job == job  # type: ignore[union-attr]
