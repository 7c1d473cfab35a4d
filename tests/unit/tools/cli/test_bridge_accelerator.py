"""Users of Microsoft's accelerator: their mappings name what the bridge sends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.unit.openlineage.small_events import dataset, event
from tests.unit.tools.cli.conftest import Cli

ROOT = Path(__file__).parents[4]
MAPPINGS = {
    "olToPurviewMappings": [
        {
            "name": "contosoLake",
            "parserConditions": [
                {"op1": "prefix", "compare": "=", "op2": "abfss"},
                {"op1": "nameSpcBodyParts[1]", "compare": "contains", "op2": "contoso"},
            ],
            "qualifiedName": "https://{nameSpcBodyParts[1]}/lake/{nameSpcBodyParts[0]}/{nameGroups[0]}",
            "purviewDataType": "azure_datalake_gen2_path",
            "purviewPrefix": "https",
        }
    ]
}


def properties() -> str:
    page = (ROOT / "docs" / "from-accelerator.md").read_text("utf-8")
    (text,) = re.findall(r"```properties\n(atlas.*?)```", page, re.DOTALL)
    return text


def test_mapping_file_of_the_accelerator_names_assets(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PURVIEW_CLIENT_SECRET", "of-a-test")
    Path("OlToPurviewMappings.json").write_text(json.dumps(MAPPINGS), "utf-8")
    Path("atlas-application.properties").write_text(properties(), "utf-8")
    lake, shop = "abfss://raw@contosolake.dfs.core.windows.net", "sqlserver://shop.database.windows.net:1433"
    flow = event(inputs=[dataset("/orders/in.csv", lake)], outputs=[dataset("shop.dbo.orders", shop)])
    Path("events.jsonl").write_text(json.dumps(flow), "utf-8")
    settings = ("client.type=file", "client.file.path=out.jsonl", "hook.spool.dir=spool")
    to_file = [word for each in settings for word in ("--conf", f"atlas.{each}")]
    mapping = "atlas.hook.spark.purview.mapping.file=OlToPurviewMappings.json"
    assert mapping in (ROOT / "docs" / "from-accelerator.md").read_text("utf-8")
    purview = ("--conf", "atlas.hook.spark.dialect=purview", "--conf", mapping)
    assert cli("bridge", "--file", "events.jsonl", *to_file, *purview).status == 0
    entities = [
        (each["typeName"], each["attributes"]["qualifiedName"])
        for line in Path("out.jsonl").read_text("utf-8").splitlines()
        for each in json.loads(line)["message"].get("entities", {}).get("entities", ())
    ]
    host = "contosolake.dfs.core.windows.net"
    assert ("azure_datalake_gen2_path", f"https://{host}/lake/raw/orders/in.csv") in entities
    assert ("azure_sql_table", "mssql://shop.database.windows.net/shop/dbo/orders") in entities
