"""What attaching gathers of a session."""

from __future__ import annotations

from sac_kafka.assembly import application_of
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


def test_a_secret_in_the_name_of_an_application_goes_nowhere() -> None:
    application = application_of(session("load jdbc:postgresql://bob:hunter2@db/x password=hunter2"), Settings())
    assert "hunter2" not in repr(application)
