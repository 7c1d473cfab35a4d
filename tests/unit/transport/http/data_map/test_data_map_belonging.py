"""Division of messages of any shape: nothing is lost, referenced entities go first, and references stay valid."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sac_kafka.transport.http.client import Answer
from sac_kafka.transport.http.data_map.division import JoinedBulk, detach, divide, divide_to_limit, units_of
from sac_kafka.transport.http.data_map.requests import Bulk, name_of
from tests.helpers.work import assert_linear
from tests.unit.transport.http.data_map.bench import entity

Graphs = st.lists(st.lists(st.integers(0, 11), max_size=4), min_size=1, max_size=12)


def message_of(graph: list[list[int]]) -> list[dict[str, Any]]:
    """Return an entity per list, which refers to those of the list's numbers."""
    made = []
    for number, targets in enumerate(graph):
        each = entity("DataSet", f"q{number}", f"-{number + 1}")
        there = [{"guid": f"-{target + 1}", "typeName": "DataSet"} for target in targets if target < len(graph)]
        each["relationshipAttributes"] = {"uses": there, "deep": {"first": there[0]}} if there else {}
        made.append(each)
    return made


def targets_of(each: Any, of_place: dict[str, str]) -> list[str]:
    """Return the qualified names that an entity refers to, by guid or by name."""
    uses = each["relationshipAttributes"].get("uses", [])
    return [of_place[use["guid"]] if "guid" in use else use["uniqueAttributes"]["qualifiedName"] for use in uses]


@given(Graphs)
@settings(max_examples=60, deadline=None)
def test_units_hold_every_entity_once_and_refer_only_backwards(graph: list[list[int]]) -> None:
    made = message_of(graph)
    names = {each["guid"]: each["attributes"]["qualifiedName"] for each in made}
    seen: set[str] = set()
    for unit in units_of(made):
        seen |= {each["attributes"]["qualifiedName"] for each in unit}
        assert {name for each in unit for name in targets_of(each, names)} <= seen
    assert sum(map(len, units_of(made))) == len(made) == len(seen)


@given(Graphs, st.sampled_from(["", "q3 is wrong", "q1 and q10"]))
@settings(max_examples=60, deadline=None)
def test_divided_messages_keep_references_and_use_guids_within_a_request(graph: list[list[int]], stated: str) -> None:
    made = message_of(graph)
    names = {each["guid"]: each["attributes"]["qualifiedName"] for each in made}
    wanted = {each["attributes"]["qualifiedName"]: targets_of(each, names) for each in made}
    waiting, done = [Bulk(tuple(made))], {}
    while waiting:
        bulk = waiting.pop(0)
        own = {each["guid"] for each in bulk.entities}
        for each in bulk.entities:
            assert {use["guid"] for use in each["relationshipAttributes"].get("uses", []) if "guid" in use} <= own
        parts = divide(bulk, Answer(400, {}, b'{"errorCode":"ATLAS-400","errorMessage":"%s"}' % stated.encode()))
        assert not parts or sum(len(part.entities) for part in parts) == len(bulk.entities)
        waiting = [*parts, *waiting]
        if not parts:
            done |= {each["attributes"]["qualifiedName"]: targets_of(each, names) for each in bulk.entities}
    assert done == wanted


def test_an_undivided_message_is_the_same_object() -> None:
    bulk = Bulk(tuple(message_of([[1], [0]])))
    assert divide_to_limit(bulk) == (bulk,)
    assert detach(bulk.entities, bulk.entities) == bulk.entities


def test_long_chains_and_many_references_take_linear_time() -> None:
    def message(count: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        chain = message_of([[n + 1] if n + 1 < count else [] for n in range(count)])
        everything = entity("Process", "all", "-99999")
        everything["relationshipAttributes"] = {"uses": [{"guid": each["guid"]} for each in chain]}
        return chain, everything

    def both_orders(count: int) -> Callable[[], object]:
        chain, everything = message(count)
        return lambda: (units_of([everything, *chain]), units_of([*chain, everything]))

    assert_linear(both_orders, 40)
    count = 2 * sys.getrecursionlimit()  # the chain is walked to its end, which no recursion would survive
    chain, everything = message(count)
    for entities in ([everything, *chain], [*chain, everything]):
        units = units_of(entities)
        assert [len(unit) for unit in units] == [1] * (count + 1)
        assert units[0][0]["attributes"]["qualifiedName"] == f"q{count - 1}"
        assert units[-1][0] is everything


@given(st.lists(Graphs, min_size=1, max_size=5), st.booleans())
@settings(max_examples=60, deadline=None)
def test_joined_messages_keep_their_content_and_hold_no_entity_twice(
    graphs: list[list[list[int]]], mixed: bool
) -> None:
    """Do not join a later message that contradicts an earlier one, nor those behind it."""
    joined, count, wanted = JoinedBulk(), 0, {}
    for number, graph in enumerate(graphs):
        made = message_of(graph)
        if mixed:  # with entities that no other message has
            made = [entity_of(each, f"{number}.") for each in made]
        names = {each["guid"]: each["attributes"]["qualifiedName"] for each in made}
        stated = {each["attributes"]["qualifiedName"]: targets_of(each, names) for each in made}
        if not joined.add(Bulk(tuple(made))):
            assert any(wanted.get(name, targets) != targets for name, targets in stated.items())
            break
        assert all(wanted.get(name, targets) == targets for name, targets in stated.items())
        wanted |= stated
        count += 1
    entities = joined.bulk.entities
    guids = [each["guid"] for each in entities]
    assert len(set(guids)) == len(guids) == len({name_of(each) for each in entities}) == len(wanted)
    names = {each["guid"]: each["attributes"]["qualifiedName"] for each in entities}
    assert {each["attributes"]["qualifiedName"]: targets_of(each, names) for each in entities} == wanted
    assert count or not wanted


def entity_of(each: dict[str, Any], prefix: str) -> dict[str, Any]:
    return each | {"attributes": each["attributes"] | {"qualifiedName": prefix + each["attributes"]["qualifiedName"]}}


def test_a_message_with_a_duplicate_entity_or_without_guids_is_unchanged() -> None:
    twice = Bulk((entity("DataSet", "q", "-1"), entity("DataSet", "q", "-2")))
    nameless = Bulk((entity("DataSet", "q"),))
    assert not JoinedBulk().add(twice)
    assert not JoinedBulk().add(nameless)
