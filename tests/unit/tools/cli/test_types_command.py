"""`sac-kafka types` with a server on loopback: print, diff, apply, and every failure.

The examples of docs/types.md and the one of docs/bridge.md are run here.
"""

from __future__ import annotations

import copy
import json

import pytest

from sac_kafka.atlas.types.definitions import families, types_def

OURS = types_def()
EVERYTHING = {each["name"] for definitions in OURS.values() for each in definitions}


@pytest.fixture
def run(types_server, monkeypatch, cli):
    """Return a function that runs `sac-kafka types …` as a known user."""
    monkeypatch.setenv("ATLAS_PASSWORD", "s3cret")

    def command(*arguments, server=None, user=("--user", "admin")):
        address = () if arguments[0] == "print" else ("--server", server or types_server.address, *user)
        result = cli("types", *arguments, *address)
        assert not [secret for secret in ("s3cret", "t0ken") if secret in result.out + result.err]
        return result

    return command


def _definition(types, name):
    return next(each for definitions in types.values() for each in definitions if each["name"] == name)


def _drop(definition, attribute):
    definition["attributeDefs"] = [each for each in definition["attributeDefs"] if each["name"] != attribute]


def test_print_is_all_definitions(run):
    output = run("print").text(0)
    assert json.loads(output) == OURS


def test_print_of_families(run):
    _, output, _ = run("print", "--family", "spark, kafka")
    names = {each["name"] for definitions in json.loads(output).values() for each in definitions}
    assert {"spark_table", "kafka_topic", "spark_table_columns"} <= names
    assert "hdfs_path" not in names


def test_apply_fills_an_empty_server_family_by_family(run, types_server):
    output = run("diff").text(1)
    assert f"{len(EVERYTHING)} missing types" in output
    output = run("apply").text(0)
    assert types_server.names() == EVERYTHING
    assert [method for method, *_ in types_server.requests] == ["GET", "GET", *["POST"] * len(families()), "GET"]
    status, output, _ = run("diff")
    assert (status, output) == (0, "no differences\n")


OWN = "sac_kafka_engine_process"
ASKED = ("--conf", "atlas.client.type=console", "--conf", "atlas.bridge.process.types=own")


@pytest.mark.parametrize(("asked", "is_created"), [((), False), (ASKED, True), (("--family", "bridge"), True)])
def test_our_own_type_is_created_only_if_asked_for(run, types_server, asked, is_created):
    types_server.types = copy.deepcopy(OURS)
    assert (OWN in run("diff", *asked).out) == is_created
    assert run("apply", *asked)[0] == 0
    assert (OWN in types_server.names()) == is_created
    assert run("diff", *asked)[:2] == (0, "no differences\n")


def test_apply_creates_missing_types_only(run, types_server):
    types_server.types = copy.deepcopy(types_def(families()[:-1]))
    types_server.definition("hdfs_path")["description"] = "theirs"
    assert run("apply")[0] == 0
    assert [method for method, *_ in types_server.requests].count("POST") == 1
    assert types_server.definition("hdfs_path")["description"] == "theirs"


def test_apply_of_a_family(run, types_server):
    types_server.types = copy.deepcopy(types_def(families()[:1]))
    assert run("apply", "--family", "fs")[0] == 0
    assert "hdfs_path" in types_server.names()
    assert "spark_table" not in types_server.names()


def _change_nothing(types):
    extra = copy.deepcopy(_definition(types, "spark_table"))
    types["entityDefs"].append({**extra, "name": "their_table"})
    extra["attributeDefs"].append({"name": "theirs", "typeName": "string"})
    _definition(types, "spark_table").update(extra, guid="1-2", description="theirs", typeVersion="7")


def _set(name, **changed):
    return lambda types: _definition(types, name).update(changed)


def _attribute(name, attribute, **changed):
    def change(types):
        next(a for a in _definition(types, name)["attributeDefs"] if a["name"] == attribute).update(changed)

    return change


def _end(name, end, **changed):
    return lambda types: _definition(types, name)[end].update(changed)


