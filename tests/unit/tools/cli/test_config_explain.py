"""`sac-kafka config --explain`: the effect of the rules in the configuration on a name; and `replay` with rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sac_kafka.hook.recording import recorded_application
from tests.cases.batches import BATCHES, owed
from tests.helpers.live_runs import APPLICATION
from tests.helpers.messages import validated
from tests.unit.tools.cli.conftest import Cli

Explain = Callable[..., list[str]]
RULES = """\
atlas.metadata.namespace=prod
atlas.hook.spark.path.patterns=batch-[0-9]+
atlas.hook.spark.exclude=table:*.tmp_*, path:/scratch/**, topic:*-dlq
atlas.hook.spark.exclude=jdbc:postgresql://*:5432/*/audit.*, hbase:audit:*, job:adhoc-*, user:svc_*
"""


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)


@pytest.fixture
def explain(tmp_path: Path, cli: Cli) -> Explain:
    """Return a function that explains names, with rules in a file and others by --conf, and returns the lines."""

    def run(*names: str, text: str = RULES, conf: tuple[str, ...] = ()) -> list[str]:
        (tmp_path / "atlas-application.properties").write_text(text)
        options = [word for name in names for word in ("--explain", name)]
        options += [word for each in conf for word in ("--conf", each)]
        status, output, complaint = cli("config", *options)
        assert (status, complaint) == (0, "")
        return output.splitlines()

    return run


KEPT = "captured: no rule matches"
BY_FILE = "of atlas.hook.spark.exclude [lines 3, 4]"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("table:sales.tmp_1", [f"table sales.tmp_1: excluded by table:*.tmp_* {BY_FILE}"]),
        ("table:lake.sales.tmp_1", [f"table lake.sales.tmp_1: excluded by table:*.tmp_* {BY_FILE}"]),
        ("sales.tmp_1@prod",
         [f"table sales.tmp_1@prod: excluded by table:*.tmp_* {BY_FILE}", f"topic sales.tmp_1@prod: {KEPT}"]),
        ("orders-dlq", [f"table orders-dlq: {KEPT}", f"topic orders-dlq: excluded by topic:*-dlq {BY_FILE}"]),
        ("s3a://b/scratch/x", [f"path s3a://b/scratch/x: excluded by path:/scratch/** {BY_FILE}"]),
        ("/scratch", [f"path /scratch: excluded by path:/scratch/** {BY_FILE}"]),
        ("s3a://b/orders/batch-7", ["path s3a://b/orders/batch-7: captured: no rule matches"]),
        ("file:/x/_temporary/0", ["path file:/x/_temporary/0: excluded by the default rule path:_temporary/**; "
         "atlas.hook.spark.exclude.defaults = false disables the default rules"]),
        ("postgresql://h/shop/audit.log",
         [f"jdbc postgresql://h/shop/audit.log: excluded by jdbc:postgresql://*:5432/*/audit.* {BY_FILE}",
          f"other postgresql://h/shop/audit.log: {KEPT}"]),
        ("jdbc:postgresql://h:5433/shop/audit.log", ["jdbc postgresql://h:5433/shop/audit.log: captured: no rule matches"]),
        ("jdbc:h2:mem:shop/public.orders", [f"jdbc h2:mem:shop/public.orders: {KEPT}"]),
        ("audit:log", [f"hbase audit:log: excluded by hbase:audit:* {BY_FILE}"]),
        ("other:mongodb://h/shop/x", [f"other mongodb://h/shop/x: {KEPT}"]),
        ("mongodb://h:27017/shop/x", [f"jdbc mongodb://h:27017/shop/x: {KEPT}", f"other mongodb://h:27017/shop/x: {KEPT}"]),
        ("acme://h/shop/x", [f"path acme://h/shop/x: {KEPT}", f"other acme://h/shop/x: {KEPT}"]),
        ("es:shop/x", [f"hbase es:shop/x: {KEPT}", f"other es:shop/x: {KEPT}"]),
        ("job:adhoc-7", [f"job adhoc-7: excluded by job:adhoc-* {BY_FILE}"]),
        ("user:alice", ["user alice: captured: no rule matches"]),
    ],
)  # fmt: skip
def test_a_name(explain: Explain, name: str, expected: list[str]) -> None:
    assert explain(name) == expected


def test_included_datasets(explain: Explain) -> None:
    assert explain(
        "job:daily",
        "job:hourly",
        "table:sales.orders",
        "topic:orders",
        "user:alice",
        conf=("spark.atlas.hook.spark.include=job:daily*,table:sales.*,kind:tables",),
    ) == [
        "job daily: captured by job:daily* of atlas.hook.spark.include [--conf]",
        "job hourly: excluded: not listed in atlas.hook.spark.include [--conf]; add job:hourly there",
        "table sales.orders: captured by table:sales.* of atlas.hook.spark.include [--conf]",
        "topic orders: excluded: not listed in atlas.hook.spark.include [--conf]; add kind:kafka there",
        "user alice: captured: no rule matches",
    ]


def test_a_path_by_its_root(explain: Explain) -> None:
    conf = ("atlas.hook.spark.exclude=path:s3a://b/orders",)
    assert explain("s3a://b/orders/batch-7", conf=conf) == [
        "path s3a://b/orders/batch-7: excluded by path:s3a://b/orders of atlas.hook.spark.exclude [--conf]"
    ]


def test_a_table_by_the_name_that_its_catalog_is_given(explain: Explain) -> None:
    conf = ("atlas.hook.spark.catalog.names=ic=lake", "atlas.hook.spark.exclude=table:lake.**")
    by_lake = "excluded by table:lake.** of atlas.hook.spark.exclude [--conf]"
    assert explain("table:ic.sales.orders", "table:lake.sales.orders", "table:sales.orders", conf=conf) == [
        f"table ic.sales.orders: {by_lake}",
        f"table lake.sales.orders: {by_lake}",
        f"table sales.orders: {KEPT}",
    ]


def test_needs_no_server(explain: Explain) -> None:
    assert explain("job:x", text="atlas.client.type=kafka\n") == ["job x: captured: no rule matches"]


def test_a_wrong_rule_is_an_error_here_too(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "atlas-application.properties").write_text(
        "atlas.client.type=console\natlas.hook.spark.exclude=kind:file\n"
    )
    for command, wanted in (("config --explain x", 2), ("config", 2), ("doctor", 1)):
        status, expected, complaint = cli(*command.split())
        assert status == wanted
        assert (
            "line 2: atlas.hook.spark.exclude = kind:file: 'kind:file': the kind must be one of tables, files, kafka, jdbc, "
            "hbase, other (did you mean files?); correct it, or remove it for the default (not set)"
        ) in expected + complaint


@pytest.mark.parametrize(
    ("rules", "inputs", "left_out"),
    [
        ((), ["cases.customers", "cases.orders"], None),
        (("exclude=table:customers",), ["cases.orders"], "1"),
        (("include=path:**, table:cases.orders",), ["cases.orders"], "1"),
    ],
)
def test_replay_obeys_the_rules(
    tmp_path: Path, cli: Cli, rules: tuple[str, ...], inputs: list[str], left_out: str | None
) -> None:
    (flow,) = _flows(tmp_path, cli, *rules)
    names = [each["uniqueAttributes"]["qualifiedName"] for each in flow["relationshipAttributes"]["inputs"]]
    assert sorted(names) == [f"{each}@primary" for each in inputs]
    assert flow["customAttributes"].get("inputs_excluded") == left_out


@pytest.mark.parametrize(
    "rule", ["exclude=path:out/**", "exclude=job:test", "include=kind:tables", "exclude=user:tester"]
)
def test_replay_sends_no_excluded_datasets(tmp_path: Path, cli: Cli, rule: str) -> None:
    assert _flows(tmp_path, cli, rule) == []


def _flows(tmp_path: Path, cli: Cli, *rules: str) -> list[dict]:
    batch = tmp_path / "batch.txt"
    batch.write_text(
        f"{recorded_application(APPLICATION)}\n{(BATCHES / owed()[1] / 'join.txt').read_text('utf-8')}", "utf-8"
    )
    options = [word for each in rules for word in ("--conf", f"atlas.hook.spark.{each}")]
    return [
        entity
        for message in validated(cli("replay", batch, "--json", *options).out.splitlines())
        for entity in message["message"]["entities"]["entities"]
        if entity["typeName"] == "spark_process"
    ]
