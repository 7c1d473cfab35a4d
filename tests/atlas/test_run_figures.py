"""What a process says of its last run: figures, of how many executions, and where rows come from that no dataset holds."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from sac_kafka.atlas import datasets
from sac_kafka.atlas.limits import DETAILS_LIMIT
from sac_kafka.atlas.memory import Remembered
from sac_kafka.config.server_limits import CUSTOM_VALUE_LIMIT
from sac_kafka.lineage.model import ColumnLineage, Dataset, Process, Requester
from tests.atlas.flows import CONTEXT, DAY, NOW, ORDERS, ORDINARY, RUN, TOTALS, entities, process, say


def _said(of: Process) -> dict[str, Any]:
    (found,) = (e for e in entities(say(of)) if e["typeName"] == "spark_process")
    return found


def _ran(**figures: int | None) -> Process:
    return dataclasses.replace(ORDINARY, run=dataclasses.replace(RUN, **figures))


def test_figures_are_facts_of_the_run() -> None:
    said = _said(_ran(rows_written=0, files_written=2, bytes_written=1_024, executions=4))
    expected = {"rows_written": 0, "files_written": 2, "bytes_written": 1_024, "executions": 4}
    assert expected.items() <= json.loads(said["attributes"]["details"]).items()
    assert {key: str(value) for key, value in expected.items()}.items() <= said["customAttributes"].items()


def test_what_was_not_counted_is_absent() -> None:
    said = _said(_ran())
    absent = {"rows_written", "files_written", "bytes_written", "executions"}
    assert not absent & json.loads(said["attributes"]["details"]).keys()
    assert not absent & said["customAttributes"].keys()


def test_rows_of_no_dataset_are_named() -> None:
    made = dataclasses.replace(process([], [TOTALS]), other_sources=("rows of the driver",))
    said = _said(made)
    assert said["attributes"]["name"].endswith(": rows of the driver -> data/totals")
    assert json.loads(said["attributes"]["details"])["other_sources"] == ["rows of the driver"]


def test_a_run_that_failed_has_made_no_columns() -> None:
    constant = ColumnLineage(dataset=TOTALS.key, column="total", sources=(), expression="count(*)")
    remembered = Remembered(max_age_ms=DAY)
    counted = process([ORDERS], [TOTALS], [constant])
    for message in say(counted, remembered):
        remembered.confirm(message.tokens, NOW, remembered.epoch)
    failed = dataclasses.replace(counted, run=dataclasses.replace(RUN, failure="out of disk"))
    (succeeded, refused) = (
        next(e for e in entities(say(each, remembered)) if e["typeName"] == "spark_process")
        for each in (counted, failed)
    )
    assert succeeded["customAttributes"]["columns_without_sources"] == "total = count(*)"
    assert refused["customAttributes"]["status"] == "failed"
    assert "columns_without_sources" not in refused["customAttributes"]
    assert "columns_without_sources" not in json.loads(refused["attributes"]["details"])


def test_who_asked_a_server_is_the_remote_user_and_the_author() -> None:
    requester = Requester(user="jane", server="Spark Connect", session_id="s1", operation_id="o1")
    messages = say(dataclasses.replace(ORDINARY, run=dataclasses.replace(RUN, requester=requester)))
    assert {m["message"]["user"] for m in map(json.loads, (m.value for m in messages))} == {"jane"}
    (said,) = (e for e in entities(messages) if e["typeName"] == "spark_process")
    assert (said["attributes"]["currUser"], said["attributes"]["remoteUser"]) == ("alice", "jane")
    expected = {"user": "jane", "server": "Spark Connect", "session_id": "s1", "operation_id": "o1"}
    assert expected.items() <= said["customAttributes"].items()
    assert expected.items() <= json.loads(said["attributes"]["details"]).items()
    (named,) = (e for e in entities(say(ORDINARY)) if e["typeName"] == "spark_process")
    assert said["attributes"]["qualifiedName"] == named["attributes"]["qualifiedName"]


def test_whoever_names_nobody_runs_as_the_server() -> None:
    requester = Requester(user="", server="Spark Connect", session_id="s1")
    messages = say(dataclasses.replace(ORDINARY, run=dataclasses.replace(RUN, requester=requester)))
    assert {m["message"]["user"] for m in map(json.loads, (m.value for m in messages))} == {"alice"}
    (said,) = (e for e in entities(messages) if e["typeName"] == "spark_process")
    assert said["attributes"]["remoteUser"] == "alice"
    assert not {"user", "operation_id"} & said["customAttributes"].keys()


def test_the_version_that_was_read_of_an_input_is_a_fact_of_the_run_and_of_no_name() -> None:
    now = process([ORDERS], [TOTALS])
    before = dataclasses.replace(now, versions_read=((ORDERS.key, "version 3"), ("table:nothing", "version 9")))
    said = _said(before)
    assert said["attributes"]["qualifiedName"] == _said(now)["attributes"]["qualifiedName"]
    assert said["attributes"]["name"] == _said(now)["attributes"]["name"]
    told = f"{_stem(ORDERS)}: version 3"
    assert said["customAttributes"]["versions_read"] == told
    assert json.loads(said["attributes"]["details"])["versions_read"] == [told]
    assert "versions_read" not in _said(now)["customAttributes"]


def test_many_versions_with_long_names_stay_within_bounds() -> None:
    many = tuple((ORDERS.key, f"branch {i} {'x' * 5_000}") for i in range(100))
    said = _said(dataclasses.replace(process([ORDERS], [TOTALS]), versions_read=many))
    of_versions = {key: value for key, value in said["customAttributes"].items() if key.startswith("versions_read")}
    assert "versions_read_more" in of_versions
    assert sum(map(len, of_versions.values())) < 4 * CUSTOM_VALUE_LIMIT
    assert len(said["attributes"]["details"]) <= DETAILS_LIMIT


def _stem(of: Dataset) -> str:
    return datasets.entities(of, CONTEXT.naming).stem
