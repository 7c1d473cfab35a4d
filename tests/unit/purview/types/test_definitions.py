"""Purview's type definitions are complete by Atlas' rules and state their evidence."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

import sac_kafka
from sac_kafka.atlas.types.definitions import KINDS
from sac_kafka.atlas.types.definitions import families as atlas_families
from sac_kafka.purview.types import (
    BUILT_IN,
    OWN,
    SPARK,
    built_in,
    creatable,
    definitions,
    families,
)
from sac_kafka.tools.validate.type_model import TypeModel
from tests.helpers.every_row import every_row

FOLDER = Path(sac_kafka.__file__).parent / "purview" / "typedefs"
FILES = sorted(FOLDER.iterdir())
EVERYTHING = definitions(families())
TYPES = {each["name"]: each for each in EVERYTHING["entityDefs"]}
MODEL = TypeModel(EVERYTHING)
OURS = {each["name"]: each for each in definitions([OWN])["entityDefs"]}
PURVIEWS = [
    each
    for file in FILES
    if not file.stem.endswith(OWN)
    for kind in ("entityDefs", "relationshipDefs")
    for each in json.loads(file.read_text("utf-8"))[kind]
]
PRIMITIVES = {"string", "boolean", "int", "long", "date", "map<string,string>", "array<string>"}


def test_every_file_is_a_family_of_the_keys_of_atlas() -> None:
    for file in FILES:
        assert re.fullmatch(r"\d{4}-[a-z-]+\.json", file.name)
        assert tuple(json.loads(file.read_text("utf-8"))) == KINDS
        assert file.stem[5:] in families()


def test_no_type_is_defined_twice() -> None:
    names = [each["name"] for kind in KINDS for each in definitions(families())[kind]]
    assert not [name for name, count in Counter(names).items() if count > 1]


def test_every_supertype_and_every_end_of_a_relationship_exists_before_it_is_used() -> None:
    there: set[str] = set()
    for family in families():
        found = definitions([family])
        here = {each["name"]: each for each in found["entityDefs"]}
        for each in here.values():
            assert set(each["superTypes"]) <= there | here.keys(), each["name"]
        there |= here.keys()
        for each in found["relationshipDefs"]:
            assert {each["endDef1"]["type"], each["endDef2"]["type"]} <= there, each["name"]


@every_row("name", sorted(TYPES))
def test_no_attribute_is_inherited_and_declared(name: str) -> None:
    # Atlas refuses that since 2.3 (ATTRIBUTE_NAME_ALREADY_EXISTS_IN_PARENT_TYPE).
    own = {each["name"] for each in TYPES[name]["attributeDefs"]}
    inherited = {each["name"] for of in MODEL.ancestry(name) - {name} for each in TYPES[of]["attributeDefs"]}
    assert not own & inherited


def test_a_relationship_has_the_container_that_its_category_demands() -> None:
    for each in EVERYTHING["relationshipDefs"]:
        containers = [end for end in ("endDef1", "endDef2") if each[end].get("isContainer")]
        assert len(containers) == (0 if each["relationshipCategory"] == "ASSOCIATION" else 1), each["name"]
        if each["relationshipCategory"] == "COMPOSITION":
            (container,) = containers
            assert each["endDef2" if container == "endDef1" else "endDef1"]["cardinality"] == "SINGLE"


def test_attributes_are_of_types_that_every_server_has() -> None:
    for definition in PURVIEWS + list(OURS.values()):
        for each in definition["attributeDefs"]:
            assert each["typeName"] in PRIMITIVES, (definition["name"], each["name"])


@every_row("definition", PURVIEWS, label=lambda each: each["name"])
def test_built_in_types_state_their_evidence(definition: dict[str, str]) -> None:
    assert re.search(r"\b(Known|Assumed)\b", definition["description"])


def test_own_types_have_prefixed_names_and_no_mandatory_attributes() -> None:
    found = definitions([OWN])
    assert all(each["name"].startswith("sac_kafka_") for kind in KINDS for each in found[kind])
    assert all(each["isOptional"] for definition in OURS.values() for each in definition["attributeDefs"])
    assert not any(each["relationshipCategory"] == "COMPOSITION" for each in found["relationshipDefs"])


@pytest.mark.parametrize("name", ["sac_kafka_process", "sac_kafka_databricks_process"])
def test_own_process_types_have_all_attributes_of_a_flow(name: str) -> None:
    attributes = MODEL.attributes(name)
    assert MODEL.is_a(name, "Process")
    assert {each: attributes[each]["typeName"] for each in ("columnMapping", "queryText", "plan", "rowsWritten")} == {
        "columnMapping": "string",
        "queryText": "string",
        "plan": "string",
        "rowsWritten": "long",
    }
    expected = {"columnExpressions", "rowConditions", "columnInfluence", "otherSources", "versionsRead"}
    runs = {
        "lastRunId",
        "lastRunStatus",
        "lastRunStarted",
        "lastRunEnded",
        "lastRunDetails",
        "sparkVersion",
        "user",
        "jobName",
    }
    assert expected | runs <= attributes.keys()
    assert "application" in MODEL.ends(name)


def test_on_databricks_our_process_hangs_on_its_task_as_databricks_own_do() -> None:
    (end,) = MODEL.ends("sac_kafka_databricks_process")["task"]
    assert (end.target, end.is_owner) == ("databricks_runnable", True)


def test_application_type_is_no_process() -> None:
    assert MODEL.ancestry("sac_kafka_application") == {"sac_kafka_application", "Asset", "Referenceable"}


def test_existing_types_are_not_sent() -> None:
    assert creatable() == (SPARK, OWN)
    assert not set(creatable()) & set(built_in())
    assert definitions([BUILT_IN]) == definitions(built_in())
    assert definitions([SPARK])["entityDefs"][0]["name"] == "spark_db"
    assert set(families()) - set(atlas_families()) == {file.stem[5:] for file in FILES}


def test_unknown_family_is_rejected() -> None:
    with pytest.raises(KeyError):
        definitions(["no such family"])
