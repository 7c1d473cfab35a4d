"""The whole way: a daily job with nothing but the hook, and what a real Atlas shows of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.live.server.daily import DailyJob
from tests.live.server.live_atlas import RunningAtlas
from tests.live.server.rest import Direction

pytestmark = pytest.mark.atlas

SIDES = ("inputs", "outputs")
SIZES = Path(__file__).parents[3] / "build" / "daily-job-sizes.txt"

FLOWS = {
    "raw.orders": {"in/orders"},
    "raw.customers": {"in/customers"},
    "mart.sales": {"raw.orders", "raw.customers"},
    "mart.big_sales": {"mart.sales"},
    "mart.by_country": {"mart.big_sales"},
    "mart.facts": {"mart.sales"},
    "mart.history": {"mart.by_country"},
    "REPORT": {"mart.by_country"},
    "TOPIC": {"REPORT"},
    "out/messages": {"TOPIC"},
    "out/report": {"out/messages"},
    "mart.wide": {"raw.orders"},
    "raw.dutch": {"raw.customers"},
    "mart.dutch": {"raw.dutch"},
    "mart.flags": {"mart.sales"},
}
"""Output → inputs of version 1."""

COLUMNS = {
    "raw.orders.id": {"in/orders#id"},
    "raw.orders.customer": {"in/orders#customer"},
    "raw.orders.amount": {"in/orders#amount"},
    "raw.customers.name": {"in/customers#name"},
    "raw.customers.country": {"in/customers#country"},
    "raw.customers.discount": {"in/customers#discount"},
    "mart.sales.id": {"raw.orders.id"},
    "mart.sales.customer": {"raw.orders.customer"},
    "mart.sales.country": {"raw.customers.country"},
    "mart.sales.total": {"raw.orders.amount"},
    "mart.big_sales.customer": {"mart.sales.customer"},
    "mart.big_sales.country": {"mart.sales.country"},
    "mart.big_sales.total": {"mart.sales.total"},
    "mart.by_country.country": {"mart.big_sales.country"},
    "mart.by_country.total": {"mart.big_sales.total"},
    "mart.by_country.customers": {"mart.big_sales.customer"},
    "mart.facts.customer": {"mart.sales.customer"},
    "mart.facts.country": {"mart.sales.country"},
    "mart.history.country": {"mart.by_country.country"},
    "mart.history.total": {"mart.by_country.total"},
    "REPORT.country": {"mart.by_country.country"},
    "REPORT.total": {"mart.by_country.total"},
    "REPORT.customers": {"mart.by_country.customers"},
    "TOPIC#key": {"REPORT.country"},
    "TOPIC#value": {"REPORT.country", "REPORT.total"},
    "out/messages#country": {"TOPIC#key"},
    "out/messages#body": {"TOPIC#value"},
    "out/report#country": {"out/messages#country"},
    "out/report#latest": {"out/messages#body"},
    "mart.wide.id": {"raw.orders.id"},
    **{f"mart.wide.extra_{n}": {"raw.orders.amount"} for n in range(3)},
    "raw.dutch.name": {"raw.customers.name"},
    "mart.dutch.name": {"raw.dutch.name"},
    "mart.flags.id": {"mart.sales.id"},
}
"""Output column → the columns that flow into it, in version 1; a literal (mart.facts.kind) has none."""

INFLUENCES = {
    "mart.flags.size": {"mart.sales.total"},
    "mart.flags.position": {"mart.sales.country", "mart.sales.id"},
}
"""Output column → the columns that decide its value and do not flow into it."""


class Shown:
    """What the server shows of a job, in the short names of the tables above."""

    def __init__(self, job: DailyJob) -> None:
        self.job = job
        self.rest = job.server.rest

    def short(self, qualified_name: str) -> str:
        name = qualified_name.removesuffix(f"@{self.job.namespace}")
        for prefix, shown in (
            (f"file:{self.job.work}/", ""),
            (f"derby:{self.job.work}/reporting/report", "REPORT"),
            (self.job.topic, "TOPIC"),
        ):
            if name.startswith(prefix):
                return shown + name[len(prefix) :]
        return name

    def own(self, type_name: str, *, deleted: bool = False) -> list[str]:
        return [n for n in self.rest.names(type_name, deleted=deleted) if n.endswith(f"@{self.job.namespace}")]

    def edges(self, process_type: str, *, influences: bool = False) -> Counter[tuple[str, str]]:
        """Return pairs of input and output that an active process of this type connects; or of which one influences the other."""
        found = self.rest.search(process_type)
        own = [each["guid"] for each in found if each["attributes"]["qualifiedName"].endswith(f"@{self.job.namespace}")]
        processes = [
            each
            for each in self.rest.entities(own).values()
            if (":influence-" in each["attributes"]["qualifiedName"]) is influences
        ]
        names = self.active(guid for each in processes for side in SIDES for guid in _ends(each, side))
        pairs: Counter[tuple[str, str]] = Counter()
        for each in processes:
            inputs, outputs = ([names[guid] for guid in _ends(each, side) if guid in names] for side in SIDES)
            pairs.update((a, b) for a in inputs for b in outputs)
        return pairs

    def flows(self, process_type: str, *, influences: bool = False) -> dict[str, set[str]]:
        result: dict[str, set[str]] = {}
        for source, target in self.edges(process_type, influences=influences):
            result.setdefault(target, set()).add(source)
        return result

    def active_ends(self, found: dict, side: str) -> list[str]:
        guids = _ends(found, side)
        names = self.active(guids)
        return [names[guid] for guid in guids if guid in names]

    def active(self, guids: Iterable[str]) -> dict[str, str]:
        """Return the short names of those that are not deleted."""
        found = self.rest.entities(guids, ignoreRelationships="true")
        return {
            guid: self.short(each["attributes"]["qualifiedName"])
            for guid, each in found.items()
            if each["status"] == "ACTIVE"
        }

    def upstream(self, type_name: str, name: str) -> set[str]:
        """Everything that a dataset comes from, however far, by the server's own lineage."""
        return self._along(type_name, name, "INPUT")

    def downstream(self, type_name: str, name: str) -> set[str]:
        """Everything that is made of it."""
        return self._along(type_name, name, "OUTPUT")

    def _along(self, type_name: str, name: str, direction: Direction) -> set[str]:
        lines = self.rest.lineage(type_name, name, direction=direction)
        ends = {end for line in lines for end in line.split(" -> ")}
        names = (end.partition(":")[2] for end in ends if not end.endswith("(DELETED)"))
        return {self.short(n) for n in names}

    def everything(self) -> set[str]:
        return {f"{kind}:{n}" for kind in ("DataSet", "Process") for n in self.own(kind)}


