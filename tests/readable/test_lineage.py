"""What messages say of processes besides what is drawn."""

import json
from pathlib import Path

import pytest

from sac_kafka.errors import MessageError
from sac_kafka.readable.lineage import said
from sac_kafka.readable.told import ToldProcess

GOLDEN = Path(__file__).parents[1] / "atlas" / "golden"


def test_whose_process_it_is_and_what_is_known_of_its_run() -> None:
    message = json.loads((GOLDEN / "first_sight.json").read_text("utf-8"))
    (process,) = (each for each in said(json.dumps(message)) if isinstance(each, ToldProcess))
    (entity,) = (e for e in message["message"]["entities"]["entities"] if e["typeName"] == "spark_process")
    application = entity["relationshipAttributes"]["application"]["uniqueAttributes"]["qualifiedName"]
    assert process.job == application
    assert process.about["user"] == entity["attributes"]["remoteUser"]
    assert entity["customAttributes"].items() <= process.about.items()


def test_a_definition_of_a_view_has_no_job() -> None:
    (process,) = (
        each for each in said((GOLDEN / "view_definition.json").read_text("utf-8")) if isinstance(each, ToldProcess)
    )
    assert process.job == ""


def _message(**attributes: object) -> str:
    entity = {"typeName": "databricks_process", "attributes": {"qualifiedName": "p", **attributes}}
    return json.dumps({"type": "ENTITY_CREATE_V2", "entities": {"entities": [entity]}})


def test_what_is_null_is_not_said() -> None:
    target = {"typeName": "azure_sql_table", "uniqueAttributes": {"qualifiedName": "t"}}
    (process,) = said(_message(name=None, inputs=None, outputs=[target]))
    assert isinstance(process, ToldProcess)
    assert (process.name, process.inputs, process.outputs) == ("p", (), ("t@",))


@pytest.mark.parametrize("source", [None, 1, ["x"]])
def test_a_mapping_of_what_is_no_text(source: object) -> None:
    mapping = {
        "DatasetMapping": {"Source": "a", "Sink": "b"},
        "ColumnMapping": [{"Source": source, "Sink": "x"}],
    }
    target = {"typeName": "azure_sql_table", "uniqueAttributes": {"qualifiedName": "b"}}
    with pytest.raises(MessageError, match="a column lineage"):
        said(_message(outputs=[target], columnMapping=json.dumps([mapping])))
