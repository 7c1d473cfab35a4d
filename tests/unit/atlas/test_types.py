"""Type definitions: complete in themselves and equal to Atlas' own model files, 2.1.0 (oldest) and 2.5.0."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

import sac_kafka
from dev.schemas.types import attributes, is_a, owners, subtypes
from sac_kafka.atlas.types.definitions import KINDS, by_name, families, types_def
from sac_kafka.atlas.types.inheritance import SINGLE, ancestry, ends
from sac_kafka.atlas.types.sent import LATER, OWN_PROCESS, SENT
from sac_kafka.atlas.wire.v2 import relationships
from tests.fixtures.names import models, paths, sac, services, tables
from tests.helpers.every_row import every_row
from tests.unit.atlas.stock_models import needs_models, stock, versions

OURS = {kind: {each["name"]: each for each in definitions} for kind, definitions in types_def().items()}
NAMES = [(kind, name) for kind in KINDS for name in OURS[kind]]
FILES = sorted((Path(sac_kafka.__file__).parent / "atlas" / "typedefs").iterdir())
NAMES_OF = (tables, paths, services, models, sac)
OWNERS = {name: owner.split() for names in NAMES_OF for name, owner in names.OWNERS.items()}
MANDATORY = {name: needed for names in NAMES_OF for name, needed in names.MANDATORY.items()}
SENT_PY = "name it in its row of KINDS_OF_DATASET, or in atlas/types/sent.py, after what it refers to"
DEMANDS = "add it to OWNERS or MANDATORY in tests/fixtures/names"
PRIMITIVES = {"string", "boolean", "int", "long", "date"}

# What 2.1.0 has otherwise: unique and mandatory attributes that were mistakes, corrected since.
CORRECTED = {
    ("aws_s3_v2_directory", "objectPrefix"),
    ("adls_gen2_directory", "contentType"),
    ("adls_gen2_blob", "contentType"),
}


def _attribute(definition):
    """Return how values of an attribute are checked, stored and found, with the server's defaults."""
    return {
        "name": definition["name"],
        "typeName": definition["typeName"],
        "cardinality": definition.get("cardinality", "SINGLE"),
        "isOptional": definition.get("isOptional", False),
        "isUnique": definition.get("isUnique", False),
        "isIndexable": definition.get("isIndexable", False),
        "includeInNotification": definition.get("includeInNotification", False),
        "indexType": definition.get("indexType"),
        "searchWeight": definition.get("searchWeight", -1),
        "options": definition.get("options") or {},
        "constraints": definition.get("constraints") or [],
    }


def _attributes(definition):
    return {each["name"]: _attribute(each) for each in definition.get("attributeDefs") or ()}


def _end(end):
    return {"isContainer": False, "isLegacyAttribute": False, **{k: v for k, v in end.items() if k != "description"}}


def _relationship(definition):
    return {
        "category": definition["relationshipCategory"],
        "propagateTags": definition.get("propagateTags", "NONE"),
        "label": definition.get("relationshipLabel"),
        "ends": [_end(definition["endDef1"]), _end(definition["endDef2"])],
        "attributes": _attributes(definition),
    }


def _of(version, kind, name):
    found = stock(version)[kind].get(name)
    if found is None:
        assert version != "2.5.0", f"{name} is not a type of Atlas {version}"
        pytest.skip(f"Atlas {version} has no {name}")
    return found


@needs_models
@versions
@every_row("name", OURS["entityDefs"])
def test_entity_type_is_the_stock_one(version, name):
    theirs, ours = _of(version, "entityDefs", name), OURS["entityDefs"][name]
    expected = {key: value for key, value in _attributes(theirs).items() if (name, key) not in CORRECTED}
    declared = _attributes(ours)
    assert {key: declared[key] for key in expected} == expected
    assert ours.get("options") == theirs.get("options")
    assert ours["serviceType"] == theirs["serviceType"]
    if version == "2.5.0":
        assert declared == _attributes(theirs)
        assert ours["superTypes"] == (theirs.get("superTypes") or [])
    else:  # what has come since
        assert set(theirs.get("superTypes") or ()) <= {*ours["superTypes"]}
        assert {*ours["superTypes"]} - set(theirs.get("superTypes") or ()) <= {"Path"}


@needs_models
@versions
@every_row("name", OURS["relationshipDefs"])
def test_relationship_is_the_stock_one(version, name):
    assert _relationship(OURS["relationshipDefs"][name]) == _relationship(_of(version, "relationshipDefs", name))


@needs_models
@versions
@every_row("name", OURS["structDefs"])
def test_struct_is_the_stock_one(version, name):
    assert _attributes(OURS["structDefs"][name]) == _attributes(_of(version, "structDefs", name))


@needs_models
@versions
@every_row("name", OURS["enumDefs"])
def test_enum_is_the_stock_one(version, name):
    theirs = {(e["ordinal"], e["value"]) for e in _of(version, "enumDefs", name)["elementDefs"]}
    ours = {(e["ordinal"], e["value"]) for e in OURS["enumDefs"][name]["elementDefs"]}
    assert ours == theirs if version == "2.5.0" else ours >= theirs


@needs_models
def test_types_that_a_stock_server_may_lack_are_known():
    stock_types = set(SENT) - {OWN_PROCESS}
    assert stock_types - set(stock("2.1.0")["entityDefs"]) == LATER
    assert set(stock("2.5.0")["entityDefs"]) >= stock_types


