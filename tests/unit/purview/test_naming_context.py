"""Context of names: settings and the platform's facts of the application."""

from __future__ import annotations

import pytest

from sac_kafka.model import Application, SessionFacts
from sac_kafka.purview.naming_context import NamingContext, naming_context_of
from sac_kafka.settings.names import Names
from sac_kafka.settings.purview import Purview

HOST = "adb-1.2.azuredatabricks.net"


def _around(settings: Purview | None = None, **facts: str) -> NamingContext:
    application = Application(
        job="j", application_id="app-1", name="j", user="me", facts=tuple(facts.items()), is_job_chosen=False
    )
    return naming_context_of(settings or Purview(), Names(namespace="prod"), application, SessionFacts())


@pytest.mark.parametrize(
    ("facts", "known"),
    [
        ({"platform": "databricks", "workspace": f"https://{HOST.upper()}/?o=1"}, {"workspace_host": HOST}),
        ({"platform": "synapse", "workspace": "ws1"}, {"synapse_workspace": "ws1"}),
        (
            {"platform": "fabric", "workspace": "Sales", "workspace_id": "w-1", "lakehouse_id": "l-1"},
            {"fabric_workspace": "w-1", "fabric_lakehouse": "l-1"},
        ),
        ({"platform": "cloudera", "workspace": "cdsw.example.org"}, {}),
        ({}, {}),
    ],
)
def test_each_platform_has_its_location(facts: dict[str, str], known: dict[str, str]) -> None:
    assert _around(**facts) == NamingContext(namespace="prod", **known)


def test_settings_come_first() -> None:
    settings = Purview(workspace_url=HOST, metastore_id="azure:westeurope:m-1")
    found = _around(settings, platform="databricks", workspace="adb-9.9.azuredatabricks.net")
    assert (found.workspace_host, found.metastore_id) == (HOST, "m-1")


@pytest.mark.parametrize(
    "url",
    [
        HOST,
        f"https://{HOST}:443/?o=1",
        f"{HOST}:443",
        f"user:word@{HOST}",
        f" {HOST}?o=1 ",
        f"https://{HOST.upper()}#x",
    ],
)
def test_a_workspace_is_its_host(url: str) -> None:
    found = _around(Purview(workspace_url=url))
    assert found.workspace_host == HOST
