"""Parts of processes in messages that are not drawn."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sac_kafka.errors import MessageError
from sac_kafka.model import ColumnLineage
from sac_kafka.settings.declarations.choices import MessageForm
from sac_kafka.tools.messages.lineage import parse_message
from sac_kafka.tools.messages.model import LineageProcess
from sac_kafka.tools.messages.names import strip_namespace
from tests.unit.atlas.flows import ORDERS, TOTALS, copy, messages_for, path, process, table
from tests.unit.purview.account import DATABRICKS, LAKE, Account

GOLDEN = Path(__file__).parents[3] / "unit" / "atlas" / "golden"


def test_job_and_run_facts_of_a_process() -> None:
    message = json.loads((GOLDEN / "first_sight.json").read_text("utf-8"))
    (process,) = (each for each in parse_message(json.dumps(message)) if isinstance(each, LineageProcess))
    (entity,) = (e for e in message["message"]["entities"]["entities"] if e["typeName"] == "spark_process")
    application = entity["relationshipAttributes"]["application"]["uniqueAttributes"]["qualifiedName"]
    assert process.job == application
    assert process.attributes["user"] == entity["attributes"]["remoteUser"]
    assert entity["customAttributes"].items() <= process.attributes.items()


def test_a_definition_of_a_view_has_no_job() -> None:
    (process,) = (
        each
        for each in parse_message((GOLDEN / "view_definition.json").read_text("utf-8"))
        if isinstance(each, LineageProcess)
    )
    assert process.job == ""


def _message(**attributes: object) -> str:
    entity = {"typeName": "databricks_process", "attributes": {"qualifiedName": "p", **attributes}}
    return json.dumps({"type": "ENTITY_CREATE_V2", "entities": {"entities": [entity]}})


def test_null_attributes_are_omitted() -> None:
    target = {"typeName": "azure_sql_table", "uniqueAttributes": {"qualifiedName": "t"}}
    (process,) = parse_message(_message(name=None, inputs=None, outputs=[target]))
    assert isinstance(process, LineageProcess)
    assert (process.name, process.inputs, process.outputs) == ("p", (), ("t@",))


@pytest.mark.parametrize("source", [None, 1, ["x"]])
def test_mapping_with_a_source_that_is_no_text(source: object) -> None:
    mapping = {
        "DatasetMapping": {"Source": "a", "Sink": "b"},
        "ColumnMapping": [{"Source": source, "Sink": "x"}],
    }
    target = {"typeName": "azure_sql_table", "uniqueAttributes": {"qualifiedName": "b"}}
    with pytest.raises(MessageError, match="a column lineage"):
        parse_message(_message(outputs=[target], columnMapping=json.dumps([mapping])))


def _processes(*values: str) -> list[LineageProcess]:
    return [each for value in values for each in parse_message(value) if isinstance(each, LineageProcess)]


def test_both_forms_have_the_same_facts_of_a_run() -> None:
    """Read the facts from the details: the V1 form has no custom attributes, and some servers drop them."""
    flow = replace(copy(ORDERS, TOTALS), gaps=("relation not understood: x",), other_sources=("rows of the driver",))
    (v2,) = _processes(*(each.value for each in messages_for(flow)))
    (v1,) = _processes(*(each.value for each in messages_for(flow, message_form=MessageForm.V1)))
    assert v2.attributes["lineage"] == "partial: relation not understood: x"
    assert (v1.run_status, v1.attributes, v1.other_sources) == (v2.run_status, v2.attributes, "rows of the driver")


def test_constants_of_the_first_form_are_drawn() -> None:
    made = (
        ColumnLineage(dataset=TOTALS.key, column="id", sources=(), expression="1"),
        ColumnLineage(dataset=TOTALS.key, column="total", sources=()),
    )
    constants = replace(process([], [TOTALS]), columns=made)
    (v2,) = _processes(*(each.value for each in messages_for(constants)))
    (v1,) = _processes(*(each.value for each in messages_for(constants, message_form=MessageForm.V1)))
    assert v1.constants == v2.constants == "id = 1, total"


def test_a_model_and_its_directory_are_one_dataset() -> None:
    """Merge them, because they have one name with two types and both are outputs."""
    ends = [
        {"typeName": kind, "uniqueAttributes": {"qualifiedName": "file:/m@prod"}}
        for kind in ("spark_ml_directory", "spark_ml_model")
    ]
    entity = {
        "typeName": "spark_process",
        "attributes": {"qualifiedName": "p@prod"},
        "relationshipAttributes": {"outputs": ends},
    }
    (found,) = _processes(json.dumps({"type": "ENTITY_CREATE_V2", "entities": {"entities": [entity]}}))
    assert (found.outputs, found.types) == (("file:/m@prod",), {"file:/m@prod": "spark_ml_model"})


@pytest.mark.parametrize(
    ("application", "job"),
    [(None, "daily load"), (DATABRICKS, "nightly")],
    ids=["by its name", "by the chain of Databricks"],
)
@pytest.mark.parametrize("types", ["built-in", "own"])
def test_the_job_of_a_process_in_purview(application: object, job: str, types: str) -> None:
    flow = copy(path(f"{LAKE}/orders", "id"), path(f"{LAKE}/totals", "id"))
    flow = flow if application is None else replace(flow, application=application)
    account = Account(flow.application, purview__process__types=types)
    assert {strip_namespace(each.job) for each in _processes(*(each.value for each in account.made(flow)))} == {
        job if types == "built-in" else flow.application.job
    }


def test_the_definition_of_a_view_in_purview_has_no_job() -> None:
    view = table("v", "id", table_type="VIEW")
    flow = replace(copy(path(f"{LAKE}/orders", "id"), view), defines_view=True)
    assert {each.job for each in _processes(*(each.value for each in Account().made(flow)))} == {""}