def _ends(process: dict, side: str) -> list[str]:
    """Return the ids of what a process still reads, or writes."""
    ends = process["relationshipAttributes"].get(side) or []
    return [each["guid"] for each in ends if each["relationshipStatus"] == "ACTIVE"]


@pytest.fixture(scope="module")
def runs(atlas_server: RunningAtlas, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Version 1 twice, then version 2, with what the server showed after each."""
    mark = atlas_server.logs.mark()
    job = DailyJob(atlas_server, tmp_path_factory.mktemp("daily"), "daily")
    shown = Shown(job)
    found: dict[str, object] = {"job": job, "mark": mark, "shown": shown}
    found["stats 1"] = job.run(1)
    found["active 1"], found["flows 1"] = shown.everything(), shown.flows("spark_process")
    found["influences 1"] = shown.flows("spark_column_lineage", influences=True)
    found["columns 1"], found["doubled"] = shown.flows("spark_column_lineage"), shown.edges("spark_process")
    found["deleted 1"] = set(shown.own("Referenceable", deleted=True)) - set(shown.own("Referenceable"))
    found["stats 2"] = job.run(1)
    found["active 2"] = shown.everything()
    found["deleted 2"] = set(shown.own("Referenceable", deleted=True)) - set(shown.own("Referenceable"))
    job.grow_older(hours=25)
    found["stats day 2"] = job.run(1)
    found["active day 2"] = shown.everything()
    found["stats 3"] = job.run(2)
    found["flows 3"], found["columns 3"] = shown.flows("spark_process"), shown.flows("spark_column_lineage")
    found["dropped 3"] = [
        header["attributes"]["qualifiedName"]
        for header in shown.rest.search("spark_table", deleted=True)
        if header["status"] == "DELETED"
    ]
    found["influences 3"] = shown.flows("spark_column_lineage", influences=True)
    return found


def test_the_server_logs_no_error_and_the_hook_lost_nothing(runs) -> None:
    runs["job"].server.assert_no_complaints(runs["mark"])
    for run in ("stats 1", "stats 2", "stats 3"):
        stats = runs[run]
        assert (stats["messages"]["spooled"], stats["messages"]["dropped"]) == (0, 0), stats
        assert stats["errors"] == {}, stats


def test_exactly_the_expected_flows_are_stored(runs) -> None:
    assert runs["flows 1"] == FLOWS
    assert max(runs["doubled"].values()) == 1


def test_exactly_the_expected_column_flows_are_stored(runs) -> None:
    assert runs["columns 1"] == COLUMNS


def test_conditions_and_windows_are_separate_from_direct_sources(runs) -> None:
    """No derived column comes from nowhere, and a person sees in lists which lineage is only an influence."""
    assert runs["influences 1"] == INFLUENCES
    shown = runs["shown"]
    details = {
        each["attributes"]["name"]: each["attributes"]["description"]
        for each in shown.rest.search("spark_column_lineage")
        if each["attributes"]["name"].startswith("mart.flags.")
        and each["attributes"]["qualifiedName"].endswith("@daily")
    }
    assert {name: text.partition(":")[0] for name, text in details.items()} == {
        "mart.flags.id": "identity",
        "mart.flags.size (influence)": "condition (influences the value, does not flow into it)",
        "mart.flags.position (influence)": "window (influences the value, does not flow into it)",
    }
    assert "CASE WHEN" in details["mart.flags.size (influence)"]


def test_a_recreated_table_has_all_its_column_lineage(runs) -> None:
    assert runs["job"].table("mart.flags") in runs["dropped 3"]
    assert runs["columns 3"]["mart.flags.id"] == {"mart.sales.id"}
    assert runs["influences 3"] == INFLUENCES


def test_views_are_links_of_a_chain_without_a_short_cut(runs) -> None:
    """Also a view that is older than the hook: what reads it shows how it is made."""
    rest, job = runs["shown"].rest, runs["job"]
    for view, base, reader in (
        ("mart.big_sales", "mart.sales", "mart.by_country"),
        ("raw.dutch", "raw.customers", "mart.dutch"),
    ):
        assert runs["flows 1"][view] == {base}
        assert runs["flows 1"][reader] == {view}
        assert base in runs["shown"].upstream("spark_table", job.table(reader))
        assert rest.attributes("spark_table", job.table(view))["tableType"] == "VIEW"


def test_run_facts_and_row_clauses_are_on_the_process(runs) -> None:
    shown = runs["shown"]
    (flags,) = (n for n in shown.own("spark_process") if ":mart.flags:" in n)
    attributes = shown.rest.attributes("spark_process", flags)
    assert attributes["name"] == "daily sales: mart.sales -> mart.flags"
    assert attributes["description"].startswith("Rows filtered by ")
    details = json.loads(attributes["details"])
    assert details["status"] == "succeeded"
    assert details["rows_by_filter"] == ["mart.sales.total"]


def test_lineage_is_one_way_from_the_first_file_to_the_last(runs) -> None:
    job, shown = runs["job"], runs["shown"]
    assert {"in/orders", "in/customers", "raw.orders", "mart.sales", "mart.by_country", "REPORT", "TOPIC"} <= (
        shown.upstream("fs_path", job.file("out/report"))
    )
    assert {"in/orders#amount", "raw.orders.amount", "mart.sales.total", "REPORT.total", "TOPIC#value"} <= (
        shown.upstream("avro_field", job.file("out/report#latest"))
    )


def test_every_dataset_has_its_columns(runs) -> None:
    rest, job = runs["shown"].rest, runs["job"]
    assert rest.related("spark_table", job.table("mart.sales"), "columns") == ["country", "customer", "id", "total"]
    assert rest.related("rdbms_table", job.rdbms("report"), "columns") == ["country", "customers", "total"]
    (schema,) = rest.related("fs_path", job.file("out/report"), "schema")
    fields = rest.related("avro_schema", job.file("out/report#schema"), "fields")
    assert schema
    assert fields == ["country", "latest"]


def test_no_shells_and_one_application(runs) -> None:
    shown, job = runs["shown"], runs["job"]
    assert [n for n in shown.rest.shells() if n.endswith(f"@{job.namespace}")] == []
    assert shown.own("spark_application") == ["daily sales@daily"]


def test_dropped_table_is_deleted_and_the_renamed_one_is_under_its_new_name_with_its_columns(runs) -> None:
    rest, job = runs["shown"].rest, runs["job"]
    scratch = rest.entity("spark_table", job.table("mart.scratch"))
    assert scratch is None or scratch["status"] == "DELETED"
    assert job.table("mart.scratch") in runs["deleted 1"]
    assert rest.entity("spark_table", job.table("mart.history_new")) is None
    columns = ["country", "note", "total"]
    assert rest.related("spark_table", job.table("mart.history"), "columns") == columns
    assert [n for n in runs["shown"].own("spark_column") if n.startswith("mart.history")] == [
        job.table(f"mart.history.{column}") for column in columns
    ]
    assert rest.attributes("spark_column", job.table("mart.history.note"))["comment"] == "by hand"


def test_a_second_run_adds_nothing(runs) -> None:
    assert runs["active 2"] == runs["active 1"]
    assert runs["deleted 2"] == runs["deleted 1"]


def test_a_changed_flow_is_separate_and_a_changed_expression_replaces_the_old_one(runs) -> None:
    assert runs["flows 3"] == {**FLOWS, "REPORT": {"mart.by_country", "mart.history"}}
    assert runs["columns 3"]["mart.sales.total"] == {"raw.orders.amount", "raw.customers.discount"}


def test_day_2_is_at_most_two_messages_a_write(runs) -> None:
    first, within_a_day, day_2, _ = runs["job"].sizes
    table = [
        f"{'day 1':<14}{first}",
        f"{'within a day':<14}{within_a_day}",
        f"{'day 2':<14}{day_2}",
    ]
    SIZES.parent.mkdir(exist_ok=True)
    SIZES.write_text("\n".join(table) + "\n")
    print("\n".join(table))
    writes = runs["stats day 2"]["processes"]
    assert day_2.messages <= 2 * writes
    assert within_a_day.messages <= 2 * writes
    assert within_a_day.bytes < day_2.bytes < first.bytes
    assert runs["active day 2"] == runs["active 1"]


@pytest.mark.exhaustive
def test_the_older_form_gives_the_same_lineage(atlas_server: RunningAtlas, tmp_path: Path) -> None:
    mark = atlas_server.logs.mark()
    job = DailyJob(atlas_server, tmp_path, "older", **{"atlas.hook.spark.message.form": "v1"})
    stats = job.run()
    atlas_server.assert_no_complaints(mark)
    shown = Shown(job)
    assert set(stats["message_types"]) <= {
        "ENTITY_CREATE",
        "ENTITY_FULL_UPDATE",
        "ENTITY_PARTIAL_UPDATE",
        "ENTITY_DELETE",
    }
    assert shown.flows("spark_process") == FLOWS
    assert shown.flows("spark_column_lineage") == COLUMNS
    assert [n for n in shown.rest.shells() if n.endswith("@older")] == []


def test_the_hive_model_gives_the_same_except_for_definitions_of_the_hive_hook(
    atlas_server: RunningAtlas, tmp_path: Path
) -> None:
    mark = atlas_server.logs.mark()
    job = DailyJob(atlas_server, tmp_path, "hive", **{"atlas.hook.spark.table.model": "hive"})
    job.run()
    atlas_server.assert_no_complaints(mark)
    shown = Shown(job)
    # The Hive hook reports renames and drops: a flow has the name that its table had when it was filled.
    expected = {**FLOWS, "mart.history_new": FLOWS["mart.history"], "mart.scratch": {"mart.by_country"}}
    del expected["mart.history"]
    assert shown.flows("spark_process") == expected
    assert shown.own("spark_table") == []
    columns = {target.replace("mart.history.", "mart.history_new."): sources for target, sources in COLUMNS.items()}
    dropped = {f"mart.scratch.{name}": {f"mart.by_country.{name}"} for name in ("country", "total", "customers")}
    assert shown.flows("spark_column_lineage") == {**columns, **dropped}
    assert [n for n in shown.rest.shells() if n.endswith("@hive")] == []
