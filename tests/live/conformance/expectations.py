"""The cases of the conformance file, and how an expectation is compared.

Strict: the tables read and written are those expected, and each output column has exactly the expected sources, of
whatever kind on the level of the column. A view is what the case's configuration makes of it: a table, or what is below it; the
hook reports both. The tags of a case name expectations that are the choice of the tool that it was made for:

* `kyuubi_policy_where_subquery_not_input`: more inputs than expected (the tables of the subqueries in WHERE);
* `kyuubi_policy_count_star`: `count(*)` has no source, instead of a separate column;
* `kyuubi_policy_copy_on_write`: the target's own columns may be missing among the sources, as the copies they are;
* `kyuubi_policy_condition_counts`, `…_window_spec_counts`, `…_correlation_counts`: those columns may be indirect sources, of
  the column or of the rows;
* `path_input`: a path that is read is an input, with its columns.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

VARIABLE = "SAC_KAFKA_CONFORMANCE"
MISSING = f"{VARIABLE} is not set: it names the JSON file of cases, make conformance {VARIABLE}=/path/to/cases.json"
STOP_AT_VIEWS = "spark.kyuubi.plugin.lineage.skip.parsing.permanent.view.enabled"
_INDIRECT = frozenset(f"kyuubi_policy_{what}_counts" for what in ("condition", "window_spec", "correlation"))


@dataclass(frozen=True, slots=True)
class ConformanceCase:
    """A case as the file has it."""

    id: str
    setup: tuple[str, ...]
    sql: str | None
    steps: tuple[str, ...]
    table: Mapping[str, str] | None
    catalogs: tuple[str, ...]
    stops_at_views: bool
    inputs: frozenset[str]
    outputs: frozenset[str]
    columns: tuple[tuple[str, frozenset[str]], ...]
    tags: frozenset[str]

    @property
    def is_query(self) -> bool:
        """True for a query, which the hook does not report by itself."""
        return bool(self.columns) and not self.outputs

    @property
    def has_row_level_tables(self) -> bool:
        """True where the tables of the V2 catalog take MERGE and UPDATE."""
        return ".rowlevel." in self.id

    @property
    def fails(self) -> bool:
        """True for a MERGE into a table that cannot run it: it is analyzed, then fails."""
        return ".MergeIntoTable." in self.id


def read_cases() -> tuple[ConformanceCase, ...]:
    """Return the cases of the file that the environment names; none where it names none."""
    path = os.environ.get(VARIABLE)
    return tuple(map(_case, json.loads(Path(path).read_text("utf-8")))) if path else ()


def _case(of: Mapping[str, Any]) -> ConformanceCase:
    return ConformanceCase(
        id=of["id"],
        setup=tuple(of["setup_sql"]),
        sql=of["sql"],
        steps=tuple(of.get("dataframe_steps") or ()),
        table=(of.get("setup_other") or {}).get("create_catalog_table"),
        catalogs=tuple(of["catalogs_needed"]),
        stops_at_views=(of["conf"] or {}).get(STOP_AT_VIEWS) == "true",
        inputs=frozenset(map(str.lower, of["expected_inputs"])),
        outputs=frozenset(map(str.lower, of["expected_outputs"])),
        columns=tuple((name.lower(), frozenset(map(str.lower, sources))) for name, sources in of["expected_columns"]),
        tags=frozenset(of["tags"]),
    )


@dataclass(frozen=True, slots=True)
class Found:
    """The lineage that the hook reports for a case, in the names of the file: `columns` in order, their sources by directness."""

    inputs: frozenset[str]
    outputs: frozenset[str]
    columns: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = ()  # name, direct sources, all sources
    rows: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()  # among the inputs


def differences(case: ConformanceCase, found: Found) -> list[str]:
    """Return what is not as expected."""
    differences_found = []
    inputs = found.inputs - found.paths if "path_input" in case.tags else found.inputs
    if "kyuubi_policy_where_subquery_not_input" in case.tags:
        more = inputs - case.inputs
        if not case.inputs < inputs or not all(name.rpartition(".")[2] in (case.sql or "").lower() for name in more):
            differences_found.append(
                f"inputs {_list(inputs)} are not {_list(case.inputs)} and tables of the subqueries"
            )
    elif inputs != case.inputs:
        differences_found.append(f"inputs {_list(inputs)}, expected {_list(case.inputs)}")
    if "path_input" in case.tags and not found.paths:
        differences_found.append("no path among the inputs")
    if not case.is_query and found.outputs != case.outputs:
        differences_found.append(f"outputs {_list(found.outputs)}, expected {_list(case.outputs)}")
    names = sorted(name for name, _ in case.columns)
    if sorted(name for name, _, _ in found.columns) != names:
        return [*differences_found, f"columns {[name for name, _, _ in found.columns]}, expected {names}"]
    return [*differences_found, *_columns(case, found)]


def _columns(case: ConformanceCase, found: Found) -> Iterable[str]:
    # By position: a query may have several columns of one name.
    for (name, expected), (_, direct, every) in zip(
        sorted(case.columns, key=lambda c: c[0]), sorted(found.columns, key=lambda c: c[0]), strict=True
    ):
        if not is_expected(case, found, expected, direct, every):
            yield f"{name} <- direct {_list(direct)}, all {_list(every)}, expected {_list(expected)}"


def is_expected(
    case: ConformanceCase, found: Found, expected: frozenset[str], direct: frozenset[str], every: frozenset[str]
) -> bool:
    """Return whether the sources of a column are those expected, or those that the case's tags allow."""
    if "path_input" in case.tags:
        direct, every = (frozenset(s for s in part if _table(s) not in found.paths) for part in (direct, every))
    if "kyuubi_policy_count_star" in case.tags:
        expected = frozenset(s for s in expected if not s.endswith(".__count__"))
    if "kyuubi_policy_copy_on_write" in case.tags:
        own = frozenset(s for s in expected if _table(s) in case.outputs)
        return every <= expected and expected - own <= every
    if case.tags & _INDIRECT:
        return direct <= expected <= every | found.rows
    return every == expected


def _table(column: str) -> str:
    return column.rpartition(".")[0]


def _list(names: Iterable[str]) -> str:
    return "[" + ", ".join(sorted(names)) + "]"


def table_of_results(results: Sequence[tuple[str, str, Sequence[str]]]) -> list[str]:
    """Lines: a case, its policy tags, what came out."""
    width = max((len(name) for name, _, _ in results), default=0)
    lines = [
        f"{name:<{width}}  {'; '.join(wrong) or 'as expected'}{tags and f'  [{tags}]'}" for name, tags, wrong in results
    ]
    good = sum(not wrong for _, _, wrong in results)
    return [*lines, f"{good} of {len(results)} cases as expected"]
