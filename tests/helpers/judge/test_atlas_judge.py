"""Atlas' own classes find each bad form, and nothing in the good ones.

The forms are those that were sent to a running server, which dropped them or mistreated them.
"""

from __future__ import annotations

import json

import pytest

from tests.helpers.every_row import every_row
from tests.helpers.judge.judging import assert_good, judge
from tests.helpers.judge.records import (
    DATABASE,
    DATE,
    INPUT,
    OUTPUT,
    TABLE,
    column,
    column_lineage,
    create,
    entity,
    flow,
    parts,
    path,
    process,
    record,
    reference,
    v1_create,
    v1_entity,
    v1_flow,
    v1_id,
    v1_path,
)

GOOD = flow()
ID = {"typeName": "spark_process", "uniqueAttributes": {"qualifiedName": "p@c"}}
ASSIGNED = "01234567-89ab-cdef-0123-456789abcdef"


def _partial(**inner):
    return record({"type": "ENTITY_PARTIAL_UPDATE_V2", "entityId": ID, "entity": {"entity": inner}})


def _v1_partial(**values):
    found = {"typeName": "spark_process", "attribute": "qualifiedName", "attributeValue": "p@c"}
    entity = v1_entity("spark_process", "p@c", "-9")
    return record({"type": "ENTITY_PARTIAL_UPDATE", **found, "entity": {**entity, "values": values}})


def _delete(*ids):
    return record({"type": "ENTITY_DELETE_V2", "entities": list(ids)})


def _without(record, *keys):
    message = json.loads(record)
    for key in keys:
        del message[key]
    return json.dumps(message)


def _side(**changed):
    return flow({"inputs": [{**INPUT, **changed}], "outputs": [OUTPUT]})