@needs_models
@pytest.mark.parametrize(("name", "attribute"), sorted(CORRECTED))
def test_correction_is_one(name, attribute):
    """Check that each exception of 2.1.0 is needed and matches 2.5.0."""
    old = _attributes(stock("2.1.0")["entityDefs"][name])[attribute]
    new = _attributes(stock("2.5.0")["entityDefs"][name])[attribute]
    assert old != new == _attributes(OURS["entityDefs"][name])[attribute]


def test_names_are_given_once():
    names = [name for _kind, name in NAMES]
    assert len(set(names)) == len(names)


def test_families_are_in_the_order_of_their_files():
    assert [f"{name}.json" for name in families()] == [file.name.partition("-")[2] for file in FILES]
    assert len(set(families())) == len(families())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_file_has_the_printed_format(file):
    """Keep the format, so that diffs show changes of definitions only."""
    content = json.loads(file.read_text("ascii"))
    assert list(content) == list(KINDS)
    assert file.read_text("ascii") == json.dumps(content, indent=2) + "\n"


@every_row(("kind", "name"), NAMES)
def test_version_is_the_lowest(kind, name):
    """Use the lowest version, so that a server that gets the stock models later takes theirs."""
    assert OURS[kind][name]["typeVersion"] == "1.0"


@every_row("name", OURS["relationshipDefs"])
def test_relationship_is_whole(name):
    """Check that a label is the first end's, and that a composition has one owner that each part names."""
    definition = OURS["relationshipDefs"][name]
    one, two = definition["endDef1"], definition["endDef2"]
    assert definition.get("relationshipLabel", f"__{one['type']}.{one['name']}") == f"__{one['type']}.{one['name']}"
    if definition["relationshipCategory"] == "COMPOSITION":
        assert [end["cardinality"] for end in (one, two) if not end["isContainer"]] == [SINGLE]


@pytest.mark.parametrize("number", range(len(families())), ids=lambda n: families()[n])
def test_family_uses_only_what_a_server_has_loaded_before(number):
    known = types_def(families()[: number + 1])
    types = PRIMITIVES | {each["name"] for kind in KINDS[:-1] for each in known[kind]}
    for definition in itertools.chain(*(known[kind] for kind in KINDS[1:])):
        used = {*definition.get("superTypes", ())}
        for attribute in definition["attributeDefs"]:
            inner = attribute["typeName"].partition("<")[2].rstrip(">") or attribute["typeName"]
            used |= set(inner.split(","))
        used |= {definition[end]["type"] for end in ("endDef1", "endDef2") if end in definition}
        assert used <= types, definition["name"]


def test_every_type_describes_itself():
    assert [n for kind in KINDS[:-1] for n, d in OURS[kind].items() if not d["description"].endswith(".")] == []


def test_inheritance():
    assert ancestry("hdfs_path") == ("hdfs_path", "fs_path", "DataSet", "Asset", "Referenceable", "Path")
    assert is_a("spark_process", "Process")
    assert not is_a("hive_db", "DataSet")
    assert set(subtypes("fs_path")) == {"fs_path", "hdfs_path"}
    assert {"qualifiedName", "name", "path", "clusterName"} <= set(attributes("hdfs_path"))
    assert "inputs" not in attributes("spark_process")
    assert [found[0]["name"] for found in ends("hive_column")["table"]] == [
        *("hive_table_columns", "hive_table_partitionkeys")
    ]
    with pytest.raises(KeyError):
        ancestry("iceberg_table")


@every_row("name", SENT)
def test_sent_type_demands_what_a_server_demands(name):
    """Compare with the mandatory attributes that a server was seen to enforce (`tests/fixtures/names`)."""
    assert list(owners(name)) == OWNERS.get(name, []), DEMANDS
    mandatory = {each["name"] for each in attributes(name).values() if not each["isOptional"]}
    assert mandatory - {"qualifiedName", "name"} == MANDATORY.get(name, set()), DEMANDS
    assert ("name" in mandatory) == (name != "spark_storagedesc")
    assert all((name, owner) in relationships() for owner in owners(name))


def test_no_list_of_children_is_sent():
    lists = {
        (name, attribute) for name, attribute in relationships() if ends(name)[attribute][0][1]["cardinality"] != SINGLE
    }
    assert lists == {("avro_schema", "associatedEntities")} | {
        (name, side)
        for name in ("spark_process", "spark_column_lineage", OWN_PROCESS)
        for side in ("inputs", "outputs")
    }


def test_mandatory_attributes_belong_to_types_that_are_sent():
    assert {*OWNERS, *MANDATORY} - set(SENT) == set()


def test_sent_types_are_defined_after_the_types_they_refer_to():
    assert set(SENT) <= set(by_name("entityDefs"))
    assert len(set(SENT)) == len(SENT)
    place = {name: at for at, name in enumerate(SENT)}
    owned = [(name, far["type"]) for name in SENT for owner in owners(name) for _, _, far in ends(name)[owner]]
    assert [(name, owner) for name, owner in owned if place.get(owner, -1) > place[name]] == [], SENT_PY


def test_every_type_that_a_dataset_has_is_sent():
    assert {each.type_name for names in NAMES_OF for row in names.ROWS for each in row.head} - set(SENT) == set(), (
        SENT_PY
    )


@pytest.mark.slow
def test_nothing_is_read_before_the_first_message():
    """Read no definitions while attaching: the worker reads 150 KB of JSON for its first message."""
    code = (
        "import sac_kafka.hook.attachment; from sac_kafka.atlas.types import definitions as d;"
        "print(d._all.cache_info().currsize, d.files.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "0"]
