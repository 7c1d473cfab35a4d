"""Messages of failed runs: recorded statements that succeed, fail in the middle, and succeed again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sac_kafka.atlas.memory import Remembered
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.model import Process
from tests.cases.batches import BATCHES
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions
from tests.unit.atlas.flows import DAY, NOW, messages_for
from tests.unit.purview.account import Account

SPARKS = ["3.5.9", "4.3.0"]
OF_COLUMNS = ("spark_column", "spark_column_lineage")
LONGEST_AGAIN = 4_000
"""Bytes of a statement that the server has seen before."""

Bodies = list[dict[str, Any]]


class Atlas:
    """A server that accepts every message."""

    def __init__(self) -> None:
        self.remembered = Remembered(max_age_ms=DAY)

    def send(self, outcome: Process) -> Bodies:
        made = messages_for(outcome, self.remembered)
        for each in made:
            self.remembered.confirm(each.tokens, NOW, self.remembered.epoch)
        return [json.loads(each.value)["message"] for each in made]


def flows(version: str, case: str) -> list[Process]:
    text = (BATCHES / version / f"{case}.txt").read_text("utf-8")
    found = Capture.outcomes_of(text, Actions(APPLICATION, LineageOptions(failed_too=True)))
    return [each for each in found if isinstance(each, Process)]


def sent(send: Callable[[Process], Bodies], version: str, case: str) -> list[Bodies]:
    """Send each process of a recorded multi-insert (targets `sink` and `sink2`) and return the message bodies."""
    return [send(each) for each in flows(version, case)]


def _of(bodies: Bodies, type_name: str) -> dict[str, Any]:
    (found,) = (e for body in bodies for e in body["entities"]["entities"] if e["typeName"] == type_name)
    return dict(found)


@pytest.mark.parametrize("version", SPARKS)
def test_each_target_of_a_partly_failed_statement_has_its_own_status(version: str) -> None:
    server = Atlas()
    sent(server.send, version, "reads_of_a_multi_insert")
    first, second = sent(server.send, version, "second_insert_fails")
    succeeded, failed = (_of(bodies, "spark_process") for bodies in (first, second))
    assert succeeded["customAttributes"]["status"] == "succeeded"
    assert succeeded["customAttributes"]["rows_written"] == "3"
    assert failed["customAttributes"]["status"] == "failed"
    assert failed["customAttributes"]["failure"].startswith("org.apache.spark.Spark")
    figures = {"read", "rows_written", "files_written", "bytes_written"}
    assert not figures & failed["customAttributes"].keys()
    assert not figures & json.loads(failed["attributes"]["details"]).keys()


@pytest.mark.parametrize("version", SPARKS)
def test_a_run_that_failed_changes_no_columns_and_deletes_nothing(version: str) -> None:
    server = Atlas()
    sent(server.send, version, "reads_of_a_multi_insert")
    _, second = sent(server.send, version, "second_insert_fails")
    assert {body["type"] for body in second} == {"ENTITY_CREATE_V2"}
    entities = [each for body in second for each in body["entities"]["entities"]]
    assert not [each for each in entities if each["typeName"] in OF_COLUMNS]
    assert not any("columns" in {*each["attributes"], *each.get("relationshipAttributes", {})} for each in entities)


@pytest.mark.parametrize("version", SPARKS)
def test_successful_run_replaces_a_failed_one(version: str) -> None:
    server = Atlas()
    names = []
    for case in ("reads_of_a_multi_insert", "second_insert_fails", "reads_of_a_multi_insert"):
        _, second = sent(server.send, version, case)
        names.append(_of(second, "spark_process"))
    assert len({each["attributes"]["qualifiedName"] for each in names}) == 1
    assert [each["customAttributes"]["status"] for each in names] == ["succeeded", "failed", "succeeded"]
    assert "failure" not in names[-1]["customAttributes"]
    assert names[-1]["customAttributes"]["read"].partition(" bytes=")[0] == "cases.orders: rows=3 files=1"


@pytest.mark.parametrize("version", SPARKS)
def test_failure_of_a_flow_unknown_to_the_server_is_not_sent(version: str) -> None:
    first, second = sent(Atlas().send, version, "second_insert_fails")
    assert _of(first, "spark_process")["customAttributes"]["status"] == "succeeded"
    assert second == []


@pytest.mark.parametrize("version", SPARKS)
def test_run_of_a_known_flow_stays_small_with_all_its_metrics(version: str) -> None:
    server = Atlas()
    sent(server.send, version, "reads_of_a_multi_insert")
    for bodies in sent(server.send, version, "reads_of_a_multi_insert"):
        assert "job_ids" in _of(bodies, "spark_process")["customAttributes"]
        assert sum(len(json.dumps(body, separators=(",", ":"))) for body in bodies) <= LONGEST_AGAIN


@pytest.mark.parametrize("version", SPARKS)
def test_in_purview_own_types_have_the_status_and_built_in_types_know_of_no_failure(version: str) -> None:
    own, built_in = Account(purview__process__types="own"), Account()
    for account in (own, built_in):
        sent(account.deliver, version, "reads_of_a_multi_insert")
    _, second = sent(own.deliver, version, "second_insert_fails")
    assert [body["type"] for body in second] == ["ENTITY_PARTIAL_UPDATE_V2"]
    attributes = second[0]["entity"]["entity"]["attributes"]
    assert attributes["lastRunStatus"] == "failed"
    assert {"read", "files_written", "bytes_written"} & json.loads(attributes["lastRunDetails"]).keys() == set()
    assert "failed" not in json.dumps(sent(built_in.deliver, version, "second_insert_fails"))
