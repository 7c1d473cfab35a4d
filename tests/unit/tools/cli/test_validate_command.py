# ruff: noqa: E501 # a fault is a row
"""`sac-kafka validate`: all messages of tests are valid (tests/helpers/schemas.py checks them with it), and each of these defects is found."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.types.definitions import types_def
from sac_kafka.atlas.wire.message import parts
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import MessageForm
from sac_kafka.tools.cli.main import main
from sac_kafka.tools.doctor.checks import trial_message
from sac_kafka.tools.validate.entities import problem_of
from sac_kafka.tools.validate.notifications import MessageValidator
from sac_kafka.tools.validate.type_model import TypeModel
from tests.helpers.judge.records import v1_flow
from tests.unit.atlas.flows import DAY, messages_for, process, table
from tests.unit.tools.cli.conftest import Cli, TypesServer
from tests.unit.tools.cli.other_hooks import query

GOLDEN = Path(__file__).parents[3] / "unit" / "atlas" / "golden"
FIRST = json.loads((GOLDEN / "first_sight.json").read_text())
MODEL = TypeModel(types_def())
NAMED = {"typeName": "spark_table", "uniqueAttributes": {"qualifiedName": "a.b@prod"}}
ENVELOPE = {"version": {"version": "1.0.0", "versionParts": [1]}}
# The entities of FIRST, by their places in it.
PATH, SCHEMA, FIELD, DB, TABLE, COLUMN, PROCESS, LINEAGE = 0, 1, 2, 4, 5, 7, 10, 11


def old_form() -> dict[str, Any]:
    flow = process([table("orders", "id")], [table("report", "id")])
    (message,) = messages_for(flow, Remembered(max_age_ms=DAY), message_form=MessageForm.V1)
    found: dict[str, Any] = json.loads(message.value)
    return found


def faults(message: object) -> list[str]:
    text = message if isinstance(message, str) else json.dumps(message)
    return [str(each) for each in MessageValidator(MODEL).violations(text)]


def entity(number: int, **changes: Any) -> Callable[[dict[str, Any]], None]:
    """Return a function that changes an entity: `attributes__x` is a key in a part of it, and ... removes it."""

    def change(message: dict[str, Any]) -> None:
        where = message["message"]["entities"]["entities"][number]
        for path, value in changes.items():
            *before, last = path.split("__")
            inner = where
            for each in before:
                inner = inner.setdefault(each, {})
            if value is ...:
                del inner[last]
            else:
                inner[last] = value

    return change


def envelope(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda message: message.update(changes)


def body(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda message: message["message"].update(changes)


def twice(message: dict[str, Any]) -> None:
    entities = message["message"]["entities"]["entities"]
    entities.append({**copy.deepcopy(entities[DB]), "guid": "-99"})


DANGLING = {"typeName": "spark_table", "guid": "-77", "uniqueAttributes": {"qualifiedName": "sales.orders@prod"}}
SAME = "hdfs_path hdfs://nn1/data/totals@prod"
ORDERS = "spark_table sales.orders@prod"
TOTALS = "daily load:hdfs://nn1/data/totals:23a61b32d576@prod"

BROKEN: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (envelope(version=None), "version.version = null: the server loses a message without a version, or with a later one (R1); send 1.0.0"),
    (envelope(version={"version": "2.0.0"}), 'version.version = "2.0.0": the server loses'),
    (envelope(message=7), "message = 7: not a notification"),
    (envelope(msgSplitCount=5), "msgSplitCount = 5: the message is whole: the server takes it for a part of one and loses it (R24); send 1, or the parts"),
    (body(type="TYPE_CREATE"), 'message.type = "TYPE_CREATE": unknown type of notification: the server loses the message (R3); send one of ENTITY_CREATE_V2'),
    (body(type=None), "message.type = null"),
    (body(entities=[1]), "message.entities = [1]: must be an object; correct it, or the server loses the whole message"),
    (lambda message: message["message"]["entities"]["entities"].append("x"), '"x": an entity must be an object'),
    (entity(TABLE, typeName="spark_tabel"), 'spark_tabel sales.orders@prod typeName = "spark_tabel": unknown type (R4)'),
    (entity(TABLE, typeName=None), "None sales.orders@prod typeName = null: unknown type"),
    (entity(PATH, attributes__name=...), f"{SAME} name: mandatory attribute of hdfs_path is missing (R5); send a value"),
    (entity(PATH, attributes__qualifiedName=...), "hdfs_path (no qualifiedName) qualifiedName: mandatory attribute of hdfs_path is missing (R5)"),
    (entity(PATH, attributes__path=None), f"{SAME} path: mandatory attribute of hdfs_path is missing (R5)"),
    (entity(COLUMN, relationshipAttributes__table=...), "spark_column sales.orders.id@prod table: the entity must reference its owner (R6); send a reference to a spark_table"),
    (entity(TABLE, attributes__createTime="yesterday"), f'{ORDERS} createTime = "yesterday": must be epoch milliseconds (R7); send a value of type date'),
    (entity(PROCESS, attributes__executionId="seven"), f'spark_process {TOTALS} executionId = "seven": must be a 64-bit integer (R7)'),
    (entity(PROCESS, attributes__executionId=2**63), "must be a 64-bit integer (R7)"),
    (entity(PATH, attributes__description={"a": 1}), f'{SAME} description = {{"a": 1}}: must be a string (R7); send a value of type string'),
    (entity(TABLE, attributes__partitionColumnNames="day"), f'{ORDERS} partitionColumnNames = "day": must be a list (R7)'),
    (entity(TABLE, attributes__partitionColumnNames=[["day"]]), "invalid element: must be a string (R7)"),
    (entity(TABLE, attributes__parameters=["a"]), f'{ORDERS} parameters = ["a"]: must be a map (R7)'),
    (entity(COLUMN, attributes__nullable="maybe"), 'nullable = "maybe": must be true or false (R7)'),
    (entity(PROCESS, relationshipAttributes__inputs=NAMED), "inputs = {"),
    (entity(TABLE, relationshipAttributes__db=[{"typeName": "spark_db", "guid": "-5"}]), f"{ORDERS} db = [{{"),
    (entity(PROCESS, relationshipAttributes__inputs=[{"typeName": "spark_storagedesc", "guid": "-7"}]), 'inputs = "spark_storagedesc": must reference a DataSet (R9); reference an entity of this type'),
    (entity(PROCESS, relationshipAttributes__outputs=[DANGLING]), 'outputs = "-77": no entity of the message has this guid (R10); include the entity, or reference it by uniqueAttributes only'),
    (entity(TABLE, relationshipAttributes__db={"typeName": "spark_db"}), f"{ORDERS} db = null: the reference has no guid and no unique attribute (R10); send uniqueAttributes with qualifiedName"),
    (entity(TABLE, relationshipAttributes__db={"typeName": "spark_db", "uniqueAttributes": {"name": "sales"}}), "the reference has no guid and no unique attribute"),
    (entity(TABLE, relationshipAttributes__db={"typeName": "spark_db", "uniqueAttributes": {"qualifiedName": 5}}), "unique attributes must be strings (R7)"),
    (entity(TABLE, relationshipAttributes__db="sales"), f'{ORDERS} db = "sales": must be a reference (R7)'),
    (entity(PROCESS, relationshipAttributes__inputs=[{"typeName": "DataSet", "guid": "-6"}]), 'inputs.typeName = "DataSet": the type of the entity with guid -6 is spark_table (R10); send spark_table'),
    (entity(PROCESS, relationshipAttributes__inputs=[{**NAMED, "typeName": "nothing"}]), 'inputs.typeName = "nothing": unknown type (R4)'),
    (entity(PROCESS, relationshipAttributes__inputs=[{**NAMED, "relationshipType": "spark_table_db"}]), 'inputs.relationshipType = "spark_table_db": spark_process.inputs is not an end of this relationship (R28); send dataset_process_inputs'),
    (entity(PROCESS, relationshipAttributes__reads=[NAMED]), "reads = [{"),
    (entity(PATH, attributes__pathh="x"), f'{SAME} pathh = "x": unknown attribute of hdfs_path: the server ignores it (R28); correct its name or remove it'),
    (entity(PATH, classifications=[{"typeName": "PII"}]), f'{SAME} classifications = "PII": unknown classification (R20)'),
    (entity(PATH, labels=["no blanks"]), f'{SAME} labels = "no blanks": may contain only A-Z a-z 0-9 _ -, at most 50 characters (R21); rename it'),
    (entity(PATH, customAttributes={"a.b": "x"}), f'{SAME} customAttributes = "a.b": may contain only'),
    (entity(PATH, customAttributes={"a": "x" * 501}), f"{SAME} customAttributes.a = "),
    (entity(PATH, customAttributes={"a": ["x"]}), 'message.entities.entities[0].customAttributes = {"a": ["x"]}: must be an object with string values'),
    (entity(PATH, customAttributes=["x"]), 'customAttributes = ["x"]: must be an object with string values'),
    (entity(PATH, attributes__owner="o" * 32_768), "32,768 characters: the server truncates indexed strings at 32,766 (R22); shorten it"),
    (entity(DB, guid="-1"), f'spark_db sales@prod guid = "-1": {SAME} has the same guid (R27); send a different guid for each entity'),
    (twice, "spark_db sales@prod: duplicate entity: only the last one counts (R27); send it once"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "expected"), BROKEN, ids=[expected[:60] for _, expected in BROKEN])
def test_violation_has_its_place_rule_and_fix(change: Callable[[dict[str, Any]], None], expected: str) -> None:
    message = copy.deepcopy(FIRST)
    change(message)
    found = faults(message)
    assert any(expected in each for each in found), found
    assert len(found) <= 5, found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "invalid JSON"),
        ("[1]", "[1]: not a JSON object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"version": {"version": "1.0.0"}}', "message.type = null"),
    ],
)
def test_invalid_message(text: str, expected: str) -> None:
    assert any(expected in each for each in faults(text))


OLD = {"type": "ENTITY_DELETE", "typeName": "spark_table", "attribute": "qualifiedName", "attributeValue": "a.b@prod"}
UPDATE = {
    "type": "ENTITY_PARTIAL_UPDATE_V2",
    "entityId": NAMED,
    "entity": {"entity": {"typeName": "spark_table", "attributes": {"comment": "x"}}},
}
RENAMED = {
    **OLD,
    "type": "ENTITY_PARTIAL_UPDATE",
    "entity": {"typeName": "spark_table", "id": {"id": "-1"}, "values": {"comment": "x"}},
}


@pytest.mark.parametrize(
    ("notification", "expected"),
    [
        ({"type": "ENTITY_DELETE_V2", "entities": [NAMED]}, ""),
        ({"type": "ENTITY_DELETE_V2", "entities": []}, "must be a list of references to the deleted entities"),
        ({"type": "ENTITY_DELETE_V2", "entities": ["x"]}, "must be typeName and uniqueAttributes"),
        ({"type": "ENTITY_DELETE_V2", "entities": [{**NAMED, "typeName": "x"}]}, "unknown type"),
        ({"type": "ENTITY_DELETE_V2", "entities": [{"typeName": "spark_table"}]}, "no unique attribute identifies the entity (R10)"),
        (OLD, ""),
        ({**OLD, "attribute": "name"}, "no unique attribute identifies the entity (R10); send uniqueAttributes with qualifiedName"),
        (UPDATE, ""),
        ({**UPDATE, "entity": {}}, "message.entity.entity = null: must be an entity"),
        ({**UPDATE, "entityId": None}, "message.entityId = null"),
        ({**UPDATE, "entityId": {**NAMED, "typeName": "hive_table"}}, "the updated entity has another type, hive_table"),
        ({**UPDATE, "entity": {"entity": {"typeName": "spark_table", "attributes": {"coment": "x"}}}}, "unknown attribute of spark_table"),
        (RENAMED, ""),
        ({**RENAMED, "entity": None}, "message.entity = null: must be an entity"),
    ],
)  # fmt: skip
def test_changes_and_deletions(notification: dict[str, Any], expected: str) -> None:
    found = faults({**ENVELOPE, "message": notification})
    assert any(expected in each for each in found) if expected else found == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"typeName":"spark_table"', '"typeName":"spark_tabel"', "unknown type (R4)"),
        ('"jsonClass"', '"class"', "nested objects of the V1 form must state their class (R25); send jsonClass"),
        ('"name":"orders"', '"nam":"orders"', "name: mandatory attribute of spark_table is missing (R5)"),
    ],
)
def test_the_older_form(old: str, new: str, expected: str) -> None:
    message = json.dumps(old_form(), separators=(",", ":"))
    assert faults(message) == []
    assert old in message
    assert any(expected in each for each in faults(message.replace(old, new)))


def test_guid_of_an_earlier_message_is_recognised() -> None:
    validator = MessageValidator(MODEL)
    first = copy.deepcopy(FIRST)
    assert list(validator.violations(json.dumps(first))) == []
    first["message"]["entities"]["entities"] = [first["message"]["entities"]["entities"][PROCESS]]
    found = [str(each) for each in validator.violations(json.dumps(first))]
    assert any("only an earlier message has it, and guids are valid within one message" in each for each in found)


@pytest.mark.parametrize("doubtful", ['"täglich"', '"x", "user": "y"'])
def test_doubts_are_no_faults(tmp_path: Path, cli: Cli, doubtful: str) -> None:
    text = json.dumps(FIRST).replace('"user": "alice"', f'"user": {doubtful}', 1)
    (tmp_path / "x").write_text(text)
    result = cli("validate", tmp_path / "x")
    assert result.status == 0
    assert result.out.startswith("doubt  line 1: ")
    assert "valid, 1 doubt" in result.err


def test_message_of_the_doctor_is_valid_and_not_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cli: Cli
) -> None:
    nothing = json.dumps(FIRST | {"message": json.loads(trial_message(Settings()))["message"]})
    (tmp_path / "x").write_text(nothing)
    result = cli("validate", tmp_path / "x")
    assert result.status == 0
    assert result.out.startswith("doubt  line 1: message.entities.entities = []: no entities")
    assert result.err.endswith(
        "1 message of " + f"{tmp_path / 'x'}, 0 entities, by the types of Atlas: valid, 1 doubt\n"
    )
    (tmp_path / "x").write_text(f'{nothing}\n{{"message": {{}}}}')
    assert main(["validate", str(tmp_path / "x")]) == 1
    assert ": 2 wrong in 1 place, 1 doubt\n" in capsys.readouterr().err


def test_each_violation_is_a_line_and_secrets_are_masked(tmp_path: Path, cli: Cli) -> None:
    message = copy.deepcopy(FIRST)
    entity(TABLE, attributes__createTime="jdbc:x://h?password=hunter2", attributes__comment=["\x1b[31m"])(message)
    first, second = json.dumps(FIRST), json.dumps(message)
    (tmp_path / "x").write_text(f"{first}\n{second}")
    expected = cli("validate", tmp_path / "x", "--max-bytes", str(len(first.encode())))
    assert expected.status == 1
    assert [line[:15] for line in expected.out.splitlines()] == ["wrong  line 2: "] * 3
    assert "hunter2" not in expected.out
    assert "\x1b" not in expected.out
    assert "record of" in expected.out
    assert expected.err == (
        f"sac-kafka validate: 2 messages of {tmp_path / 'x'}, 26 entities, by the types of Atlas: 3 wrong in 1 place\n"
    )


def test_as_json(tmp_path: Path, cli: Cli) -> None:
    message = copy.deepcopy(FIRST)
    entity(PATH, attributes__name=...)(message)
    (tmp_path / "x").write_text(json.dumps(message))
    found = cli("validate", tmp_path / "x", "--json").json(1)
    assert (found["messages"], found["entities"], found["wrong"], found["doubts"]) == (1, 13, 1, 0)
    assert found["violations"] == [
        {
            "place": "line 1",
            "problem": "mandatory attribute of hdfs_path is missing",
            "fix": "send a value",
            "entity": SAME,
            "attribute": "name",
            "value": "",
            "rule": "R5",
            "is_doubt": False,
        }
    ]


def test_missing_parts_are_a_violation(tmp_path: Path, cli: Cli) -> None:
    cut = parts(json.dumps(FIRST), max_bytes=3000, compresses=False)
    (tmp_path / "x").write_text("\n".join(each.decode() for each in cut))
    assert main(["validate", str(tmp_path / "x")]) == 0
    (tmp_path / "x").write_text("\n".join(each.decode() for each in cut[1:]))
    assert "the end: 1 message with missing parts (R24); send all parts" in cli("validate", tmp_path / "x").text(1)


def test_types_are_read_from_a_server(
    tmp_path: Path, cli: Cli, types_server: TypesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATLAS_PASSWORD", "s3cret")
    (tmp_path / "x").write_text(json.dumps(FIRST))
    types_server.types = types_def(["base", "fs", "avro"])
    arguments = ["validate", str(tmp_path / "x"), "--server", types_server.address, "--user", "admin"]
    assert 'spark_table sales.orders@prod typeName = "spark_table": unknown type' in cli(*arguments).text(1)
    types_server.types = types_def()
    assert main(arguments) == 0


def test_a_model_of_files_with_patches(tmp_path: Path, capsys: pytest.CaptureFixture[str], cli: Cli) -> None:
    folder = tmp_path / "models"
    (folder / "patches").mkdir(parents=True)
    (folder / "base.json").write_text(json.dumps(types_def()))
    hive = {"superTypes": ["Process"], "attributeDefs": [{"name": "userName", "typeName": "string"}]}
    lineage = [("expression", "string"), ("query", "hive_process")]
    types = [
        {"name": "hive_process", **hive},
        {
            "name": "hive_column_lineage",
            "superTypes": ["Process"],
            "attributeDefs": [{"name": n, "typeName": t} for n, t in lineage],
        },
    ]
    (folder / "hive.json").write_text(json.dumps({"entityDefs": types}))
    (tmp_path / "x").write_text(query())
    arguments = ["validate", str(tmp_path / "x"), "--model", str(folder)]
    out = cli(*arguments).text(1)
    assert "depenendencyType" in out
    patch = {
        "typeName": "hive_column_lineage",
        "action": "ADD_ATTRIBUTE",
        "attributeDefs": [{"name": "depenendencyType", "typeName": "string"}],
    }
    (folder / "patches" / "001.json").write_text(json.dumps({"patches": [patch]}))
    main(arguments)
    assert "depenendencyType" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, "No such file"),
        ("{", "invalid JSON"),
        ("{}", "no entity types; name a JSON file of type definitions"),
    ],
)
def test_unreadable_model(tmp_path: Path, cli: Cli, text: str | None, expected: str) -> None:
    if text is not None:
        (tmp_path / "model").write_text(text)
    (tmp_path / "x").write_text("")
    cli("validate", tmp_path / "x", "--model", tmp_path / "model").check(2, "", expected)


@pytest.mark.parametrize(
    ("value", "type_name", "problem"),
    [
        ("KING", "hive_principal_type", "must be one of GROUP, ROLE, USER"),
        ("user", "hive_principal_type", ""),
        ("2026-11-20T09:11:42.000Z", "date", ""),
        ("1795165902386", "date", ""),
        (True, "int", "must be a 32-bit integer"),
        ("9" * 100_000, "long", "must be a 64-bit integer"),
        ("1e3", "double", ""),
        ("x", "float", "must be a number"),
        ({"a": {}}, "map<string,string>", "invalid value of key a: must be a string"),
        ({"name": "s"}, "hive_serde", ""),
        ("s", "hive_serde", "must be an object of type hive_serde"),
        ({"order": 1}, "hive_order", "mandatory attribute col is missing"),
        ({"col": "c", "order": "up"}, "hive_order", "invalid attribute order: must be a 32-bit integer"),
        (None, "string", ""),
    ],
)
def test_values(value: object, type_name: str, problem: str) -> None:
    assert problem_of(value, type_name, MODEL) == problem


def test_names_are_shown_unchanged_except_for_secrets(tmp_path: Path, cli: Cli) -> None:
    names = ("QUERY:db.t@c:1795165902386", "jdbc:postgresql://bob:hunter2@db/x", "größe.t@c")
    entities = [{"typeName": "spark_tabel", "attributes": {"qualifiedName": name}} for name in names]
    message = {**ENVELOPE, "message": {"type": "ENTITY_CREATE_V2", "entities": {"entities": entities}}}
    (tmp_path / "x").write_text(json.dumps(message))
    for options in ([], ["--json"]):
        out = cli("validate", tmp_path / "x", *options).text(1)
        shown = json.loads(out)["violations"] if options else out.splitlines()
        for name, each in zip(
            ("QUERY:db.t@c:1795165902386", "jdbc:postgresql://********@db/x", "größe.t@c"), shown, strict=True
        ):
            assert f"spark_tabel {name}" in (each["entity"] if options else each)
        assert "hunter2" not in out


GUID = "7c8ebc2e-4e0b-4b3f-9b0e-3c1f4c2b5a10"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"type": "ENTITY_PARTIAL_UPDATE_V2", "entityId": {"guid": GUID}}, 0),
        ({"type": "ENTITY_PARTIAL_UPDATE_V2", "entityId": {"guid": "-1"}}, 2),
        ({"type": "ENTITY_DELETE_V2", "entities": [{"guid": GUID, "typeName": "spark_table"}]}, 1),
    ],
)
def test_a_guid_of_the_server_names_what_is_updated_and_not_what_is_deleted(body: dict[str, Any], found: int) -> None:
    entity = {"entity": {"entity": {"typeName": "spark_table", "attributes": {"comment": "x"}}}}
    given = {**ENVELOPE, "message": {**body, **(entity if "entityId" in body else {})}}
    assert len(faults(given)) == found


def test_a_reference_by_a_guid_of_the_server_needs_no_type() -> None:
    message = copy.deepcopy(FIRST)
    entity(PROCESS, relationshipAttributes__inputs=[{"guid": GUID}])(message)
    assert faults(message) == []


def test_invalid_model_file_does_not_affect_the_others(tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "0-types.json").write_text(json.dumps(types_def()))
    (folder / "1-broken.json").write_text("{")
    (folder / "2-odd.json").write_text(json.dumps({"entityDefs": [{"typeName": "x"}, 5], "patches": 5}))
    (tmp_path / "x").write_text(json.dumps(FIRST))
    expected = cli("validate", tmp_path / "x", "--model", folder)
    assert expected.status == 0
    assert f"{folder / '1-broken.json'}: invalid JSON: " in expected.err
    assert "; skipped\n" in expected.err


def test_text_after_a_message_is_a_doubt() -> None:
    (violation,) = MessageValidator(MODEL).violations(f"{json.dumps(FIRST)} and more")
    assert violation.is_doubt
    assert str(violation).startswith('"and more": text after the message: the server ignores it')


def test_a_message_of_the_older_form_may_hold_whole_entities() -> None:
    assert faults(v1_flow()) == []
    validator = MessageValidator(MODEL)
    assert list(validator.violations(v1_flow())) == []
    assert validator.entities == 3
