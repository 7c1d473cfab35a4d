"""`sac-kafka types` with a Purview account on loopback: print, diff, apply, log-in and errors."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.purview.types import BUILT_IN, OWN, SPARK, definitions
from sac_kafka.tools.cli import purview_server
from sac_kafka.tools.cli.main import main
from sac_kafka.tools.cli.purview_server import account_address, checked_address, is_purview
from stack.certificates import make_certificates
from tests.unit.purview.types_server import TypeDefinitions
from tests.unit.transport.http.data_map_server import DataMap, DataMapHttpServer, Reply
from tests.unit.transport.http.entra_server import EntraServer

Run = Callable[..., tuple[int, str, str]]
OURS = {each["name"] for kind in definitions([OWN]).values() for each in kind}


@pytest.fixture
def run(
    account: DataMap, server: DataMapHttpServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Return a function that runs `sac-kafka types …` with the account's token: (status, output, errors)."""
    monkeypatch.setenv("ATLAS_TOKEN", account.token)

    def command(*arguments: str) -> tuple[int, str, str]:
        status = main(["types", *arguments, "--server", server.address, "--dialect", "purview"])
        captured = capsys.readouterr()
        assert account.token not in captured.out + captured.err
        return status, captured.out, captured.err

    return command


def methods(account: DataMap) -> list[str]:
    return [each.method for each in account.requests]


def test_print_is_our_own_types(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["types", "print", "--dialect", "purview"]) == 0
    assert json.loads(capsys.readouterr().out) == definitions([OWN])
    assert main(["types", "print", "--dialect", "purview", "--family", "spark,own"]) == 0
    assert json.loads(capsys.readouterr().out) == definitions([SPARK, OWN])
    assert main(["types", "print", "--dialect", "purview", "--family", "built-in"]) == 0
    assert json.loads(capsys.readouterr().out) == definitions([BUILT_IN])


def test_apply_gives_an_account_our_own_types_once(run: Run, account: DataMap, types: TypeDefinitions) -> None:
    status, output, _ = run("diff")
    assert status == 1
    assert f"{len(OURS)} missing types" in output
    status, output, _ = run("apply")
    assert status == 0
    assert "own: created sac_kafka_application" in output
    assert types.names() >= OURS
    assert methods(account) == ["GET", "GET", "POST", "GET"]
    assert {each.query["api-version"] for each in account.requests} == {"2023-09-01"}
    assert run("apply") == (0, "no differences\n", "")
    assert run("diff") == (0, "no differences\n", "")
    assert methods(account).count("POST") == 1


def test_apply_gives_an_account_the_model_of_the_spark_atlas_connector(run: Run, types: TypeDefinitions) -> None:
    assert run("apply", "--family", "spark")[0] == 0
    assert {"spark_process", "spark_application", "spark_table_columns", "spark_ml_pipeline"} <= types.names()
    assert not OURS & types.names()


def test_built_in_types_are_compared_but_never_sent(run: Run, account: DataMap, types: TypeDefinitions) -> None:
    assert run("diff", "--family", "built-in") == (0, "no differences\n", "")
    process = types.definition("databricks_process")
    process["attributeDefs"] = [each for each in process["attributeDefs"] if each["name"] != "columnMapping"]
    types.types["entityDefs"].remove(types.definition("azure_synapse_operation"))
    types.definition("azure_sql_table")["attributeDefs"][0]["typeName"] = "long"  # of no message
    status, output, _ = run("diff", "--family", "built-in")
    assert status == 1
    assert output.splitlines() == [
        "databricks_process.columnMapping: missing attribute  (never changed)",
        "azure_synapse_operation: missing  (never changed)",
        "2 other differences",
    ]
    status, _, complaint = run("apply", "--family", "databricks")
    assert status == 2
    assert "built into every account; apply creates spark, own" in complaint
    assert "POST" not in methods(account)


