"""The page as text: complete, without network access, and names stay names."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from importlib.resources import files

from sac_kafka.tools.graph.graph import graph_of, label_graph
from sac_kafka.tools.messages.model import ColumnFlow, LineageColumn
from sac_kafka.tools.view.page import SCRIPTS, contents, page
from sac_kafka.tools.view.words import COLOURS, family
from tests.unit.tools.view.graphs import HOSTILE, demo, hostile, process

FOLDER = files("sac_kafka.tools.view") / "browser"


class Elements(HTMLParser):
    """The elements of a page with their attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.is_open = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs) -> None:
        self.found.append((tag, dict(attrs), ""))
        self.is_open = True

    def handle_endtag(self, tag) -> None:
        self.is_open = False

    def handle_data(self, data) -> None:
        if self.is_open:
            tag, attributes, text = self.found[-1]
            self.found[-1] = tag, attributes, text + data

    def of(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attributes, text) for name, attributes, text in self.found if name == tag]


def test_page_has_the_whole_graph() -> None:
    graph = label_graph(demo())
    ((_, text),) = [each for each in Elements(page(demo(), "demo")).of("script") if each[0].get("id") == "values"]
    values = json.loads(text)
    assert values == contents(demo(), "demo")
    assert [each["name"] for each in values["datasets"]] == list(graph.datasets)
    assert [each["id"] for each in values["processes"]] == list(graph.processes)
    names = [(values["datasets"][int(key[1:])]["name"], name) for key, name, _ in values["columns"]]
    expected = {
        (each.source.dataset, each.source.name, each.target.dataset, each.target.name, each.is_direct, each.expression)
        for each in graph.column_edges()
    }
    shown = {
        (*names[source], *names[target], bool(direct), values["expressions"][expression])
        for source, target, _, direct, expression in values["flows"]
    }
    assert shown == expected
    assert len(values["flows"]) == sum(1 for _ in graph.column_edges())


def test_the_policy_allows_what_is_in_the_page_and_no_address() -> None:
    elements = Elements(page(hostile(), "hostile"))
    (policy,) = (each["content"] for each, _ in elements.of("meta") if each.get("http-equiv"))
    allowed = re.findall(r"'sha256-([^']+)'", policy or "")
    ours = [text for attributes, text in elements.of("script") if "id" not in attributes]
    ours += [text for _, text in elements.of("style")]
    hashes = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in ours]
    assert sorted(allowed) == sorted(hashes)
    assert "default-src 'none'" in (policy or "")
    assert "http" not in (policy or "").replace("http-equiv", "")
    assert [each for _, each, _ in elements.found if "src" in each] == []
    assert [each["href"] for _, each, _ in elements.found if "href" in each] == ["data:,"]


def test_no_name_ends_the_element_that_holds_it() -> None:
    text = page(hostile(), HOSTILE[0])
    elements = Elements(text)
    assert len(elements.of("script")) == 2
    assert elements.of("img") == []
    ((_, title),) = elements.of("title")
    assert title == f"{HOSTILE[0]} · lineage"
    held = text.partition('id="values">')[2].partition("</script>")[0]
    assert not set("<>&\u2028\u2029\u202e") & set(held)
    text.encode()  # no half of a pair is left


def test_every_script_of_the_folder_runs_and_no_other() -> None:
    assert sorted(SCRIPTS) == sorted(each.name for each in FOLDER.iterdir() if each.name.endswith(".js"))
    ((_, text),) = [each for each in Elements(page(demo(), "demo")).of("script") if "id" not in each[0]]
    assert text == "\n".join(['"use strict";', *(FOLDER.joinpath(name).read_text("utf-8") for name in SCRIPTS)])


def test_reasons_for_partial_lineage() -> None:
    (shown,) = contents(
        graph_of([process("p", "a", "b", other_sources="parallelize", attributes={"lineage": "partial: budget"})]), ""
    )["processes"]
    assert shown["reasons"] == {"lineage": "budget", "other_sources": "parallelize"}


def test_complete_process_has_no_reasons() -> None:
    (shown,) = contents(graph_of([process("p", "a", "b", attributes={"lineage": "complete"})]), "")["processes"]
    assert (shown["reasons"], shown["facts"]) == ({}, {"lineage": "complete"})


def test_rows_of_values_are_no_reason_where_lineage_is_complete() -> None:
    about = {"lineage": "complete", "other_sources": "rows of the driver"}
    (shown,) = contents(graph_of([process("p", "", "b", other_sources="rows of the driver", attributes=about)]), "")[
        "processes"
    ]
    assert (shown["reasons"], shown["facts"]) == ({}, about)


def test_a_constant_and_the_mark_of_a_files_column() -> None:
    flow = ColumnFlow(LineageColumn("file:/out", "x", "#"), (LineageColumn("s.a", "x"),))
    made = ColumnFlow(LineageColumn("file:/out", "one", "#"), (), "1")
    values = contents(graph_of([process("p", "s.a", "file:/out", flow, constant_columns=(made,))]), "")
    assert [each["mark"] for each in values["datasets"]] == [".", "#"]
    assert [values["columns"][number] + [text] for number, text in values["constants"]] == [["d1", "one", "1"]]


def test_families_have_the_same_colours_in_every_picture() -> None:
    style = FOLDER.joinpath("page.css").read_text("utf-8").partition("}")[0]
    assert {name: re.search(rf"--{name}: (#\w+);", style)[1] for name in COLOURS} == COLOURS
    families = re.search(r"FAMILIES = (\[.*\]);", FOLDER.joinpath("model.js").read_text("utf-8"))
    assert json.loads(families[1]) == list(dict.fromkeys(json.loads(families[1])))
    assert set(json.loads(families[1])) == set(COLOURS)
    assert {family(each) for each in ("", "spark_ml_model", "hive_db", "azure_sql_view", "fs_path")} <= set(COLOURS)