# Lost records: name → (record, what the judge reports).
BAD = {
    "not JSON": ("{", "not JSON"),
    "a list": ("[]", "lost without a trace"),
    "no version": (_without(GOOD, "version"), "lost without a trace"),
    "no message": (_without(GOOD, "message"), "lost without a trace"),
    "a higher version": (record({"type": "ENTITY_DELETE_V2"}, version={"version": "2.0.0"}), "version mismatch"),
    "an unknown compression": (record({"type": "ENTITY_DELETE_V2"}, msgCompressionKind="ZIP"), "lost without a trace"),
    "an unknown notification": (create(path(), type="ENTITY_CREATE_V3"), "NullPointerException"),
    "types": (record({"type": "TYPE_CREATE", "typesDef": {}}), "Unknown notification type: TYPE_CREATE"),
    "an unknown type": (create(entity("iceberg_table", "t@c")), "Type ENTITY with name iceberg_table does not exist"),
    "no type": (create({"guid": "-1", "attributes": {}}), "Type ENTITY with name null does not exist"),
    "no path": (create(path(path=None)), "hdfs_path.path: mandatory attribute value missing in type fs_path"),
    "no name": (create(path(name=None)), "hdfs_path.name: mandatory attribute value missing in type Asset"),
    "no qualifiedName": (create(path(qualifiedName=None)), "qualifiedName: mandatory attribute value missing"),
    "no column type": (create(DATABASE, TABLE, column(type=None)), "spark_column.type: mandatory attribute"),
    "no table": (create(column(links={})), "spark_column.table: mandatory attribute value missing"),
    "no topic": (create(entity("kafka_topic", "t@c", uri="t")), "kafka_topic.topic: mandatory attribute"),
    "no instance": (create(entity("rdbms_db", "d@c")), "rdbms_db.instance: mandatory attribute value missing"),
    "no bucket": (create(entity("aws_s3_v2_directory", "d@c", objectPrefix="/")), "container: mandatory"),
    "no account": (create(entity("adls_gen2_container", "d@c")), "account: mandatory attribute value missing"),
    "no volume": (create(entity("ozone_bucket", "d@c")), "volume: mandatory attribute value missing"),
    "no parent": (create(entity("gcp_storage_virtual_directory", "d@c")), "parent: mandatory attribute value missing"),
    "no clusterName": (create(entity("hive_db", "d@c")), "hive_db.clusterName: mandatory attribute"),
    "a day for a date": (create(path(createTime="2023-11-14")), "createTime=2023-11-14: invalid value for type date"),
    "a date without milliseconds": (create(path(createTime="2023-11-14T22:13:20Z")), "invalid value for type date"),
    "a text for a long": (create(path(fileSize="abc")), "fileSize=abc: invalid value for type long"),
    "one object for a list": (flow({"inputs": INPUT, "outputs": [OUTPUT]}), "invalid value for type array<objectid>"),
    "a list for one object": (
        create(entity("avro_field", "f@c", links={"record": [reference("avro_schema", "s@c")]})),
        "invalid value for type objectid",
    ),
    "a reference to nothing": (_side(typeName=None, guid=None, uniqueAttributes=None), "ObjectId is not valid"),
    "no DataSet among the inputs": (
        flow({"inputs": [reference("hive_db", "h@c")], "outputs": [OUTPUT]}),
        "invalid relationshipDef: dataset_process_inputs: a hive_db cannot be there",
    ),
    "a child of the wrong owner": (
        create(DATABASE, column(links={"table": reference("spark_db", "db@c", "-1")})),
        "invalid relationshipDef: spark_table_columns",
    ),
    "a guid that is not in the message": (_side(guid="-77"), "Referenced entity -77 is not found"),
    "an unknown type in a reference": (
        flow({"inputs": [reference("iceberg_table", "t@c")], "outputs": [OUTPUT]}),
        "Type ENTITY with name iceberg_table does not exist",
    ),
    "a reference by what is not unique": (
        _side(guid=None, uniqueAttributes={"name": "/in"}),
        "not a unique attribute of hdfs_path",
    ),
    "an unknown classification": (
        create({**path(), "classifications": [{"typeName": "PII"}]}),
        "unknown classification PII",
    ),
    "a label of two words": (create({**path(), "labels": ["two words"]}), "Invalid label: two words"),
    "a long label": (create({**path(), "labels": ["x" * 51]}), "Invalid label"),
    "a dot in a key": (create({**path(), "customAttributes": {"run.id": "1"}}), "Invalid key: run.id"),
    "a long value": (create({**path(), "customAttributes": {"run": "x" * 501}}), "Invalid value of custom attribute"),
    "null for an entity": (create(None), "null entity"),
    "a wrong value in a partial update": (
        _partial(typeName="spark_process", attributes={"executionId": "x"}),
        "executionId=x: invalid value for type long",
    ),
    "a partial update of an unknown type": (
        record({"type": "ENTITY_PARTIAL_UPDATE_V2", "entityId": reference("x", "p@c"), "entity": {"entity": {}}}),
        "Type ENTITY with name x does not exist",
    ),
    "a delete by guid": (_delete({"guid": ASSIGNED}), "delete needs typeName and uniqueAttributes"),
    "a delete of an unknown type": (_delete(reference("iceberg_table", "t@c")), "iceberg_table does not exist"),
    "V1 without jsonClass": (
        v1_create(v1_entity("spark_process", "p@c", "-9", inputs=[{"typeName": "hdfs_path", "values": {}}])),
        "nested objects need jsonClass",
    ),
    "V1 without a mandatory attribute": (v1_create(v1_path("/in@c", "-1", path=None)), "path: mandatory attribute"),
    "V1 with a wrong date": (v1_create(v1_path("/in@c", "-1", createTime="2023-11-14")), "invalid value for type date"),
    "V1 reference to nothing": (
        v1_create(v1_entity("spark_process", "p@c", "-9", inputs=[v1_id("hdfs_path", "-77")])),
        "Referenced entity -77 is not found",
    ),
    "V1 of an unknown type": (v1_create(v1_entity("iceberg_table", "t@c", "-1")), "iceberg_table does not exist"),
    "V1 partial update with a wrong value": (_v1_partial(executionId="x"), "invalid value for type long"),
    "a part without an id": (_without(parts(GOOD, 2)[0], "msgId"), "lost without a trace"),
}

