"""The same job on two days is the same lineage; another input is another process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.atlas.wire.reader import read
from tests.helpers.messages import entities, messages_in, names
from tests.live.jobs.running import run, write_conf

pytestmark = [pytest.mark.spark]

SIDES = ("inputs", "outputs")
TYPES = (
    "spark_process",
    "spark_application",
    "spark_column_lineage",
    "spark_table",
    "spark_column",
    "fs_path",
    "avro_field",
)


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    work = tmp_path_factory.mktemp("rerun")
    for arguments in (("2026-11-20",), ("2026-11-21",), ("2026-11-21", "changed")):
        ran = run("rerun", str(work), *arguments)
        assert ran.status == 0, ran.log
    return {p.stem.removeprefix("messages-"): messages_in(Path(p)) for p in work.glob("*.jsonl")}


@pytest.mark.exhaustive
def test_two_days_and_two_applications_are_the_same_entities(days: dict[str, list[dict[str, Any]]]) -> None:
    first, second = days["2026-11-20"], days["2026-11-21"]

    assert {t: names(first, t) for t in TYPES} == {t: names(second, t) for t in TYPES}
    assert names(first, "spark_application") == {"daily load@test"}
    ids = [{e["customAttributes"]["application_id"] for e in entities(m, "spark_application")} for m in (first, second)]
    assert ids[0] != ids[1]


@pytest.mark.exhaustive
def test_another_input_is_another_process(days: dict[str, list[dict[str, Any]]]) -> None:
    second, changed = days["2026-11-21"], days["2026-11-21-changed"]

    new = names(changed, "spark_process") - names(second, "spark_process")
    assert len(new) == 2  # what reads the other input; the report does not
    assert names(changed, "spark_application") == names(second, "spark_application")


@pytest.mark.exhaustive
def test_a_ctas_is_one_process(days: dict[str, list[dict[str, Any]]]) -> None:
    processes = names(days["2026-11-20"], "spark_process")

    assert len(processes) == 3
    assert len([p for p in processes if "totals" in p]) == 1


@pytest.mark.exhaustive
def test_with_the_connectors_names_the_application_is_one_process(tmp_path: Path) -> None:
    conf = write_conf(tmp_path / "conf", {"atlas.hook.spark.compat": "sac"})
    ran = run("rerun", str(tmp_path), "2026-11-21", conf=conf)
    assert ran.status == 0, ran.log

    messages = messages_in(tmp_path / "messages-2026-11-21.jsonl")
    assert {message["message"]["type"] for message in messages} == {"ENTITY_CREATE"}
    sent = [each for m in messages for each in read(json.dumps(m)).notification.entities]
    processes = [each for each in sent if each.id.type_name == "spark_process"]
    (name,) = {each.id.qualified_name for each in processes}
    assert name.startswith("local-")
    assert {each.attributes["name"] for each in processes} == {f"daily load 2026-11-21 {name}"}
    read_names, written_names = ([end.qualified_name for end in processes[-1].references[side]] for side in SIDES)
    assert read_names == [f"file:{tmp_path}/in", f"{name}.default.totals"]
    assert len(written_names) == 3
    assert not {each.id.type_name for each in sent} & {"spark_application", "spark_column_lineage"}
