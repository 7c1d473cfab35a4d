"""`sac-kafka types` on the real server, which has started with our definitions."""

from __future__ import annotations

import pytest

from sac_kafka.atlas.types.definitions import KINDS
from sac_kafka.catalog.server import Access, AtlasServer
from sac_kafka.tools.cli import main as command_line
from sac_kafka.tools.cli import types
from sac_kafka.tools.cli.main import main
from sac_kafka.transport.http.failures import TYPEDEFS

pytestmark = pytest.mark.atlas


@pytest.fixture
def run(atlas_server, monkeypatch, capsys):
    monkeypatch.setenv("ATLAS_PASSWORD", atlas_server.password)

    def command(*arguments):
        status = main(["types", *arguments, "--server", atlas_server.url, "--user", atlas_server.user])
        printed = capsys.readouterr()
        assert printed.err == ""
        return status, printed.out

    return command


def test_a_server_started_with_the_types_has_all(run):
    assert run("diff") == (0, "no differences\n")


def test_a_wrong_password_is_reported(atlas_server, monkeypatch, capsys):
    monkeypatch.setenv("ATLAS_PASSWORD", "wrong")
    assert main(["types", "diff", "--server", atlas_server.url, "--user", atlas_server.user]) == 2
    assert "HTTP 401" in capsys.readouterr().err


def _definitions(*attributes: str) -> dict[str, list[dict[str, object]]]:
    """Return a family of one type that this test makes."""
    flags = {"cardinality": "SINGLE", "isOptional": True, "isUnique": False, "isIndexable": False}
    made = {
        "name": "tried_table",
        "description": "A type that this test makes.",
        "superTypes": ["DataSet"],
        "attributeDefs": [{"name": name, "typeName": "string", **flags} for name in attributes],
        "serviceType": "tried",
        "typeVersion": "1.0",
    }
    return {**{kind: [] for kind in KINDS}, "entityDefs": [made]}


def test_apply_makes_a_type_and_adds_an_attribute(run, atlas_server, monkeypatch):
    """Send definitions to a real server: a new type, then one more attribute."""

    def known(*attributes: str) -> None:
        monkeypatch.setattr(types, "types_def", lambda _families: _definitions(*attributes))

    monkeypatch.setattr(types, "_families", lambda _text: ("tried",))
    monkeypatch.setattr(command_line, "parser", command_line.parser.__wrapped__)  # not one that knows the real families
    known("first")
    assert run("apply", "--family", "tried")[0] == 0
    assert run("diff", "--family", "tried")[0] == 0
    known("first", "second")
    status, printed = run("diff", "--family", "tried")
    assert status == 1
    assert "tried_table.second: missing attribute  (apply --update adds it)" in printed
    assert run("apply", "--update", "--family", "tried")[0] == 0
    access = Access(addresses=(atlas_server.url,), user=atlas_server.user, password=atlas_server.password)
    server = AtlasServer(access)
    (made,) = [each for each in server.get(TYPEDEFS)["entityDefs"] if each["name"] == "tried_table"]
    assert {each["name"] for each in made["attributeDefs"]} == {"first", "second"}
    assert made["superTypes"] == ["DataSet"]
