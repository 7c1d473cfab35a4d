"""`schemas/` matches the type definitions: nothing is added by hand, nothing is missing.

The examples of docs/types.md are run here.
"""

from __future__ import annotations

import json

import pytest

from dev.schemas.__main__ import files, text, write
from dev.schemas.entities import FORMS
from dev.schemas.notifications import NOTIFICATIONS
from dev.schemas.types import attributes, is_a, owners
from sac_kafka.atlas.catalog.definitions import RESET
from sac_kafka.atlas.types.inheritance import ends
from sac_kafka.atlas.types.sent import SENT
from sac_kafka.atlas.wire.v2 import relationships
from tests.helpers.every_row import every_row
from tests.helpers.schemas import SCHEMAS, registry

FILES = files()
ENTITIES = FILES["entity.schema.json"]["$defs"]
JSON_TYPES = {"string": "string", "boolean": "boolean", "date": "integer", "long": "integer", "int": "integer"}

FIX = "run: make docs"


def _resolved(schema, name):
    while "$ref" in schema:
        resolver = registry().resolver((SCHEMAS / name).as_uri())
        schema = resolver.lookup(schema["$ref"]).contents
    return schema


def test_schemas_are_up_to_date():
    there = {path.relative_to(SCHEMAS).as_posix() for path in SCHEMAS.rglob("*.json")}
    assert there == set(FILES), FIX
    assert [name for name, content in FILES.items() if (SCHEMAS / name).read_text("utf-8") != text(content)] == [], FIX


def test_stale_files_are_removed(tmp_path):
    (tmp_path / "entities").mkdir()
    (tmp_path / "entities" / "gone.schema.json").write_text("{}")
    (tmp_path / "README.md").write_text("kept")
    write(tmp_path)
    assert not (tmp_path / "entities" / "gone.schema.json").exists()
    assert (tmp_path / "README.md").exists()
    assert (tmp_path / "entity.schema.json").exists()


@pytest.mark.parametrize("name", sorted(FILES))
def test_schema_is_a_valid_schema(name):
    assert FILES[name]["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    pytest.importorskip("jsonschema_rs").meta.validate(FILES[name])


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_reference_of_a_schema_leads_somewhere(name):
    resolver = registry().resolver((SCHEMAS / name).as_uri())
    for part in json.dumps(FILES[name]).split('"$ref": "')[1:]:
        assert resolver.lookup(part.partition('"')[0]).contents


def test_every_notification_that_a_server_handles_has_a_schema():
    """Compare with HookNotificationType, without the types that no server handles and those of imports."""
    v1 = {"ENTITY_CREATE", "ENTITY_PARTIAL_UPDATE", "ENTITY_FULL_UPDATE", "ENTITY_DELETE"}
    assert set(NOTIFICATIONS) == v1 | {f"{name}_V2" for name in v1}


@pytest.mark.parametrize("form", FORMS)
def test_every_type_has_a_schema(form):
    schema = FILES[f"{form}.schema.json"]
    assert schema["properties"]["typeName"]["enum"] == list(SENT)
    assert [case["if"]["properties"]["typeName"]["const"] for case in schema["allOf"]] == list(SENT)


def test_schemas_have_the_relationships_that_are_sent():
    in_schemas = {
        (name, attribute)
        for name in SENT
        for attribute in ENTITIES[name]["properties"].get("relationshipAttributes", {"properties": {}})["properties"]
    }
    assert in_schemas == set(relationships())


@every_row(("name", "attribute"), relationships())
def test_relationship_targets_have_allowed_types(name, attribute):
    schema = ENTITIES[name]["properties"]["relationshipAttributes"]["properties"][attribute]
    targets = schema.get("items", schema)["properties"]["typeName"]["enum"]
    fars = {far["type"] for _relationship, _near, far in ends(name)[attribute]}
    assert targets
    for target in targets:
        assert any(is_a(target, far) for far in fars)
    assert ("items" in schema) == (ends(name)[attribute][0][1]["cardinality"] == "SET")


@every_row("name", SENT)
def test_entity_schema_requires_mandatory_attributes_and_allows_no_unknown_ones(name):
    properties = ENTITIES[name]["properties"]
    schema_of_attributes = properties["attributes"]
    assert set(schema_of_attributes["properties"]) == set(attributes(name)) - {"replicatedFrom", "replicatedTo"}
    assert set(schema_of_attributes["required"]) == {
        each["name"] for each in attributes(name).values() if not each["isOptional"]
    }
    assert set(owners(name)) <= set(properties.get("relationshipAttributes", {}).get("required", ()))
    assert schema_of_attributes["additionalProperties"] is False
    for attribute, schema in schema_of_attributes["properties"].items():
        declared = attributes(name)[attribute]
        resolved = _resolved(schema, "entity.schema.json")
        if declared["typeName"] in JSON_TYPES and "type" in resolved:
            assert resolved["type"] == JSON_TYPES[declared["typeName"]], attribute
        resettable = "anyOf" in resolved
        assert resettable == (attribute in RESET.get(name, ()))
        resolved = _resolved(resolved["anyOf"][0], "entity.schema.json") if resettable else resolved
        if declared["typeName"] == "string" and "const" not in resolved:
            assert ("maxLength" in resolved) == declared["isIndexable"], attribute


@every_row("name", SENT)
def test_update_may_reset_only_what_is_not_mandatory(name):
    schema_of_attributes = FILES["update.schema.json"]["$defs"][name]["properties"]["attributes"]
    assert schema_of_attributes["required"] == []
    nullable = {attribute for attribute, schema in schema_of_attributes["properties"].items() if "anyOf" in schema}
    assert nullable == {a for a in schema_of_attributes["properties"] if attributes(name)[a]["isOptional"]}
