"""The rules for senders of HOOK messages, at least one test per rule; R30 is in `test_worker`, where records get keys."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from sac_kafka.atlas.memory import Remembered
from sac_kafka.model import (
    Column,
    ColumnLineage,
    ColumnSource,
    Dependency,
    Engine,
    HBaseDataset,
    RdbmsDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
    TopicDataset,
)
from sac_kafka.plan.wire import Projected
from sac_kafka.settings.classifications import Classification, ValidityPeriod
from sac_kafka.settings.declarations.choices import ColumnLineageMode, MessageForm, TableModel
from tests.helpers.pipelines import Pipeline
from tests.helpers.schemas import references
from tests.unit.atlas.flows import (
    CONTEXT,
    DAY,
    NOW,
    ORDERS,
    ORDINARY,
    TOTALS,
    columns,
    copies,
    copy,
    ends,
    entities,
    messages_for,
    name,
    of_type,
    path,
    process,
    table,
)

FULL = ColumnLineageMode.FULL
INDEXED_LIMIT = 32_767

MANDATORY = {
    "spark_db": {"name"},
    "spark_table": {"name"},
    "spark_storagedesc": {"compressed"},
    "spark_column": {"name", "type"},
    "fs_path": {"name", "path"},
    "hdfs_path": {"name", "path"},
    "avro_schema": {"name", "type", "namespace"},
    "avro_field": {"name"},
    "spark_application": {"name"},
    "spark_process": {"name"},
    "spark_column_lineage": {"name"},
}
OWNERS = {"spark_column": "table", "avro_field": "record", "spark_storagedesc": "table", "spark_table": "db"}
SETS = {"inputs", "outputs", "associatedEntities"}


def _envelope(**changed):
    (message,) = messages_for(ORDINARY, **changed)
    return json.loads(message.value)


def test_r1_version_is_1_0_0():
    assert _envelope()["version"] == {"version": "1.0.0", "versionParts": [1]}


def test_r2_source_is_a_plain_string():
    assert _envelope()["source"] == "sac_kafka"


def test_r3_type_is_one_that_servers_handle():
    (message,) = messages_for(ORDINARY)
    assert message.type == json.loads(message.value)["message"]["type"] == "ENTITY_CREATE_V2"


def test_r5_mandatory_attributes_are_sent_even_if_unknown():
    bare = process([table("t", columns=(Column(name="c"),)), path("file:/p", columns=(Column(name="c"),), format="")])
    for sent in (messages_for(ORDINARY), messages_for(copy(path("file:/a", "x"), ORDERS)), messages_for(bare)):
        for entity in entities(sent):
            missing = (MANDATORY[entity["typeName"]] | {"qualifiedName"}) - set(entity["attributes"])
            assert not missing, entity
            assert None not in entity["attributes"].values()


def test_r6_child_names_its_owner():
    children = of_type(messages_for(ORDINARY), *OWNERS)
    assert {entity["typeName"] for entity in children} == set(OWNERS)
    for entity in children:
        assert entity["relationshipAttributes"][OWNERS[entity["typeName"]]]["guid"]


def test_r7_dates_are_epoch_milliseconds_and_longs_numbers():
    (orders,) = of_type(messages_for(ORDINARY), "spark_table")
    (flow,) = of_type(messages_for(ORDINARY), "spark_process")
    assert (orders["attributes"]["createTime"], flow["attributes"]["executionId"]) == (1_700_000_000_000, 7)
    assert _envelope()["msgCreationTime"] == NOW


def test_r7_lists_only_where_the_type_is_a_list():
    for entity in entities(messages_for(ORDINARY)):
        lists = {key for key, value in entity["attributes"].items() if isinstance(value, (list, dict))}
        assert lists <= {"partitionColumnNames"}


def test_r8_cardinality_set_is_a_list_and_single_one_object():
    for entity in entities(messages_for(ORDINARY)):
        for relationship, end in entity.get("relationshipAttributes", {}).items():
            assert isinstance(end, list) == (relationship in SETS), (entity["typeName"], relationship)


def test_r9_ends_of_lineage_are_datasets():
    types = {
        reference["typeName"]
        for entity in of_type(messages_for(ORDINARY), "spark_process", "spark_column_lineage")
        for side in ("inputs", "outputs")
        for reference in entity["relationshipAttributes"][side]
    }
    assert types == {"spark_table", "hdfs_path", "spark_column", "avro_field"}


@pytest.mark.parametrize("max_entities", [3, 7, 13, 300])
def test_r10_negative_guid_is_of_an_entity_in_the_message(max_entities):
    sent = messages_for(ORDINARY, message_max_entities=max_entities)
    assert (len(sent) > 1) == (len(entities(messages_for(ORDINARY))) > max_entities)
    for message in sent:
        guids = {entity["guid"] for entity in entities([message])}
        used = {reference.get("guid") for entity in entities([message]) for reference in references(entity)}
        assert used - {None} <= guids


def test_r10_entities_of_the_message_are_referenced_by_guid():
    assert all("guid" in reference for entity in entities(messages_for(ORDINARY)) for reference in references(entity))


def test_r11_every_guid_is_an_unassigned_one():
    guids = [entity["guid"] for entity in entities(messages_for(ORDINARY))]
    assert guids == [f"-{number}" for number in range(1, len(guids) + 1)]


def test_r12_references_name_the_concrete_type_and_the_unique_attribute():
    sent = entities(messages_for(ORDINARY))
    types = {name(entity): entity["typeName"] for entity in sent}
    for entity in sent:
        for reference in references(entity):
            assert types[name(reference)] == reference["typeName"]
            assert reference["relationshipType"]


def test_r13_owner_never_lists_its_children():
    owners = of_type(messages_for(ORDINARY), "spark_db", "spark_table", "hdfs_path", "avro_schema", "spark_application")
    ends_of = {entity["typeName"]: set(entity.get("relationshipAttributes", {})) for entity in owners}
    assert ends_of == {
        "spark_db": set(),
        "spark_table": {"db"},
        "hdfs_path": set(),
        "avro_schema": {"associatedEntities"},
        "spark_application": set(),
    }


def _flow_name(flow):
    return name(of_type(messages_for(flow), "spark_process")[0])


def test_r14_changed_flow_is_another_process_and_a_rerun_the_same():
    later = dataclasses.replace(ORDINARY.run, execution_id=99, started_ms=NOW, query_text="-- the same")
    rerun = dataclasses.replace(ORDINARY, run=later)
    more = dataclasses.replace(ORDINARY, inputs=(*ORDINARY.inputs, table("customers")))
    assert _flow_name(ORDINARY) == _flow_name(rerun) != _flow_name(more)


def test_r14_columns_do_not_change_the_name_of_the_flow():
    assert _flow_name(ORDINARY) == _flow_name(copy(table("orders", "other"), path(TOTALS.path)))


def _columns(*sources: ColumnSource, mode=FULL):
    lineage = ColumnLineage(dataset=TOTALS.key, column="total", sources=sources)
    sent = of_type(messages_for(process([ORDERS], [TOTALS], [lineage]), column_lineage=mode), "spark_column_lineage")
    return [(name(entity), tuple(ends(entity, "inputs"))) for entity in sent]


@pytest.mark.parametrize("mode", [ColumnLineageMode.DIRECT, FULL])
def test_r15_column_lineage_of_one_name_has_one_set_of_inputs(mode):
    amount = ColumnSource(ORDERS.key, "amount", Dependency.AGGREGATION)
    other = ColumnSource(ORDERS.key, "id", Dependency.AGGREGATION)
    condition = ColumnSource(ORDERS.key, "amount", Dependency.CONDITIONAL)
    window = ColumnSource(ORDERS.key, "id", Dependency.WINDOW)
    sent = {
        each
        for sources in ((amount,), (amount, other), (amount, condition), (amount, window), (condition, window))
        for each in _columns(*sources, mode=mode)
    }
    assert len({name for name, _ in sent}) == len(sent)


def test_r15_modes_do_not_share_a_name_for_other_inputs():
    sources = (
        ColumnSource(ORDERS.key, "amount", Dependency.AGGREGATION),
        ColumnSource(ORDERS.key, "id", Dependency.CONDITIONAL),
    )
    sent = {*_columns(*sources), *_columns(*sources, mode=ColumnLineageMode.DIRECT)}
    assert len(sent) == len({name for name, _ in sent}) == 2


@pytest.mark.parametrize(("inputs", "outputs"), [([ORDERS], []), ([], [TOTALS]), ([], [])])
def test_r16_process_with_one_side_is_sent_without_column_lineage(inputs, outputs):
    sent = messages_for(process(inputs, outputs, copies(ORDERS, TOTALS)))
    (flow,) = of_type(sent, "spark_process")
    assert set(flow["relationshipAttributes"]) == {"application"} | ({"inputs"} if inputs else set()) | (
        {"outputs"} if outputs else set()
    )
    assert of_type(sent, "spark_column_lineage") == []


def test_r16_column_that_nothing_flows_into_or_influences_has_no_column_lineage():
    lineage = [ColumnLineage(dataset=TOTALS.key, column="id", sources=(), expression="count(*)")]
    assert of_type(messages_for(process([ORDERS], [TOTALS], lineage)), "spark_column_lineage") == []


LONG = "x" * 40_000
EMOJI = "😀" * 20_000


@pytest.mark.parametrize("text", [LONG, EMOJI])
def test_r21_custom_attributes_are_short(text):
    source = path("file:/in", locations=tuple(f"file:/in/{number}/{text}" for number in range(20)))
    long = process([source], [table("b", "c")], row_level=[ColumnSource(source.key, text, Dependency.FILTER)])
    application = dataclasses.replace(long.application, application_id=text, attempt=text, engine=Engine(version=text))
    sent = messages_for(dataclasses.replace(long, application=application), column_lineage=FULL)
    annotated = of_type(sent, "spark_process", "spark_application")
    assert len(annotated) == 2
    for entity in annotated:
        for key, value in entity["customAttributes"].items():
            assert key.replace("_", "").isalnum()
            assert len(key) <= 50
            assert len(value.encode("utf-16-le")) // 2 <= 500


@pytest.mark.parametrize("text", [LONG, EMOJI])
def test_r22_no_text_reaches_the_limit_of_indexed_strings(text):
    wide = table(text, database=text, catalog=text, owner=text, comment=text, columns=columns(text, type=text))
    deep = path(f"hdfs://nn1/{text}", columns=columns(text, type=text))
    lineage = [dataclasses.replace(each, expression=text) for each in copies(wide, deep)]
    sent = process([wide], [deep, path(f"file:/{text}")], lineage, job=text, query_text=text)
    sent = dataclasses.replace(sent, application=dataclasses.replace(sent.application, user=text))
    for entity in entities(messages_for(sent)):
        for attribute, value in entity["attributes"].items():
            if isinstance(value, str):
                assert len(value.encode("utf-16-le")) // 2 < INDEXED_LIMIT, attribute


def test_r22_names_that_are_cut_stay_different():
    sent = messages_for(process([path(f"file:/{'x' * 9_000}{letter}{'y' * 9_000}", "c") for letter in "ab"]))
    assert len({name(entity) for entity in of_type(sent, "fs_path")}) == 2
    assert len({name(entity) for entity in of_type(sent, "avro_field")}) == 2


def test_r22_statement_is_cut_to_the_length_that_a_server_indexes():
    (flow,) = of_type(messages_for(process([ORDERS], query_text="s" * 30_000)), "spark_process")
    assert flow["attributes"]["queryText"] == "s" * 30_000


def test_r23_one_schema_a_dataset_with_type_and_namespace():
    sent = messages_for(copy(path("file:/a", "x"), path("file:/b", "x")))
    schemas = of_type(sent, "avro_schema")
    assert [name(schema) for schema in schemas] == ["file:/b#schema@prod", "file:/a#schema@prod"]
    assert [ends(schema, "associatedEntities") for schema in schemas] == [["file:/b@prod"], ["file:/a@prod"]]
    assert {(s["attributes"]["type"], s["attributes"]["namespace"]) for s in schemas} == {("record", "parquet")}


def test_r26_every_character_is_ascii():
    strange = table("größe", "naïve", "列", "😀", "\ud83d", comment='"\\\x00\u2028')
    (message,) = messages_for(copy(strange, strange, job="Übersicht", query_text="select '…'"))
    assert message.value.isascii()
    assert {entity["attributes"]["name"] for entity in of_type([message], "spark_column")} == {
        "naïve",
        "列",
        "😀",
        "\ud83d",
    }


def test_r27_entity_occurs_once_in_a_message():
    shared = [table("a", "x"), table("b", "x"), table("a", "x")]
    sent = entities(messages_for(process(shared, [table("a", "x")])))
    names = [(entity["typeName"], name(entity)) for entity in sent]
    assert len(set(names)) == len(names)


def test_r28_unknown_attributes_are_absent():
    sent = messages_for(process([table("t", columns=(Column(name="c"),))], [path("file:/p")]))
    known = {entity["typeName"]: set(entity["attributes"]) - {"qualifiedName", "name"} for entity in entities(sent)}
    assert known == {
        "spark_db": {"clusterName"},
        "spark_table": set(),
        "spark_column": {"type", "nullable"},
        "fs_path": {"path"},
        "spark_application": {"currentUser", "remoteUser", "description"},
        "spark_process": {"executionId", "currUser", "remoteUser", "description", "details"},
    }
    assert ":null" not in sent[0].value


def test_r4_every_type_is_one_that_the_typedefs_define():
    from sac_kafka.atlas.types.definitions import types_def

    defined = {each["name"] for each in types_def()["entityDefs"]}
    kinds = [
        ORDERS,
        TOTALS,
        *(path(f"{scheme}://there/a/b", "c") for scheme in ("s3a", "gs", "abfss", "ofs", "file", "wasbs")),
        TopicDataset(topic="t", columns=columns("value")),
        RdbmsDataset(rdbms_type="h2", database="d", table="t", columns=columns("c")),
        HBaseDataset(namespace="n", table="t", columns=columns("c")),
    ]
    used = {entity["typeName"] for kind in kinds for entity in entities(messages_for(copy(kind, TOTALS)))}
    assert len(used) > 20
    assert used <= defined


def test_r17_table_that_is_dropped_and_created_again_is_updated():
    happened = iter([[TableDropped(table=ORDERS)], [TableDefined(table=ORDERS)], [TableDropped(table=table("other"))]])
    pipeline = Pipeline(CONTEXT)
    pipeline._actions = SimpleNamespace(add=lambda _: iter(next(happened)))
    line = Projected(event=None, notes={}, microseconds=0)
    steps = [step for n in range(3) for step in pipeline.steps(line, NOW + n)]
    assert [step.outcome for step in (*steps, *pipeline.held())] == [
        TableDefined(table=ORDERS),
        TableDropped(table=table("other")),
    ]


def test_r18_columns_and_storage_are_renamed_with_their_table():
    old, new = ORDERS, dataclasses.replace(ORDERS, name="sold")
    sent = [json.loads(message.value)["message"] for message in messages_for(TableRenamed(old=old, new=new))]
    renamed = {name(body["entityId"]) for body in sent if body["type"] == "ENTITY_PARTIAL_UPDATE_V2"}
    assert renamed == {name(entity) for entity in entities(messages_for(TableDefined(table=old)))} - {"sales@prod"}


def test_r19_partial_updates_only_of_what_was_sent():
    remembered = Remembered(max_age_ms=DAY)
    changed = TableDefined(table=dataclasses.replace(ORDERS, comment="changed"))
    first = messages_for(TableDefined(table=ORDERS), remembered)
    assert [message.type for message in messages_for(changed, remembered)] == ["ENTITY_CREATE_V2"]
    for message in first:
        remembered.confirm(message.tokens, NOW)
    assert [message.type for message in messages_for(changed, remembered)] == ["ENTITY_PARTIAL_UPDATE_V2"]


@pytest.mark.bad_messages("the classification is the user's: the judge does not know it")
def test_r20_classifications_only_where_the_user_names_them():
    assert all("classifications" not in entity for entity in entities(messages_for(ORDINARY)))
    named = messages_for(ORDINARY, classifications=(Classification("PII"),))
    assert [e["typeName"] for e in entities(named) if "classifications" in e] == ["spark_process"]
    classifications = [e["classifications"] for e in entities(named) if "classifications" in e]
    assert classifications == [[{"typeName": "PII", "propagate": True}]]  # else a server keeps it where it is


@pytest.mark.bad_messages("the classification is the user's: the judge does not know it")
def test_classifications_with_attributes_and_periods():
    periods = (ValidityPeriod("2026/01/01 00:00:00", "", "Europe/Berlin"),)
    named = messages_for(
        ORDINARY, classifications=(Classification("PII", (("level", "high"),), propagates=False, periods=periods),)
    )
    assert [e["classifications"] for e in entities(named) if "classifications" in e] == [
        [
            {
                "typeName": "PII",
                "propagate": False,
                "attributes": {"level": "high"},
                "validityPeriods": [{"startTime": "2026/01/01 00:00:00", "timeZone": "Europe/Berlin"}],
            }
        ]
    ]


def test_r24_message_is_never_split():
    wide = [f"column_{n}" for n in range(200)]
    sent = messages_for(copy(table("wide", *wide), path("hdfs://nn1/wide", *wide)), message_max_bytes=50_000)
    assert len(sent) > 1
    for message in sent:
        envelope = json.loads(message.value)
        assert (envelope["msgSplitIdx"], envelope["msgSplitCount"], envelope["msgCompressionKind"]) == (1, 1, "NONE")
        assert len(message.value) <= 50_000


def test_r25_nested_objects_of_the_older_form_carry_json_class():
    body = json.loads(messages_for(ORDINARY, message_form=MessageForm.V1)[0].value)["message"]
    assert len(body["entities"]) > 5
    for entity in body["entities"]:
        objects = [entity, entity["id"], *(v for v in entity["values"].values() if isinstance(v, dict) and "id" in v)]
        assert all(each["jsonClass"].startswith("org.apache.atlas.typesystem.json.") for each in objects)


def test_r29_tables_of_a_hive_hook_have_their_identity_only():
    sent = messages_for(copy(ORDERS, TOTALS), naming=dataclasses.replace(CONTEXT.naming, table_model=TableModel.HIVE))
    assert of_type(sent, "spark_table", "spark_db", "spark_column") == []
    (hive,) = of_type(sent, "hive_table")
    assert hive["attributes"].keys() == {"qualifiedName", "name"}
    (database,) = of_type(sent, "hive_db")
    assert database["attributes"].keys() == {"qualifiedName", "name", "clusterName"}


def test_every_cited_rule_is_documented_and_tested():
    root = Path(__file__).parents[3]
    page = {int(n) for n in re.findall(r"^\| R(\d+) \|", (root / "docs" / "sender-rules.md").read_text("utf-8"), re.M)}
    assert page == set(range(1, 31))
    files = [*root.glob("sac_kafka/**/*.py"), *root.glob("tests/**/*.py")]
    cited = {int(n) for file in files for n in re.findall(r"\bR(\d{1,2})\b", file.read_text("utf-8"))}
    assert cited <= page
    tested = {int(n) for n in re.findall(r"def test_r(\d+)_", Path(__file__).read_text("utf-8"))}
    assert tested == page - {30}
