"""The shape of the Spark Atlas Connector (`compat = sac`): one process per application with all that it did so far."""

from __future__ import annotations

import dataclasses
import json

import pytest

from sac_kafka.atlas.notification import EntityCreate
from sac_kafka.atlas.wire.reader import read
from sac_kafka.model import TableDefined, TableDropped, TableRenamed
from sac_kafka.settings.declarations.choices import Compat, MessageForm
from sac_kafka.stages.outcome_scheduler import WholeApplication
from tests.cases.namings import naming_of
from tests.unit.atlas.flows import APPLICATION, RUN, copy, messages_for, path, process, table

APP = "application_1795000000000_0042"
NAMING = naming_of(compat=Compat.SAC, sac_prefix=APP)
SAC = {"naming": NAMING}

RAW, ORDERS, TOTALS = path("hdfs://nn/raw", "id"), table("orders", "id"), table("totals", "id")


def _entities(sent):
    notifications = [read(message.value).notification for message in sent]
    return [each for n in notifications if isinstance(n, EntityCreate) for each in n.entities]


def _keys(side) -> list[str]:
    return [each.key for each in side]


@pytest.mark.parametrize("form", MessageForm)
def test_process_is_the_application(form):
    sent = _entities(messages_for(copy(ORDERS, TOTALS), **{**SAC, "message_form": form}))
    assert "spark_application" not in {each.id.type_name for each in sent}
    (flow,) = (each for each in sent if each.id.type_name == "spark_process")
    assert flow.id.qualified_name == APP
    assert flow.attributes["name"] == f"{APPLICATION.name} {APP}"
    assert "application" not in flow.references
    assert [each.qualified_name for each in flow.references["inputs"]] == [f"{APP}.sales.orders"]
    assert [each.qualified_name for each in flow.references["outputs"]] == [f"{APP}.sales.totals"]


def test_v1_message_is_an_entity_create_of_referenceables():
    (message,) = messages_for(copy(ORDERS, TOTALS), **SAC)
    body = json.loads(message.value)["message"]
    assert body["type"] == "ENTITY_CREATE"
    flow = next(each for each in body["entities"] if each["typeName"] == "spark_process")
    assert flow["values"]["qualifiedName"] == APP


def test_deciding_datasets_of_a_statement_are_not_those_of_the_application():
    (flow,) = (
        each
        for each in _entities(messages_for(dataclasses.replace(copy(ORDERS, TOTALS), decided_by=(RAW,)), **SAC))
        if each.id.type_name == "spark_process"
    )
    assert "decided_by" not in flow.custom_attributes


def test_shell_has_the_connectors_name():
    shell = dataclasses.replace(APPLICATION, name="Spark shell")
    sent = _entities(messages_for(dataclasses.replace(copy(ORDERS, TOTALS), application=shell), **SAC))
    assert [each.attributes["name"] for each in sent if each.id.type_name == "spark_process"] == [f"Spark Job + {APP}"]


def test_each_statement_includes_the_earlier_ones():
    whole = WholeApplication()
    whole.add(process([RAW], [ORDERS]))
    second = whole.add(process([ORDERS], [TOTALS]))
    assert _keys(second.inputs) == [RAW.key, ORDERS.key]
    assert _keys(second.outputs) == [ORDERS.key, TOTALS.key]
    assert second.run == RUN


def test_dropped_table_is_not_sent_again():
    whole = WholeApplication()
    whole.add(process([RAW], [ORDERS]))
    whole.change(TableDropped(table=table("orders")))
    second = whole.add(process([RAW], [TOTALS]))
    assert (_keys(second.inputs), _keys(second.outputs)) == ([RAW.key], [TOTALS.key])


def test_renamed_table_has_its_new_name():
    whole = WholeApplication()
    whole.add(process([RAW], [ORDERS]))
    whole.change(TableRenamed(old=table("orders"), new=table("sold", "id")))
    second = whole.add(process([table("sold", "id")], [TOTALS]))
    assert _keys(second.outputs) == [table("sold").key, TOTALS.key]
    assert ORDERS.key not in _keys(second.inputs)


def test_dropped_column_is_not_sent_again():
    whole = WholeApplication()
    whole.add(process([RAW], [table("orders", "id", "old")]))
    whole.change(TableDefined(table=ORDERS))
    second = whole.add(process([RAW], [TOTALS]))
    assert [c.name for each in second.outputs if each.key == ORDERS.key for c in each.columns] == ["id"]


def test_locations_of_every_statement_are_sent():
    def reads(day: str):
        return process([path("hdfs://nn/raw", "id", locations=(f"hdfs://nn/raw/day={day}",))], [ORDERS])

    whole = WholeApplication()
    whole.add(reads("1"))
    sent = _entities(messages_for(whole.add(reads("2")), **{**SAC, "message_form": MessageForm.V2}))
    (flow,) = (each for each in sent if each.id.type_name == "spark_process")
    assert flow.custom_attributes["read_locations"] == "hdfs://nn/raw/day=2, hdfs://nn/raw/day=1"
