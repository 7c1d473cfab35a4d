"""Checkpoints are distinguished by their RDDs; if it is unknown, all with the same columns may be read."""

from __future__ import annotations

from collections import Counter

import pytest

from sac_kafka.lineage.columns.checkpoints import MAX_CHECKPOINTS, Checkpoints
from sac_kafka.lineage.columns.origins import Origin
from sac_kafka.lineage.extract import origin
from sac_kafka.model.gaps import CHECKPOINT_AMBIGUOUS
from sac_kafka.plan.driver_notes import CHECKPOINT_MADE, DriverNote
from sac_kafka.plan.expressions import Attribute
from sac_kafka.plan.relations import HadoopFsRelation, LogicalRDD, LogicalRelation
from sac_kafka.spark.calls import rdds as calls
from tests.helpers.live_runs import APPLICATION
from tests.helpers.staged import Actions

MINE, OTHER = 7, 8


def files(name: str, expr_id: int = 1) -> LogicalRelation:
    relation = HadoopFsRelation(root_paths=(f"file:/{name}",), file_format="parquet")
    output = (Attribute(name="id", type="int", nullable=True, expr_id=expr_id),)
    return LogicalRelation(relation=relation, catalog_table=None, output=output)


def made_of(name: str) -> Origin:
    return origin(files(name), APPLICATION, Counter())


def leaf(rdd_id: int | None, expr_id: int = 1) -> LogicalRDD:
    output = (Attribute(name="id", type="int", nullable=True, expr_id=expr_id),)
    return LogicalRDD(output=output, rdd_id=rdd_id)


def read(known: Checkpoints, of: LogicalRDD) -> tuple[str, ...] | None:
    """Return what a leaf reads, with `?` if ambiguous; its columns come from the same."""
    found = known.origin_of(of)
    if found is None:
        return None
    names = tuple(d.key.rpartition("/")[2] for d in found.inputs)
    (column,) = found.columns.outputs
    assert column.expr_id == of.output[0].expr_id
    assert {s.dataset.rpartition("/")[2] for s in column.sources} == set(names)
    return (*names, *("?" for gap in found.gaps if gap == CHECKPOINT_AMBIGUOUS))


def test_checkpoints_with_equal_columns_are_distinguished_by_their_rdd():
    known = Checkpoints()
    known.add(made_of("a"), MINE)
    known.add(made_of("b"), OTHER)
    assert (read(known, leaf(MINE)), read(known, leaf(OTHER))) == (("a",), ("b",))


def test_checkpoint_read_under_other_ids_is_known_by_its_rdd():
    known = Checkpoints()
    known.add(made_of("a"), MINE)
    assert read(known, leaf(MINE, expr_id=100)) == ("a",)


@pytest.mark.parametrize("lazy_first", [False, True])
def test_lazy_checkpoints_are_distinguished_by_notes_of_the_driver(lazy_first: bool):
    known = Checkpoints()
    for name, rdd in (("a", MINE), ("b", OTHER)):
        if lazy_first:
            known.add_lazy(rdd, made_of(name))
        known.add(made_of(name))
        if not lazy_first:
            known.add_lazy(rdd, made_of(name))
    assert (read(known, leaf(OTHER, 100)), read(known, leaf(MINE))) == (("b",), ("a",))


def test_only_candidate_is_known_by_its_columns_and_then_under_any_ids():
    known = Checkpoints()
    known.add(made_of("a"))
    assert read(known, leaf(MINE, expr_id=100)) is None
    assert read(known, leaf(MINE)) == ("a",)
    assert read(known, leaf(MINE, expr_id=100)) == ("a",)
    assert read(known, leaf(OTHER)) is None


def test_ambiguous_checkpoint_reads_all_candidates_and_is_marked():
    known = Checkpoints()
    known.add(made_of("a"))
    known.add(made_of("b"))
    assert read(known, leaf(MINE)) == ("a", "b", "?")
    assert read(known, leaf(MINE, expr_id=100)) == ("a", "b", "?")


def test_checkpoint_identified_by_its_rdd_is_no_candidate_for_another():
    known = Checkpoints()
    known.add(made_of("a"), MINE)
    known.add(made_of("b"))
    assert read(known, leaf(MINE)) == ("a",)
    assert read(known, leaf(OTHER)) == ("b",)


def test_checkpoint_whose_job_computed_another_rdd_is_ambiguous():
    """Compute only a broadcast, so that the id belongs to no leaf."""
    known = Checkpoints()
    known.add(made_of("a"), OTHER)
    assert read(known, leaf(MINE)) == ("a", "?")


def test_the_oldest_are_forgotten():
    known = Checkpoints()
    for rdd in range(MAX_CHECKPOINTS + 1):
        known.add(made_of("a" if rdd == 0 else "b"), rdd)
        assert read(known, leaf(rdd)) is not None
    assert read(known, leaf(0)) is None
    assert read(known, leaf(1)) == ("b",)


def test_note_without_a_plan_is_only_counted():
    actions = Actions(APPLICATION)
    assert list(actions.add(DriverNote(kind=CHECKPOINT_MADE, text="7"))) == []
    assert actions.counts == {f"note of the driver not understood: {CHECKPOINT_MADE}": 1}


def test_notes_have_the_same_names_in_both_packages():
    assert calls.CHECKPOINT_MADE == CHECKPOINT_MADE
