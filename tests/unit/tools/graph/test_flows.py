"""Lineage in a small form, for tests of users' jobs."""

from __future__ import annotations

import json
from dataclasses import replace

from sac_kafka.model import ColumnSource, Dependency
from sac_kafka.settings.declarations.choices import MessageForm
from sac_kafka.tools.graph.flows import Flow, flows
from tests.unit.atlas.flows import copies, messages_for, process, table

ORDERS, REPORT = table("orders", "amount", "status"), table("report", "amount", "status")


def test_flows_have_datasets_columns_and_row_clauses_in_either_form() -> None:
    amount, status = copies(ORDERS, REPORT)
    deciding = ColumnSource(ORDERS.key, "status", Dependency.CONDITIONAL)
    flow = process([ORDERS], [REPORT], [replace(amount, sources=(*amount.sources, deciding)), status])
    expected = Flow(
        inputs=("sales.orders",),
        outputs=("sales.report",),
        columns={
            "sales.report.amount": ("sales.orders.amount",),
            "sales.report.status": ("sales.orders.status",),
        },
        influences={"sales.report.amount": ("sales.orders.status",)},
    )
    for form in MessageForm:
        values = [message.value.encode() for message in messages_for(flow, message_form=form)]
        assert flows(values) == (expected,)
        assert flows([*values, *values]) == (expected,)  # a re-run updates its flow


def test_invalid_messages_are_skipped() -> None:
    assert flows([b"{}", b"no json"]) == ()


def _deletion(*entities: tuple[str, str]) -> bytes:
    ids = [{"typeName": type_name, "uniqueAttributes": {"qualifiedName": name}} for type_name, name in entities]
    body = {"type": "ENTITY_DELETE_V2", "user": "alice", "entities": ids}
    return json.dumps({"version": {"version": "1.0.0", "versionParts": [1]}, "message": body}).encode()


def _renaming(type_name: str, old: str, new: str) -> bytes:
    id_ = {"typeName": type_name, "uniqueAttributes": {"qualifiedName": old}}
    changed = {"entity": {"typeName": type_name, "attributes": {"qualifiedName": new}}}
    body = {"type": "ENTITY_PARTIAL_UPDATE_V2", "user": "alice", "entityId": id_, "entity": changed}
    return json.dumps({"message": body}).encode()


def _names(values: list[bytes], type_name: str) -> list[str]:
    found = [each for value in values for each in json.loads(value)["message"]["entities"]["entities"]]
    return [each["attributes"]["qualifiedName"] for each in found if each["typeName"] == type_name]


def test_deleted_column_lineage_is_removed() -> None:
    flow = process([ORDERS], [REPORT], copies(ORDERS, REPORT))
    values = [message.value.encode() for message in messages_for(flow)]
    lineages = _names(values, "spark_column_lineage")
    (amount,) = (each for each in lineages if "amount" in each)
    (column,) = (each for each in _names(values, "spark_column") if each.startswith("sales.report.amount"))
    for deleted in (("spark_column_lineage", amount), ("spark_column", column)):
        (found,) = flows([*values, _deletion(deleted)])
        assert found.columns == {"sales.report.status": ("sales.orders.status",)}
    (source,) = (each for each in _names(values, "spark_column") if each.startswith("sales.orders.amount"))
    assert flows([*values, _deletion(("spark_column", source))]) == flows(values)  # a server keeps that, too
    assert flows([_deletion(("spark_column_lineage", amount)), *values]) == flows(values)  # sent again since


def test_all_lineages_of_a_column_are_kept() -> None:
    """An append keeps the column lineage of earlier statements of the same flow."""
    amount, status = copies(ORDERS, REPORT)
    doubled = replace(
        amount,
        sources=(ColumnSource(ORDERS.key, "status", Dependency.TRANSFORMATION),),
        expression="status * 2",
    )
    other = replace(doubled, expression="status * 3")
    appends = (process([ORDERS], [REPORT], [each, status]) for each in (amount, doubled, other))
    (flow,) = flows(message.value.encode() for each in appends for message in messages_for(each))
    assert flow.columns["sales.report.amount"] == ("sales.orders.amount", "sales.orders.status")
    assert flow.expressions == {"sales.report.amount": ("status * 3",)}  # one column lineage has one expression


def test_renamed_outputs_have_their_new_names() -> None:
    values = [message.value.encode() for message in messages_for(process([ORDERS], [REPORT], copies(ORDERS, REPORT)))]
    renames = [
        _renaming("spark_table", "sales.report@prod", "sales.final@prod"),
        _renaming("spark_column", "sales.report.amount@prod", "sales.final.amount@prod"),
    ]
    (flow,) = flows([*values, *renames])
    assert flow.outputs == ("sales.final",)
    assert flow.columns["sales.final.amount"] == ("sales.orders.amount",)


def test_deleted_process_is_no_flow_until_it_is_sent_again() -> None:
    values = [message.value.encode() for message in messages_for(process([ORDERS], [REPORT], copies(ORDERS, REPORT)))]
    (name,) = _names(values, "spark_process")
    assert flows([*values, _deletion(("spark_process", name))]) == ()
    assert flows([*values, _deletion(("spark_process", name)), *values]) == flows(values)
    assert flows([*values, _deletion(("spark_process", f"other-{name}"))]) == flows(values)