def test_only_the_sent_types_of_atlas_own_model_count(run: Run, types: TypeDefinitions) -> None:
    for name in ("Path", "hive_principal_type", "__internal"):
        types.types = {k: [e for e in v if e["name"] != name] for k, v in types.types.items()}
    types.definition("Asset")["attributeDefs"] = types.definition("Asset")["attributeDefs"][:3]
    assert run("diff", "--family", "built-in") == (0, "no differences\n", "")
    types.types["entityDefs"].remove(types.definition("hive_table"))
    assert run("diff", "--family", "built-in")[1].startswith("hive_table: missing")


def test_update_adds_attributes_and_removes_none(run: Run, account: DataMap, types: TypeDefinitions) -> None:
    run("apply")
    process = types.definition("sac_kafka_process")
    kept = [each for each in process["attributeDefs"] if each["name"] != "versionsRead"]
    process["attributeDefs"] = [*kept, {"name": "theirs", "typeName": "string", "isOptional": True}]
    status, output, _ = run("apply")
    assert status == 0
    assert "sac_kafka_process.versionsRead: missing attribute  (apply --update adds it)" in output
    assert "PUT" not in methods(account)
    status, output, _ = run("apply", "--update")
    assert (status, output.splitlines()) == (0, ["updated sac_kafka_process", "no differences"])
    assert {"theirs", "versionsRead"} <= {
        each["name"] for each in types.definition("sac_kafka_process")["attributeDefs"]
    }


def test_concurrent_applies_do_not_conflict(run: Run, types: TypeDefinitions) -> None:
    half = {"entityDefs": copy.deepcopy(definitions([OWN])["entityDefs"][:1])}
    types.before_post = lambda: types.add(half)
    assert run("apply")[0] == 0
    assert types.names() >= OURS
    assert len(types.types["entityDefs"]) == len({each["name"] for each in types.types["entityDefs"]})


def test_all_types_created_concurrently_by_others(run: Run, types: TypeDefinitions) -> None:
    types.before_post = lambda: types.add(definitions([OWN]))
    status, output, _ = run("apply")
    assert (status, output.splitlines()) == (0, ["own: created by another client", "no differences"])


def test_older_api_path_is_used_without_the_data_map(run: Run, account: DataMap) -> None:
    account.bases = ("/catalog/api",)
    assert run("apply")[0] == 0
    assert [each.base for each in account.requests][:3] == ["/datamap/api", "/catalog/api", "/catalog/api"]


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    monkeypatch.setattr(purview_server, "time", SimpleNamespace(sleep=found.append))
    return found


def test_throttled_requests_are_retried_after_a_pause(run: Run, account: DataMap, pauses: list[float]) -> None:
    account.replies = [
        Reply(429, None, {"Retry-After": "7"}),
        Reply(429, None),
        Reply(503, None, {"Retry-After": "900"}),
    ]
    status, output, _ = run("apply")
    assert status == 0
    assert pauses == [7, 5, 60]
    assert "Purview throttles requests: retrying in 7 s" in output


def test_gives_up_on_an_account_that_throttles_forever(run: Run, account: DataMap, pauses: list[float]) -> None:
    account.always = Reply(429, {"error": {"code": "TooManyRequests", "message": "slow down"}}, {"Retry-After": "1"})
    status, _, complaint = run("diff")
    assert status == 2
    assert "too many requests: try again in a few minutes (Purview says: TooManyRequests slow down)" in complaint
    assert len(pauses) == 5


def error(status: int, code: str, message: str) -> Reply:
    return Reply(status, {"requestId": "r", "errorCode": code, "errorMessage": message})


