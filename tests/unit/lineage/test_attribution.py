"""Executions of one driver are attributed to the notebook, task or Python process that runs them."""

from __future__ import annotations

from collections import Counter

import pytest

from sac_kafka.lineage.runs import platforms
from sac_kafka.lineage.runs.attribution import NOT_ATTRIBUTED, Attribution, PythonProcess
from sac_kafka.lineage.runs.identity import PARENTS, identity_of, identity_of_known, known
from sac_kafka.model import Application
from sac_kafka.plan.job_properties import DATABRICKS_NOTEBOOK, DATABRICKS_TASK, JOB_GROUP, PLATFORM_KEYS
from sac_kafka.plan.wire import Registration, SessionOwner
from sac_kafka.purview.flows.chain import chain
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.settings.declarations.choices import ProcessTypes

APPLICATION = Application(
    job="serving", application_id="app-1", name="Databricks Shell", user="root", facts=(("a", "b"),)
)
WORKSPACE = {"spark.databricks.workspaceUrl": "adb-1.2.example.net"}
MINE, OTHER = "1 10", "2 20"


def process(name: str, job: str | None = None, **more: str) -> str:
    return PythonProcess(name=name, job_name=job, known={**WORKSPACE, **more}).text()


@pytest.fixture
def counts() -> Counter[str]:
    return Counter()


@pytest.fixture
def attribution(counts: Counter[str]) -> Attribution:
    """Return the attribution of a driver on which two processes have attached, each with a session."""
    made = Attribution(APPLICATION, counts, MINE)
    for line in (
        Registration(MINE, process("mine")),
        Registration(OTHER, process("other", "chosen", **{DATABRICKS_NOTEBOOK: "/started"})),
        SessionOwner("session 1", MINE),
        SessionOwner("session 2", OTHER),
    ):
        made.add(line)
    return made


def test_a_job_names_its_notebook_and_task(attribution: Attribution) -> None:
    found = attribution.application_of(
        "session 1",
        properties={DATABRICKS_NOTEBOOK: "/b", DATABRICKS_TASK: "load", JOB_GROUP: "x_job-7-run-8-action-9"},
    )
    facts = dict(found.facts)
    assert (facts["notebook"], facts["task"], facts["job_id"], facts["task_run_id"]) == ("/b", "load", "7", "8")
    assert facts["workspace"] == "adb-1.2.example.net"
    assert (found.job, found.is_job_chosen) == ("/b", True)


def test_without_a_job_an_execution_is_of_the_last_one_in_its_session(attribution: Attribution) -> None:
    assert attribution.application_of("session 1") is APPLICATION
    first = attribution.application_of("session 1", properties={DATABRICKS_NOTEBOOK: "/b"})
    assert attribution.application_of("session 1") == first
    assert attribution.application_of("session 1", properties={JOB_GROUP: "of a thread"}) == first
    assert attribution.application_of("session 3") is APPLICATION


def test_before_its_first_job_a_session_is_of_the_thread_that_used_it(attribution: Attribution) -> None:
    attribution.add(SessionOwner("session 1", MINE, {DATABRICKS_NOTEBOOK: "/first"}))
    assert attribution.application_of("session 1").job == "/first"
    attribution.application_of("session 1", properties={DATABRICKS_NOTEBOOK: "/b"})
    assert attribution.application_of("session 1").job == "/b"
    attribution.add(SessionOwner("session 2", OTHER, {JOB_GROUP: "of a thread"}))
    assert dict(attribution.application_of("session 2").facts)["notebook"] == "/started"


def test_a_job_group_of_zeppelin_names_its_note(attribution: Attribution) -> None:
    group = "zeppelin|ann|2A94M5J1Z|paragraph_1423836981412_-1007008116"
    found = attribution.application_of("session 1", properties={JOB_GROUP: group})
    assert (found.job, dict(found.facts)["parent_job"]) == ("note 2A94M5J1Z", "2A94M5J1Z")
    assert attribution.application_of("session 1") == found


def test_session_belongs_to_the_process_that_created_it(attribution: Attribution) -> None:
    found = attribution.application_of("session 2")
    assert (found.job, dict(found.facts)["notebook"]) == ("chosen", "/started")
    assert attribution.application_of("session 2", properties={DATABRICKS_NOTEBOOK: "/now"}).job == "chosen"
    assert attribution.application_of(process=OTHER) == found


def test_a_stream_is_of_the_process_that_started_it(attribution: Attribution) -> None:
    attribution.add(SessionOwner("run 1", OTHER))
    assert attribution.application_of("clone of session 2", "run 1").job == "chosen"


def test_unattributed_execution_belongs_to_the_serving_process_and_is_counted(
    attribution: Attribution, counts: Counter[str]
) -> None:
    for _ in range(2):
        assert attribution.application_of("session of a server") is APPLICATION
    assert counts == {NOT_ATTRIBUTED: 1}


def test_with_a_single_process_nothing_is_counted(counts: Counter[str]) -> None:
    alone = Attribution(APPLICATION, counts, MINE)
    alone.add(Registration(MINE, process("mine")))
    assert alone.application_of("session 9") is APPLICATION
    assert counts == {}


def test_a_recorded_batch_has_no_processes_and_its_jobs_change_the_facts_alone() -> None:
    found = Attribution(APPLICATION).application_of("session", properties={DATABRICKS_NOTEBOOK: "/b"})
    assert (found.job, found.facts) == ("serving", APPLICATION.facts), "no platform is known"


def test_names_of_another_process_are_masked(attribution: Attribution) -> None:
    attribution.add(Registration("3 30", PythonProcess(name="load password=hunter2").text()))
    assert "hunter2" not in repr(attribution.application_of(process="3 30"))


def test_process_is_identified_by_its_own_facts_as_by_its_configuration() -> None:
    conf = {**WORKSPACE, DATABRICKS_NOTEBOOK: "/b", "spark.hadoop.secret": "x"}
    environment = {"AIRFLOW_CTX_DAG_ID": "sales", "HOME": "/root"}
    found = known(conf, environment)
    assert found == {**WORKSPACE, DATABRICKS_NOTEBOOK: "/b", "env:AIRFLOW_CTX_DAG_ID": "sales"}
    assert identity_of_known(found) == identity_of(conf, environment)


def test_every_property_of_jobs_is_one_that_a_platform_reads() -> None:
    read = {key for each in (*platforms.PLATFORMS, *PARENTS) for key in each.keys}
    assert set(PLATFORM_KEYS) <= read


def test_chain_in_purview_has_the_notebook_and_task(attribution: Attribution) -> None:
    context = NamingContext(workspace_host="adb-1.2.example.net")
    properties = {DATABRICKS_NOTEBOOK: "/b", DATABRICKS_TASK: "load", "spark.databricks.job.id": "7"}
    of_task = chain(attribution.application_of("session 1", properties=properties), context, ProcessTypes.BUILT_IN)
    of_other = chain(attribution.application_of("session 2"), context, ProcessTypes.BUILT_IN)
    assert of_task.stem == "databricks://adb-1.2.example.net/jobs/7/tasks/load"
    assert of_other.stem == "databricks://adb-1.2.example.net/notebooks/started"