DIFFERENCES = {
    "nothing": (_change_nothing, None),
    "an attribute": (lambda t: _drop(_definition(t, "spark_process"), "queryText"), "spark_process.queryText: missing"),
    "a mandatory attribute": (
        lambda t: _drop(_definition(t, "hdfs_path"), "clusterName") or _drop(_definition(t, "fs_path"), "path"),
        "fs_path.path: missing attribute  (never changed)",
    ),
    "an element": (
        lambda t: _definition(t, "ozone_storage_type")["elementDefs"].pop(),
        "ozone_storage_type.ARCHIVE: missing element",
    ),
    "a struct's attribute": (lambda t: _drop(_definition(t, "aws_tag"), "value"), "aws_tag.value: missing attribute"),
    "the type of an attribute": (
        _attribute("spark_process", "executionId", typeName="int"),
        "spark_process.executionId: typeName is int, not long",
    ),
    "a mandatory one that is optional": (
        _attribute("fs_path", "path", isOptional=True),
        "fs_path.path: isOptional is True, not False",
    ),
    "a unique one": (_attribute("fs_path", "path", isUnique=True), "fs_path.path: isUnique is True, not False"),
    "a cardinality": (_attribute("Process", "inputs", cardinality="LIST"), "cardinality is LIST, not SET"),
    "a supertype": (_set("fs_path", superTypes=["DataSet"]), "fs_path: does not inherit from Path"),
    "a category": (
        _set("spark_table_columns", relationshipCategory="AGGREGATION"),
        "spark_table_columns: relationshipCategory is AGGREGATION, not COMPOSITION",
    ),
    "an end": (_end("spark_table_db", "endDef1", type="DataSet"), "spark_table_db.endDef1: type is DataSet"),
    "a container": (
        _end("spark_table_columns", "endDef1", isContainer=False),
        "spark_table_columns.endDef1: isContainer is False, not True",
    ),
}


ALONE = ("nothing", "a mandatory attribute")
"""Differences that hide others: each has a separate server, and the rest share one."""


@pytest.mark.parametrize(
    "names", [*((name,) for name in ALONE), tuple(each for each in DIFFERENCES if each not in ALONE)], ids=len
)
def test_diff_lists_differences(run, types_server, names):
    types_server.types = copy.deepcopy(OURS)
    for name in names:
        DIFFERENCES[name][0](types_server.types)
    wanted = [expected for name in names if (expected := DIFFERENCES[name][1]) is not None]
    output = run("diff").text(1 if wanted else 0)
    assert [each for each in wanted if not any(each in line for line in output.splitlines())] == [], output
    assert [method for method, *_ in types_server.requests] == ["GET"]


def test_update_adds_attributes_and_removes_none(run, types_server):
    types_server.types = copy.deepcopy(OURS)
    process, storage = types_server.definition("spark_process"), types_server.definition("ozone_storage_type")
    _drop(process, "queryText")
    process["attributeDefs"].append({"name": "theirs", "typeName": "string", "isOptional": True})
    process["guid"] = "1-2"
    storage["elementDefs"][-1] = {"value": "TAPE", "ordinal": 3}
    output = run("apply").text(0)
    assert "2 missing parts of types" in output
    assert not any(method in {"PUT", "POST"} for method, *_ in types_server.requests)
    output = run("apply", "--update").text(0)
    assert "no differences" in output
    names = {each["name"] for each in types_server.definition("spark_process")["attributeDefs"]}
    assert {"theirs", "queryText", "details"} <= names
    assert types_server.definition("spark_process")["guid"] == "1-2"
    elements = types_server.definition("ozone_storage_type")["elementDefs"]
    assert [(e["ordinal"], e["value"]) for e in elements][-2:] == [(3, "TAPE"), (4, "ARCHIVE")]


def test_differences_that_apply_cannot_fix_are_reported(run, types_server):
    types_server.types = copy.deepcopy(OURS)
    _set("fs_path", superTypes=["DataSet"])(types_server.types)
    output = run("apply", "--update").text(0)
    assert "does not inherit from Path" in output
    assert {method for method, *_ in types_server.requests} == {"GET"}


# ---- credentials


def test_a_token(run, types_server, monkeypatch):
    monkeypatch.setenv("ATLAS_TOKEN", "t0ken")
    assert run("apply", user=())[0] == 0
    assert types_server.requests[0][2]["Authorization"] == "Bearer t0ken"