REFUSALS = {
    "no token": (Reply(401, None), "HTTP 401: token rejected: check the login"),
    "no role": (
        error(403, "ATLAS-403-00-001", "not authorized"),
        "grant it the role Data Curator on the root collection",
    ),
    "firewall": (
        Reply(403, {"error": {"code": "403", "message": "Public network access is disabled"}}),
        "a firewall or the account's network settings keep this machine out",
    ),
    "no account": (
        Reply(404, None),
        "there is no Data Map: check the account's address; it is https://ACCOUNT.purview.azure.com",
    ),
    "no type": (
        error(404, "ATLAS-404-00-001", "Given typename X was invalid"),
        "a type refers to another type that does not exist",
    ),
    "options": (error(400, "ATLAS-400-00-01A", "invalid options"), "Purview rejects a type definition"),
    "relationship": (
        error(400, "ATLAS-400-00-036", "invalid relationshipDef"),
        "Purview rejects a relationship definition",
    ),
    "in use": (error(409, "ATLAS-409-00-002", "has references"), "the type is in use"),
    "server error": (Reply(500, None), "Purview server error: try again"),
    "teapot": (Reply(418, None), "Purview rejects the request"),
    "elsewhere": (
        Reply(302, None, {"Location": "https://u:p@login.example.org/x?ticket=abc"}),
        "redirects to the log-in page https://login.example.org/x: check the account's address and ATLAS_TOKEN",
    ),
    "a page": (Reply(200, ["login"]), "the answer is not a JSON object but '[\"login\"]': is this a Purview account"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusal_has_a_fix(run: Run, account: DataMap, server: DataMapHttpServer, name: str) -> None:
    account.always, expected = REFUSALS[name]
    status, output, complaint = run("diff")
    assert (status, output) == (2, "")
    assert expected in complaint
    assert server.address in complaint
    assert len(complaint.splitlines()) == 1
    assert "ticket" not in complaint


def test_reader_role_may_compare_but_not_apply(run: Run, types: TypeDefinitions) -> None:
    types.is_reader = True
    assert run("diff")[0] == 1
    status, _, complaint = run("apply")
    assert status == 2
    assert "Data Curator on the root collection" in complaint


@pytest.mark.parametrize("address", ["http://localhost:1", "https://no-such-host.invalid"])
def test_unreachable_account_is_reported(
    address: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ATLAS_TOKEN", "t0ken")
    assert main(["types", "diff", "--dialect", "purview", "--server", address]) == 2
    complaint = capsys.readouterr().err
    assert "check the account's address" in complaint
    assert "t0ken" not in complaint


# ---- log-in


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> object:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.mark.slow
def test_an_application_logs_in_with_its_secret(
    account: DataMap, server: DataMapHttpServer, certificates: object, capsys: pytest.CaptureFixture[str]
) -> None:
    with EntraServer(certificates) as entra:  # type: ignore[arg-type]
        entra.token = lambda *_, **__: account.token  # type: ignore[method-assign]
        conf = [f"{key}={text}" for key, text in entra.properties().items()]
        arguments = [
            "--server",
            server.address,
            "--dialect",
            "purview",
            *(x for each in conf for x in ("--conf", each)),
        ]
        assert main(["types", "apply", *arguments]) == 0
        (login,) = entra.requests_to("/token")
        assert login.form["scope"] == "https://purview.azure.net/.default"
        captured = capsys.readouterr()
        assert entra.client_secret not in captured.out + captured.err
        wrong = [each if "secret" not in each else "atlas.hook.spark.entra.client.secret=wr0ng" for each in conf]
        arguments = [
            "--server",
            server.address,
            "--dialect",
            "purview",
            *(x for each in wrong for x in ("--conf", each)),
        ]
        assert main(["types", "apply", *arguments]) == 2
        complaint = capsys.readouterr().err
        assert "the client secret is wrong" in complaint
        assert "wr0ng" not in complaint


def test_the_variables_of_azures_tools_are_enough(
    account: DataMap,
    server: DataMapHttpServer,
    certificates: object,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with EntraServer(certificates) as entra:  # type: ignore[arg-type]
        entra.token = lambda *_, **__: account.token  # type: ignore[method-assign]
        monkeypatch.setenv("AZURE_AUTHORITY_HOST", entra.url)
        for name, text in zip(
            ("TENANT_ID", "CLIENT_ID", "CLIENT_SECRET"), list(entra.settings().values())[2:], strict=True
        ):
            monkeypatch.setenv(f"AZURE_{name}", text)
        ca_file = str(entra.certificates.ca)
        address = ["--server", server.address, "--dialect", "purview", "--ca-file", ca_file]
        assert main(["types", "diff", *address]) == 1
        assert "missing types" in capsys.readouterr().out


# ---- choice of the dialect


def test_a_configuration_for_event_hubs_means_purview(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "atlas-application.properties"
    file.write_text("atlas.kafka.bootstrap.servers=contoso.servicebus.windows.net:9093\n")
    assert main(["types", "diff", "--conf-file", str(file)]) == 2
    assert "no account given: use --account NAME" in capsys.readouterr().err
    file.write_text(
        "atlas.hook.spark.dialect=atlas\natlas.kafka.bootstrap.servers=contoso.servicebus.windows.net:9093\n"
    )
    assert main(["types", "diff", "--conf-file", str(file)]) == 2
    assert "use --server URL or --conf atlas.rest.address=URL" in capsys.readouterr().err


def test_a_configuration_for_the_data_map_is_enough(
    account: DataMap, server: DataMapHttpServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "atlas-application.properties"
    lines = (
        "atlas.client.type=purview",
        f"atlas.rest.address={server.address}/catalog",
        f"atlas.hook.spark.rest.token={account.token}",
    )
    file.write_text("\n".join(lines))
    assert main(["types", "apply", "--conf-file", str(file)]) == 0
    assert main(["types", "diff", "--conf-file", str(file)]) == 0
    assert account.token not in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--account", "a/b"], "--account a/b: must be the name only"),
        (["--account", "a", "--server", "https://b"], "--account and --server are both given"),
        (["--account", "a", "--dialect", "atlas"], "--account and --dialect atlas are both given"),
        (["--account", "a", "--user", "admin"], "--user admin: Purview takes a token of Entra ID"),
        (["--account", "a", "--family", "ozone"], "--family ozone: unknown for purview, which has base"),
        (["--server", "https://a.example.org", "--family", "own"], "for purview add --dialect purview"),
        (["--server", "https://u:hunter2@a.purview.azure.com"], "holds a user name or password: use a token instead"),
        (["--server", "http://a.purview.azure.com"], "would be sent unencrypted: use https://"),
        (["--account", "a", "--ca-file", "/no/such"], "--ca-file /no/such: No such file or directory"),
        (["--dialect", "purview"], "no account given"),
    ],
)
def test_reports_wrong_use(
    arguments: list[str], expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ATLAS_TOKEN", "t0ken") if "--user" not in arguments else None
    monkeypatch.setattr(purview_server.PurviewServer, "get", lambda *_: {})
    monkeypatch.setattr("sac_kafka.catalog.server.AtlasServer.get", lambda *_: {})
    assert main(["types", "diff", *arguments]) == 2
    complaint = capsys.readouterr().err
    assert expected in complaint
    assert "hunter2" not in complaint


def test_reports_an_unknown_dialect(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["types", "print", "--dialect", "hive"])
    assert stopped.value.code == 2
    assert "hive: must be atlas or purview" in capsys.readouterr().err


@pytest.mark.parametrize(
    "address",
    [
        "https://contoso.purview.azure.com",
        "https://contoso.purview.azure.com/catalog",
        "contoso.purview.azure.cn",
        "https://contoso.purview.azure.us",
        "https://api.purview-service.microsoft.com",
        "https://11111111-2222-api.purview-service.microsoft.com/datamap/api",
    ],
)
def test_accounts_are_known_by_their_hosts(address: str) -> None:
    assert is_purview(address)


@pytest.mark.parametrize("address", ["https://purview.azure.com.example.org", "https://atlas:21000", "https://[", ""])
def test_other_hosts_are_not_accounts(address: str) -> None:
    assert not is_purview(address)


def test_portal_path_after_the_address_is_ignored() -> None:
    for end in ("", "/", "/catalog", "/datamap", "/catalog/api/atlas/v2", "/datamap/api/atlas"):
        assert checked_address(f"https://contoso.purview.azure.com{end}", "--server") == account_address("Contoso")
    with pytest.raises(ConfigurationError, match="--server ftp://a: is no address"):
        checked_address("ftp://a", "--server")
