"""`sac-kafka doctor` and `config` for the Data Map: what they find, without telling it anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sac_kafka.purview.types import BUILT_IN, OWN, definitions
from sac_kafka.settings.files.finding import FILE_NAME
from sac_kafka.tools.cli.main import main
from tests.unit.purview.types_server import TypeDefinitions
from tests.unit.transport.http.data_map_server import DataMap, DataMapHttpServer, Reply

Doctor = Callable[..., tuple[int, dict[str, tuple[str, str]]]]


@pytest.fixture
def doctor(
    account: DataMap,
    server: DataMapHttpServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Doctor:
    """Runs `sac-kafka doctor`; the status, and the verdict and text of each step."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)

    def run(*lines: str) -> tuple[int, dict[str, tuple[str, str]]]:
        common = (
            "atlas.client.type=purview",
            f"atlas.rest.address={server.address}",
            f"atlas.hook.spark.rest.token={account.token}",
            f"atlas.hook.spool.dir={tmp_path / 'spool'}",
            "atlas.metadata.namespace=dev",
        )
        (tmp_path / FILE_NAME).write_text("\n".join((*common, *lines)))
        status = main(["doctor", "--timeout", "5"])
        printed = capsys.readouterr().out
        assert account.token not in printed
        steps = [(line[:5].strip(), *line[6:].split(None, 1)) for line in printed.splitlines()]
        return status, {name: (verdict, text) for verdict, name, text in steps}

    return run


def test_an_account_that_takes_messages(doctor: Doctor, account: DataMap, server: DataMapHttpServer) -> None:
    account.more = TypeDefinitions(definitions([BUILT_IN])).answer
    status, steps = doctor()
    assert status == 0
    assert steps["log-in"] == ("ok", f"{server.address} answers, and accepts the token")
    verdict, text = steps["permission"]
    assert verdict == "ok"
    assert text.startswith(
        "writing no entity to the root collection is not forbidden; permission to write one can only"
    )
    assert account.stored == {}
    assert [each.body["entities"] for each in account.requests if each.method == "POST"] == [[]]


def test_a_token_that_is_refused(doctor: Doctor, account: DataMap) -> None:
    account.expired = True
    status, steps = doctor()
    assert status == 1
    assert steps["log-in"][0] == "FAIL"
    assert "the token is refused: check atlas.hook.spark.entra.*" in steps["log-in"][1]
    assert "permission" not in steps


def test_a_log_in_that_may_read_but_not_write(doctor: Doctor, account: DataMap) -> None:
    forbidden = {"errorCode": "ATLAS-403-00-001", "errorMessage": "x is not authorized to perform create entity"}
    account.replies = [None, Reply(403, forbidden)]
    status, steps = doctor()
    assert status == 1
    assert steps["log-in"][0] == "ok"
    assert "give it the role Data Curator" in steps["permission"][1]


def test_a_collection_by_the_name_that_is_shown(doctor: Doctor) -> None:
    status, steps = doctor("atlas.hook.spark.purview.collection=Sales")
    assert status == 1
    assert "give the collection's id, not the name that is shown" in steps["permission"][1]


def test_an_address_of_something_else(doctor: Doctor, account: DataMap) -> None:
    account.bases = ()
    status, steps = doctor()
    assert status == 1
    assert (
        "there is no Data Map: check atlas.rest.address; it is https://ACCOUNT.purview.azure.com" in steps["log-in"][1]
    )


@pytest.mark.parametrize(
    ("families", "kind", "verdict", "expected"),
    [
        ([BUILT_IN, OWN], "own", "ok", "has all types"),
        ([BUILT_IN], "own", "FAIL", "; run sac-kafka types apply"),
        ([BUILT_IN], "built-in", "ok", "has all types"),
        ([OWN], "built-in", "warn", "; messages with these types are rejected"),
    ],
)
def test_type_definitions_are_checked(
    doctor: Doctor, account: DataMap, families: list[str], kind: str, verdict: str, expected: str
) -> None:
    account.more = TypeDefinitions(definitions(families)).answer
    status, steps = doctor(f"atlas.hook.spark.purview.process.types={kind}")
    assert status == (verdict == "FAIL")
    assert steps["types"][0] == verdict
    assert steps["types"][1].endswith(expected)


def test_the_configuration_is_shown_without_its_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], account: DataMap
) -> None:
    monkeypatch.chdir(tmp_path)
    conf = {
        "atlas.client.type": "purview",
        "atlas.rest.address": "https://contoso.purview.azure.com/catalog",
        "atlas.hook.spark.rest.token": account.token,
        "atlas.hook.spark.purview.collection": "abc123",
    }
    assert main(["config", *(word for key, value in conf.items() for word in ("--conf", f"{key}={value}"))]) == 0
    printed = capsys.readouterr().out
    assert "purview https://contoso.purview.azure.com (with a token), into collection abc123" in printed
    assert account.token not in printed
