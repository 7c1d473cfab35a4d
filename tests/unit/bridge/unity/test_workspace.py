"""Log-in, tries and errors of requests to a workspace, and queries of its warehouse."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sac_kafka.bridge.unity import warehouse as module
from sac_kafka.bridge.unity.warehouse import Warehouse
from sac_kafka.bridge.unity.workspace import DatabricksWorkspace, EndingError, FixedToken, WorkspaceError, workspace_of
from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.settings.entra import Entra
from sac_kafka.settings.unity import Unity
from sac_kafka.unity.queries import HOUR, Query, overview_query, quote_schema
from tests.helpers.unity_catalog import CLIENT, SECRET, TOKEN, WAREHOUSE, WORKSPACE_ID, Fault, Statement, UnityCatalog
from tests.unit.bridge.unity.planted import ORDERS, REPORT, TRUTH, UNITY, at, lake, read, truths_of

QUERY = overview_query(quote_schema("system.access"), WORKSPACE_ID, 0, 600_000 * HOUR)


def never(_seconds: float) -> bool:
    return False


def warehouse(server: UnityCatalog, pause: Callable[[float], bool] = never, name: str = WAREHOUSE) -> Warehouse:
    return Warehouse(DatabricksWorkspace(server.address, FixedToken(TOKEN), None, pause), name)


def test_a_token_expires_at_any_request() -> None:
    unity = Unity(warehouse=WAREHOUSE, client=CLIENT, client_secret=SECRET)
    for expired in range(1, 25, 4):
        with lake() as server:
            login = workspace_of(server.address, unity, Settings(), never)._login

            def expire(number: int, _path: str, server: UnityCatalog = server, at: int = expired) -> None:
                if number == at:
                    server.tokens = set()

            server.fault = expire
            found = read(server, login=login)
            assert server.issued == 2
        assert truths_of(found.processes) == TRUTH


def test_a_token_that_is_refused() -> None:
    with UnityCatalog() as server:
        found = read(server, login=FixedToken("dapi-wrong"))
    assert "HTTP 401" in found.error
    assert "correct atlas.bridge.unity.token" in found.error
    assert "dapi-wrong" not in found.error


def test_a_wrong_secret() -> None:
    with UnityCatalog() as server:
        unity = Unity(warehouse=WAREHOUSE, client=CLIENT, client_secret="wrong-secret")
        with pytest.raises(WorkspaceError, match=r"/oidc/v1/token: HTTP 401 \(invalid_client unknown\)") as caught:
            workspace_of(server.address, unity, Settings(), never).id()
    assert "wrong-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "unity", "error"),
    [
        ("http://adb-1.2.azuredatabricks.net", UNITY, "the token would be sent unencrypted"),
        ("https://ada:secret@host", UNITY, "holds a user name or password"),
        ("acme.cloud.databricks.com", Unity(), "no log-in for --unity-catalog https://acme.cloud.databricks.com"),
        ("a.b.c", Unity(client="c"), "set both atlas.bridge.unity.client.id and"),
    ],
)
def test_wrong_settings(address: str, unity: Unity, error: str) -> None:
    with pytest.raises(ConfigurationError, match=error):
        workspace_of(address, unity, Settings(), never)


def test_entra_id_logs_in_on_azure() -> None:
    settings = Settings(entra=Entra(token="x.eyJleHAiOiA0MTAyNDQ0ODAwfQ.y"))
    login = workspace_of("adb-1.2.azuredatabricks.net", Unity(), settings, never)._login
    assert login.token() == "x.eyJleHAiOiA0MTAyNDQ0ODAwfQ.y"


def test_a_workspace_that_stays_busy() -> None:
    pauses: list[float] = []
    with UnityCatalog() as server:
        server.fault = lambda _number, _path: Fault(503)
        with pytest.raises(WorkspaceError, match="HTTP 503"):
            DatabricksWorkspace(server.address, FixedToken(TOKEN), None, lambda s: bool(pauses.append(s))).id()
    assert pauses == [1, 2, 4, 8, 16, 32, 60]


def test_the_bridge_ends_while_it_waits() -> None:
    with UnityCatalog() as server:
        server.fault = lambda _number, _path: Fault(429, **{"Retry-After": "600"})
        with pytest.raises(EndingError):
            DatabricksWorkspace(server.address, FixedToken(TOKEN), None, lambda _seconds: True).id()


def test_polls_until_the_result_is_there() -> None:
    pauses: list[float] = []
    with lake() as server:
        server.polls = 3
        rows = [*warehouse(server, lambda seconds: bool(pauses.append(seconds))).rows(QUERY)]
    assert rows
    assert pauses == [1, 2, 3]


def test_a_query_is_cancelled_at_the_end() -> None:
    with lake() as server:
        server.polls = 3
        with pytest.raises(EndingError):
            [*warehouse(server, lambda _seconds: True).rows(QUERY)]
        assert server.requests[-1].endswith("/cancel")


def test_errors_of_queries() -> None:
    with UnityCatalog() as server:
        with pytest.raises(
            WorkspaceError, match=r"FAILED: \[TABLE_OR_VIEW_NOT_FOUND\].*grant its identity USE CATALOG"
        ):
            [*warehouse(server).rows(Query("SELECT * FROM nothing", {}))]
        with pytest.raises(WorkspaceError, match=r"HTTP 404 .*no such warehouse.*atlas.bridge.unity.warehouse"):
            [*warehouse(server, name="wrong").rows(QUERY)]


def test_a_link_that_is_not_encrypted() -> None:
    with UnityCatalog(Statement(at=at(0, 1), target=REPORT, sources=(ORDERS,))) as server:
        server.inline_rows, server.is_link_insecure = 0, True
        with pytest.raises(WorkspaceError, match="a link to a result is not https"):
            [*warehouse(server).rows(QUERY)]


def test_links_are_in_no_error() -> None:
    with lake() as server:
        server.inline_rows = 0
        server.fault = lambda _number, path: Fault(403) if path.startswith("/links/") else None
        with pytest.raises(WorkspaceError, match=r"\Aa link to a result: HTTP 403") as caught:
            [*warehouse(server).rows(QUERY)]
    assert "/links/" not in str(caught.value)


def test_a_page_instead_of_an_answer() -> None:
    with UnityCatalog() as server:
        page = Fault(200, **{"Content-Type": "text/html"})
        server.fault = lambda _number, _path: page
        with pytest.raises(WorkspaceError, match="is this the address of a workspace, or a log-in page"):
            DatabricksWorkspace(server.address, FixedToken(TOKEN), None, never).id()


def test_a_query_that_does_not_end_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_POLLS", 2)
    with lake() as server:
        server.polls = 5
        with pytest.raises(WorkspaceError, match="did not end in time"):
            [*warehouse(server).rows(QUERY)]
        assert server.requests[-1].endswith("/cancel")