# Accepted, but with an unwanted effect.
UNWANTED = {
    "an unknown attribute": (create(path(colour="red")), "unknown attribute colour is ignored"),
    "an unknown relationship": (
        flow({"inputs": [INPUT], "outputs": [OUTPUT], "sources": []}),
        "unknown relationship attribute is ignored",
    ),
    "an unknown relationshipType": (_side(relationshipType="no_such"), "unknown relationshipType no_such"),
    "a map in a string": (create(path(owner={"a": 1})), "stored as Java text"),
    "an owner that lists its children": (
        create(DATABASE, {**TABLE, "relationshipAttributes": {"columns": [reference("spark_column", "c@c")]}}),
        "the owner lists its children",
    ),
    "an owner that lists its children among the attributes": (
        create(entity("hive_table", "t@c", columns=[reference("hive_column", "c@c")])),
        "the owner lists its children",
    ),
    "a database that lists its tables": (
        create({**DATABASE, "relationshipAttributes": {"tables": [reference("spark_table", "db.a@c")]}}),
        "the owner lists its children",
    ),
    "column lineage without inputs": (
        create(path(), path("/out@c", "-2"), process(), column_lineage(inputs=[])),
        "is in no lineage",
    ),
    "column lineage of a process without inputs": (
        create(path(), path("/out@c", "-2"), process({"outputs": [OUTPUT]}), column_lineage()),
        "column lineage of a process without inputs or without outputs",
    ),
    "a long name": (create(path(name="x" * 32_767)), "indexed attribute name has 32767 characters"),
    "a long text as Java counts": (flow(queryText="😀" * 16_384), "indexed attribute queryText has 32768 characters"),
    "a shell of a supertype": (
        flow({"inputs": [reference("DataSet", "d@c")], "outputs": [OUTPUT]}),
        "a shell of DataSet is never completed",
    ),
    "one name twice": (create(path(), path(guid="-2")), "twice in one message"),
    "one guid twice": (create(path(), path("/out@c", "-1")), "two entities have the guid -1"),
    "another type than its guid": (_side(typeName="fs_path"), "is a hdfs_path, the reference says fs_path"),
    "another name than its guid": (_side(uniqueAttributes={"qualifiedName": "/x@c"}), "the reference says /x@c"),
    "the guid of a server": (create(path(guid=ASSIGNED)), "was given by a server"),
    "a reference by the guid of a server": (_side(guid=ASSIGNED), "was given by a server"),
    "nothing": (create(), "no entities"),
    "nothing to delete": (_delete(), "nothing to delete"),
    "an unknown attribute in a partial update": (
        _partial(typeName="spark_process", attributes={"colour": "red"}),
        "unknown attribute colour",
    ),
    "an unknown attribute in V1": (v1_create(v1_path("/in@c", "-1", colour="red")), "unknown attribute colour"),
}

ROWS = [create(path(createTime=date)) for date in (DATE, str(DATE), "2023-11-14T22:13:20.000Z")]
SUITED = {
    "a flow": [GOOD],
    "a table and its columns": [create(DATABASE, TABLE, column(), column("db.a.b@c", "-4"))],
    "users before definitions": [create(process(), path(), path("/out@c", "-2"))],
    "dates": ROWS,
    "a bare notification": [json.dumps(json.loads(GOOD)["message"])],
    "version and source as texts": [record(json.loads(GOOD)["message"], version="1.0.0", source="spark")],
    "what is only referred": [
        create(process(), referred={"-1": path(), "-2": path("/out@c", "-2")}),
        create(path(), referred={"-5": entity("iceberg_table", "unused@c", "-5")}),
    ],
    "sides among the attributes": [flow({}, inputs=[INPUT], outputs=[OUTPUT])],
    "one side, no column lineage": [flow({"outputs": [OUTPUT]}), flow({"inputs": [INPUT]})],
    "no side": [flow({})],
    "full update": [create(path(), type="ENTITY_FULL_UPDATE_V2")],
    "partial update": [GOOD, _partial(typeName="spark_process", attributes={"details": "done", "executionId": None})],
    "delete": [GOOD, _delete(ID)],
    "V1, nested": [v1_flow()],
    "V1, flat": [
        v1_create(
            v1_path("/in@c", "-1", createTime="2023-11-14T22:13:20.000Z"),
            v1_path("/out@c", "-2"),
            v1_entity(
                "spark_process", "p@c", "-9", inputs=[v1_id("hdfs_path", "-1")], outputs=[v1_id("hdfs_path", "-2")]
            ),
        )
    ],
    "V1 full and partial update": [
        v1_create(v1_path("/in@c", "-1"), type="ENTITY_FULL_UPDATE"),
        _v1_partial(details="x"),
    ],
    "V1 delete": [
        record(
            {"type": "ENTITY_DELETE", "typeName": "hdfs_path", "attribute": "qualifiedName", "attributeValue": "/in@c"}
        )
    ],
    "compressed": parts(GOOD, 1),
    "compressed and split": parts(GOOD, 3),
    "split": parts(GOOD, 2, kind="NONE"),
}