def test_a_password_of_a_file(run, monkeypatch, tmp_path):
    monkeypatch.delenv("ATLAS_PASSWORD")
    (tmp_path / "password").write_text("s3cret\n")
    assert run("apply", "--password-file", str(tmp_path / "password"))[0] == 0


@pytest.mark.parametrize(
    ("environment", "arguments", "expected"),
    [
        ({}, ["--user", "admin"], "needs a password: set ATLAS_PASSWORD or give --password-file"),
        ({"ATLAS_PASSWORD": "x", "ATLAS_TOKEN": "t"}, ["--user", "admin"], "both given"),
        ({}, ["--user", "admin:hunter2"], "--user ********: has a colon: give the name alone, and the password in ATLAS_"),
        (
            {},
            ["--user", "admin", "--password-file", "/no/such"],
            "--password-file /no/such cannot be read: No such file or directory; name",
        ),
        ({}, ["--ca-file", "/no/such"], "--ca-file /no/such: No such file or directory; name a PEM file of certificates"),
    ],
)  # fmt: skip
def test_wrong_credentials_are_an_error(types_server, monkeypatch, cli, environment, arguments, expected):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    cli("types", "diff", "--server", types_server.address, *arguments).check(2, "", expected)


# ---- failures before a server is queried; for those of servers see test_server_errors.py


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("atlas.example.org", "is like https://"),
        ("ftp://atlas", "is like https://"),
        ("http://", "is like https://"),
        ("http://admin:hunter2@atlas:21000", "holds a user name or password"),
        ("http://atlas:port", "--server http://atlas:********: is no address"),
        ("http://admin:hunter2/x@atlas:21000", "--server http://********@atlas:21000: holds a user name or password: give"),
        ("http://atlas:21000/?token=hunter2", "without parameters"),
    ],
)  # fmt: skip
def test_wrong_address_is_an_error(run, address, expected):
    status, _, complaint = run("diff", server=address)
    assert status == 2
    assert expected in complaint
    assert "hunter2" not in complaint


def test_server_of_the_configuration_is_used(types_server, tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "conf" / "atlas-application.properties"
    file.parent.mkdir()
    login = "atlas.rest.basic.auth.username=admin\natlas.rest.basic.auth.password=s3cret\n"
    file.write_text(f"atlas.client.type=console\natlas.rest.address={types_server.address}\n{login}")
    assert cli("types", "apply", "--conf-dir", file.parent).status == 0
    assert cli("types", "diff", "--conf-file", file).status == 0
    monkeypatch.setenv("ATLAS_TOKEN", "t0ken")
    assert cli("types", "diff", "--conf-file", file).status == 0
    assert types_server.requests[-1][2]["Authorization"] == "Bearer t0ken"
    cli("types", "diff", "--conf", "atlas.client.type=console").check(
        2, "", "use --server URL or --conf atlas.rest.address=URL"
    )


@pytest.mark.parametrize("text", [None, "# nothing\n", "atlas.client.type=console\n"])
def test_without_a_server_the_fix_is_to_name_one(tmp_path, monkeypatch, cli, text):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    if text is not None:
        (tmp_path / "atlas-application.properties").write_text(text)
    result = cli("types", "diff")
    result.check(2, "", "use --server URL or --conf atlas.rest.address=URL")
    assert "bootstrap" not in result.err


def test_for_programs_a_difference_has_parts(run, types_server):
    output = run("diff", "--family", "fs", "--json").text(1)
    found = json.loads(output)["differences"]
    missing = {"kind": "entityDefs", "type": "hdfs_path", "place": "", "text": "missing", "fix": "create"}
    assert missing in found
    status, output, _ = run("apply", "--family", "fs", "--json")
    made = json.loads(output)
    assert (status, made["updated"], made["differences"]) == (0, [], [])
    assert set(made["created"]) == {each["type"] for each in found}
    types_server.definition("hdfs_path")["attributeDefs"].pop()
    _, output, _ = run("apply", "--family", "fs", "--json", "--update")
    assert json.loads(output) == {"created": [], "updated": ["hdfs_path"], "differences": []}
