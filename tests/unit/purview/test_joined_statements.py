"""Several statements between the same assets: one process whose column mapping has the columns of each of them."""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.model import REPLACED, ColumnLineage, ColumnSource, Dependency
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.flows.columns import DatasetMapping, SentMappings
from tests.unit.atlas.flows import RUN, copy, path
from tests.unit.purview.account import DATABRICKS, LAKE, Account, entities, mapping, processes
from tests.unit.purview.judge import problems

ORDERS = path(f"{LAKE}/orders", "id", "amount")
TOTALS = path("abfss://curated@contosolake.dfs.core.windows.net/totals", "id", "amount")
FLOW = copy(ORDERS, TOTALS)
FIRST, SECOND = replace(FLOW, columns=FLOW.columns[:1]), replace(FLOW, columns=FLOW.columns[1:])


def _sinks(account: Account, *flows: object) -> list[set[str]]:
    """Return the columns in the mapping of each flow's process; an empty set if the flow was not sent."""
    sent = [processes(account.deliver(flow)) for flow in flows]  # type: ignore[arg-type]
    return [{sink for each in one for *_, sink in mapping(each)} for one in sent]


def test_statements_that_fill_different_columns_are_joined() -> None:
    assert _sinks(Account(), FIRST, SECOND) == [{"id"}, {"id", "amount"}]


def test_statement_that_replaces_the_output_starts_from_empty() -> None:
    assert _sinks(Account(), FIRST, replace(SECOND, extent=REPLACED)) == [{"id"}, {"amount"}]


def test_failed_statement_fills_no_columns() -> None:
    assert _sinks(Account(), replace(FIRST, run=replace(RUN, failure="SparkException")), SECOND) == [set(), {"amount"}]


def test_same_statement_again_sends_nothing() -> None:
    assert _sinks(Account(), FIRST, SECOND, SECOND) == [{"id"}, {"id", "amount"}, set()]


def test_oldest_flows_are_forgotten() -> None:
    source, sinks = Asset(type_name="t", qualified_name="in", name="in", rule=""), []
    mappings = SentMappings(max_pairs=3)
    for name in ("a", "b"):
        sink = replace(source, qualified_name=name)
        sinks.append(sink)
        mappings.with_earlier(name, [DatasetMapping(source, sink, (("x", "x"), ("y", "y")))], replaces=False)

    (known,) = mappings.with_earlier("b", [DatasetMapping(source, sinks[1], (("z", "z"),))], replaces=False)
    (forgotten,) = mappings.with_earlier("a", [DatasetMapping(source, sinks[0], (("z", "z"),))], replaces=False)
    assert (known.pairs, forgotten.pairs) == ((("x", "x"), ("y", "y"), ("z", "z")), (("z", "z"),))


def test_flows_without_columns_are_forgotten_too() -> None:
    mappings = SentMappings(max_pairs=3)
    for number in range(100):
        mappings.with_earlier(number, [], replaces=False)

    assert len(mappings) == 3


def test_column_made_by_conditions_alone_has_no_source() -> None:
    condition = ColumnSource(ORDERS.key, "amount", Dependency.CONDITIONAL)
    size = ColumnLineage(dataset=TOTALS.key, column="size", sources=(condition,))
    flow = replace(FLOW, columns=(size,))

    (found,) = processes(Account().deliver(flow))
    assert {(source, column) for source, _, column, _ in mapping(found)} == {("*", "*")}
    (found,) = processes(Account(purview__column__influence="true").deliver(flow))
    assert [column for *_, column, _ in mapping(found)] == ["amount"]


def test_the_definition_of_a_view_needs_no_notebook() -> None:
    for types in ("built-in", "own"):
        account = Account(DATABRICKS, purview__process__types=types)
        made = account.made(replace(FLOW, application=DATABRICKS, defines_view=True))
        assert [each for message in made for each in problems(message.value)] == []
    sent = entities(Account(DATABRICKS).deliver(replace(FLOW, application=DATABRICKS, defines_view=True)))
    assert [each["typeName"] for each in sent][-1] == "azure_synapse_operation"