@every_row("name", BAD)
def test_bad_form_is_a_violation(name):
    sent, reason = BAD[name]
    (verdict,) = judge().verdicts([sent])
    assert verdict.result == "BAD"
    assert any(reason in each for each in verdict.violations), verdict


@pytest.mark.parametrize("name", UNWANTED)
def test_unwanted_form_is_a_warning(name):
    sent, reason = UNWANTED[name]
    (verdict,) = judge().verdicts([sent])
    assert verdict.result in {"OK", "IGNORED"}, verdict
    assert any(reason in each for each in verdict.warnings), verdict


@pytest.mark.parametrize("name", SUITED)
def test_good_form_is_good(name):
    assert_good(SUITED[name])


def test_a_bad_record_is_reported_with_its_place():
    with pytest.raises(AssertionError, match=r"path: mandatory(.|\n)*in \{"):
        assert_good([GOOD, BAD["no path"][0]])


def test_parts_that_come_in_order_are_one_message():
    verdicts = judge().verdicts(parts(GOOD, 3))
    assert [each.result for each in verdicts] == ["PART", "PART", "OK"]
    assert verdicts[-1].entities == 3


@pytest.mark.parametrize("order", [(0, 2, 1), (1, 0, 2), (0, 2)], ids=str)
def test_parts_out_of_order_are_lost(order):
    pieces = parts(GOOD, 3)
    assert "BAD" in [each.result for each in judge().verdicts([pieces[n] for n in order])]


def test_other_records_may_come_between_parts():
    first, second = parts(GOOD, 2)
    assert [each.result for each in judge().verdicts([first, GOOD, second])] == ["PART", "OK", "OK"]


def test_earlier_records_are_known():
    """Report a shell only if no record created the entity; a changed name is a new entity."""
    used = create(
        entity("spark_column_lineage", "l@c", "-1", {"inputs": [{**INPUT, "guid": None}], "outputs": [INPUT]})
    )
    used = used.replace('"guid": "-1", "relationshipType"', '"relationshipType"')
    renamed = record(
        {
            "type": "ENTITY_PARTIAL_UPDATE_V2",
            "entityId": reference("hdfs_path", "/in@c"),
            "entity": {"entity": {"typeName": "hdfs_path", "attributes": {"qualifiedName": "/new@c"}}},
        }
    )
    gone = _delete(reference("hdfs_path", "/in@c"))
    shells = [
        each.shells
        for each in judge().verdicts([used, create(path()), used, renamed, used, create(path()), gone, used])
    ]
    missing = ("hdfs_path {qualifiedName=/in@c}",)
    assert shells == [missing, (), (), (), missing, (), (), missing]


def test_changes_of_unknown_entities_are_remarked():
    partial, delete = judge().verdicts([_partial(attributes={"details": "x"}), _delete(ID)])
    assert "does not exist" in partial.remarks[0]
    assert "does nothing" in delete.remarks[0]
    assert not partial.problems + delete.problems


def test_a_run_of_records_begins_without_entities():
    judge().verdicts([GOOD, parts(GOOD, 2)[0]])
    (update,) = judge().verdicts([_partial(attributes={"details": "x"})])
    assert update.remarks
    (late,) = judge().verdicts(parts(GOOD, 2)[1:])
    assert late.result == "BAD"


def test_every_message_of_a_test_is_collected(rendered):
    """The fixture watches the function that encodes all messages."""
    from tests.unit.atlas.flows import ORDINARY, messages_for

    assert [message.value for message in messages_for(ORDINARY)] == rendered
