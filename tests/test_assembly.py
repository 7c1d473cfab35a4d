"""What attaching gathers of a session."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import pytest

from sac_kafka import assembly
from sac_kafka.assembly import application_of
from sac_kafka.lineage.runs.identity import Identity
from sac_kafka.settings import Settings
from sac_kafka.settings.names import Names
from sac_kafka.spark.session import Session


def session(name: str) -> Session:
    return Session(
        application_id="local-1", attempt=None, name=name, user="alice", spark_version="4.3.0", started_ms=0, conf={}
    )


def test_the_application_has_the_name_of_its_job() -> None:
    application = application_of(session("orders 2026-11-21"), Settings())
    assert (application.name, application.job) == ("orders 2026-11-21", "orders")
    assert application_of(session("x"), Settings(names=Names(job_name="daily_orders"))).job == "daily_orders"


def test_the_platform_names_a_job_that_no_setting_names() -> None:
    told = Identity(job="Daily orders/load", facts=(("platform", "databricks"), ("run_id", "5")))
    application = application_of(session("Databricks Shell"), Settings(), told)
    assert (application.job, application.facts) == ("Daily orders/load", told.facts)
    assert application_of(session("x"), Settings(names=Names(job_name="daily_orders")), told).job == "daily_orders"
    assert application_of(session("orders 2026-11-21"), Settings(), Identity(facts=told.facts)).job == "orders"


@pytest.mark.parametrize(("name", "told"), [(None, 1), ("daily_orders", 0)])
def test_what_makes_a_name_doubtful_is_told_where_no_setting_names_the_job(
    name: str | None, told: int, caplog: pytest.LogCaptureFixture
) -> None:
    driver: Any = SimpleNamespace(thread_properties={"spark.databricks.job.id": "42"})
    ran = dataclasses.replace(
        session("Databricks Shell"), conf={"spark.databricks.workspaceUrl": "adb-1.2.example.net"}
    )
    identity = assembly._identity(ran, Settings(names=Names(job_name=name)), driver)
    assert identity.job == "job 42"
    assert [m for m in caplog.messages if "called by its number" in m] == caplog.messages
    assert len(caplog.messages) == told


def test_a_secret_in_the_name_of_an_application_goes_nowhere() -> None:
    application = application_of(session("load jdbc:postgresql://bob:hunter2@db/x password=hunter2"), Settings())
    assert "hunter2" not in repr(application)
