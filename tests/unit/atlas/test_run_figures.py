"""Facts of the last run of a process: metrics, number of executions, and rows that no dataset holds."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from sac_kafka.atlas import datasets
from sac_kafka.atlas.limits import DETAILS_LIMIT
from sac_kafka.atlas.memory import Remembered
from sac_kafka.model import ColumnLineage, Dataset, DatasetRead, Process, Requester, Stream
from sac_kafka.settings.content import CUSTOM_VALUE_LIMIT
from tests.unit.atlas.flows import CONTEXT, DAY, NOW, ORDERS, ORDINARY, RUN, TOTALS, entities, messages_for, process

STREAM = Stream(identity=("query", "q"), name="q", checkpoint=None, query_id="1", run_id="2")


def _process_entity(of: Process) -> dict[str, Any]:
    (found,) = (e for e in entities(messages_for(of)) if e["typeName"] == "spark_process")
    return found


def _ran(**figures: Any) -> Process:
    return dataclasses.replace(ORDINARY, run=dataclasses.replace(RUN, **figures))


def test_figures_are_facts_of_the_run() -> None:
    entity = _process_entity(_ran(rows_written=0, files_written=2, bytes_written=1_024, executions=4))
    expected = {"rows_written": 0, "files_written": 2, "bytes_written": 1_024, "executions": 4}
    assert expected.items() <= json.loads(entity["attributes"]["details"]).items()
    assert {key: str(value) for key, value in expected.items()}.items() <= entity["customAttributes"].items()


def test_missing_metrics_are_absent() -> None:
    entity = _process_entity(_ran())
    absent = {"rows_written", "files_written", "bytes_written", "executions"}
    assert not absent & json.loads(entity["attributes"]["details"]).keys()
    assert not absent & entity["customAttributes"].keys()


def test_read_metrics_are_sent_for_inputs_only() -> None:
    found = (
        DatasetRead(dataset=ORDERS.key, rows=3, files=1, bytes=812),
        DatasetRead(dataset="table:not.an.input", rows=9),
    )
    entity = _process_entity(_ran(read=found, jobs=(4, 5, 6, 9)))
    expected = f"{_stem(ORDERS)}: rows=3 files=1 bytes=812"
    assert entity["customAttributes"]["read"] == expected
    assert json.loads(entity["attributes"]["details"])["read"] == [expected]
    assert entity["customAttributes"]["job_ids"] == "4-6 9"
    assert entity["customAttributes"]["execution_id"] == str(entity["attributes"]["executionId"])
    rows_only = _process_entity(_ran(read=(DatasetRead(dataset=ORDERS.key, rows=0),)))
    assert rows_only["customAttributes"]["read"] == f"{_stem(ORDERS)}: rows=0"
    assert {"read", "job_ids"} & _process_entity(_ran())["customAttributes"].keys() == set()


def test_metrics_alone_do_not_resend_a_flow() -> None:
    remembered = Remembered(max_age_ms=DAY)
    for message in messages_for(ORDINARY, remembered):
        remembered.confirm(message.tokens, NOW, remembered.epoch)
    again = messages_for(_ran(read=(DatasetRead(dataset=ORDERS.key, rows=4),), jobs=(12,), rows_written=5), remembered)
    kinds = {each["typeName"] for each in entities(again)}
    assert not {kind for kind in kinds if "column" in kind or "lineage" in kind}
    assert "spark_process" in kinds


def test_reads_of_many_inputs_and_many_jobs_stay_within_bounds() -> None:
    many = [dataclasses.replace(ORDERS, name=f"{'t' * 300}{i}") for i in range(200)]
    made = process(many, [TOTALS])
    found = tuple(DatasetRead(dataset=each.key, rows=10**15, files=10**9, bytes=10**18) for each in many)
    entity = _process_entity(
        dataclasses.replace(made, run=dataclasses.replace(RUN, read=found, jobs=tuple(range(0, 200, 2))))
    )
    of_reads = {key: value for key, value in entity["customAttributes"].items() if key.startswith("read")}
    assert "read_more" in of_reads
    assert sum(map(len, of_reads.values())) < 4 * CUSTOM_VALUE_LIMIT + 10
    assert len(entity["customAttributes"]["job_ids"]) <= CUSTOM_VALUE_LIMIT
    assert len(entity["attributes"]["details"]) <= DETAILS_LIMIT


def test_rows_of_no_dataset_are_named() -> None:
    made = dataclasses.replace(process([], [TOTALS]), other_sources=("rows of the driver",))
    entity = _process_entity(made)
    assert entity["attributes"]["name"].endswith(": rows of the driver -> data/totals")
    assert json.loads(entity["attributes"]["details"])["other_sources"] == ["rows of the driver"]


def test_failed_run_has_no_columns() -> None:
    constant = ColumnLineage(dataset=TOTALS.key, column="total", sources=(), expression="count(*)")
    remembered = Remembered(max_age_ms=DAY)
    counted = process([ORDERS], [TOTALS], [constant])
    for message in messages_for(counted, remembered):
        remembered.confirm(message.tokens, NOW, remembered.epoch)
    failed = dataclasses.replace(counted, run=dataclasses.replace(RUN, failure="out of disk"))
    (succeeded, refused) = (
        next(e for e in entities(messages_for(each, remembered)) if e["typeName"] == "spark_process")
        for each in (counted, failed)
    )
    assert succeeded["customAttributes"]["columns_without_sources"] == "total = count(*)"
    assert refused["customAttributes"]["status"] == "failed"
    assert "columns_without_sources" not in refused["customAttributes"]
    assert "columns_without_sources" not in json.loads(refused["attributes"]["details"])


def test_failure_of_a_query_is_sent_before_its_first_message_is_acknowledged() -> None:
    """Report a failed query even for a new flow: its writes succeeded, unlike those of other failed runs."""
    remembered = Remembered(max_age_ms=DAY)
    running = dataclasses.replace(ORDINARY, stream=STREAM)
    failed = dataclasses.replace(RUN, failure="StreamingQueryException")
    ended = dataclasses.replace(running, run=failed, stream=dataclasses.replace(STREAM, is_running=False))
    statuses = [
        json.loads(entity["attributes"]["details"])["status"]
        for each in (running, ended)
        for entity in entities(messages_for(each, remembered))
        if entity["typeName"] == "spark_process"
    ]
    assert statuses == ["running", "failed"]
    assert messages_for(dataclasses.replace(ORDINARY, run=failed), remembered) == ()


def test_requester_is_the_remote_user_and_the_author() -> None:
    requester = Requester(user="jane", server="Spark Connect", session_id="s1", operation_id="o1")
    messages = messages_for(dataclasses.replace(ORDINARY, run=dataclasses.replace(RUN, requester=requester)))
    assert {m["message"]["user"] for m in map(json.loads, (m.value for m in messages))} == {"jane"}
    (entity,) = (e for e in entities(messages) if e["typeName"] == "spark_process")
    assert (entity["attributes"]["currUser"], entity["attributes"]["remoteUser"]) == ("alice", "jane")
    expected = {"user": "jane", "server": "Spark Connect", "session_id": "s1", "operation_id": "o1"}
    assert expected.items() <= entity["customAttributes"].items()
    assert expected.items() <= json.loads(entity["attributes"]["details"]).items()
    (named,) = (e for e in entities(messages_for(ORDINARY)) if e["typeName"] == "spark_process")
    assert entity["attributes"]["qualifiedName"] == named["attributes"]["qualifiedName"]


def test_run_without_a_requester_belongs_to_the_servers_user() -> None:
    requester = Requester(user="", server="Spark Connect", session_id="s1")
    messages = messages_for(dataclasses.replace(ORDINARY, run=dataclasses.replace(RUN, requester=requester)))
    assert {m["message"]["user"] for m in map(json.loads, (m.value for m in messages))} == {"alice"}
    (entity,) = (e for e in entities(messages) if e["typeName"] == "spark_process")
    assert entity["attributes"]["remoteUser"] == "alice"
    assert not {"user", "operation_id"} & entity["customAttributes"].keys()


def test_version_of_an_input_is_a_fact_of_the_run_and_no_part_of_names() -> None:
    now = process([ORDERS], [TOTALS])
    before = dataclasses.replace(now, versions_read=((ORDERS.key, "version 3"), ("table:nothing", "version 9")))
    entity = _process_entity(before)
    assert entity["attributes"]["qualifiedName"] == _process_entity(now)["attributes"]["qualifiedName"]
    assert entity["attributes"]["name"] == _process_entity(now)["attributes"]["name"]
    expected = f"{_stem(ORDERS)}: version 3"
    assert entity["customAttributes"]["versions_read"] == expected
    assert json.loads(entity["attributes"]["details"])["versions_read"] == [expected]
    assert "versions_read" not in _process_entity(now)["customAttributes"]


def test_many_versions_with_long_names_stay_within_bounds() -> None:
    many = tuple((ORDERS.key, f"branch {i} {'x' * 5_000}") for i in range(100))
    entity = _process_entity(dataclasses.replace(process([ORDERS], [TOTALS]), versions_read=many))
    of_versions = {key: value for key, value in entity["customAttributes"].items() if key.startswith("versions_read")}
    assert "versions_read_more" in of_versions
    assert sum(map(len, of_versions.values())) < 4 * CUSTOM_VALUE_LIMIT
    assert len(entity["attributes"]["details"]) <= DETAILS_LIMIT


def _stem(of: Dataset) -> str:
    return datasets.entities(of, CONTEXT.naming).stem
