"""Render an analyzed plan as text: one node per line, with its datasets and expressions."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator

from sac_kafka.lineage.datasets.leaves import reading
from sac_kafka.lineage.datasets.tables import table
from sac_kafka.lineage.datasets.writes import writes_of
from sac_kafka.lineage.expressions.rendering import render
from sac_kafka.model import Dataset, shown_name
from sac_kafka.plan.expressions import Attribute, Expression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import View

MAX_CHARACTERS = 30_000
"""Length of the text; a longer one is cut and ends with an ellipsis."""

_MAX_DATASETS = 3
"""Datasets listed per node."""


def plan_text(root: LogicalPlan) -> str:
    """Render a plan.

    Uses a stack instead of recursion, as plans may be deep. A subtree that occurs twice is rendered in full once.
    """
    names: dict[int, str] = {}
    lines: list[str] = []
    length = 0
    shown: set[int] = set()
    stack: list[tuple[int, LogicalPlan]] = [(0, root)]
    order: list[tuple[int, LogicalPlan]] = []
    while stack:
        depth, plan = stack.pop()
        order.append((depth, plan))
        names.update(_defined_columns(plan))
        if id(plan) in shown:
            continue
        shown.add(id(plan))
        stack.extend((depth + 1, below) for below in reversed((*plan.children, *plan.subqueries)))
    for depth, plan in order:
        line = f"{'  ' * min(depth, 50)}{plan.simple_name}{_dataset_names(plan)}{_detail(plan, names)}"
        lines.append(line)
        length += len(line) + 1
        if length > MAX_CHARACTERS:
            break
    text = "\n".join(lines)
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"


def _defined_columns(plan: LogicalPlan) -> Iterator[tuple[int, str]]:
    """Yield the exprId and name of each column that a node defines."""
    for value in _values(plan):
        if isinstance(value, Attribute):
            yield value.expr_id, value.name
        elif (name := getattr(value, "name", None)) is not None and hasattr(value, "expr_id"):
            yield value.expr_id, name


def _values(plan: LogicalPlan) -> Iterator[object]:
    for field in dataclasses.fields(plan):
        value = getattr(plan, field.name)
        if isinstance(value, tuple):
            yield from value
        else:
            yield value


def _dataset_names(plan: LogicalPlan) -> str:
    """Return the first datasets that a node reads or writes, and the number of further ones."""
    datasets = tuple(_datasets(plan))
    more = f", +{len(datasets) - _MAX_DATASETS}" if len(datasets) > _MAX_DATASETS else ""
    return f" {', '.join(map(shown_name, datasets[:_MAX_DATASETS]))}{more}" if datasets else ""


def _datasets(plan: LogicalPlan) -> Iterator[Dataset]:
    if isinstance(plan, View):
        if plan.table is not None:
            yield table(plan.table)
    elif plan.is_command:
        yield from (write.dataset for write in writes_of(plan, (), Counter()))
    elif not plan.children and (read := reading(plan, ())) is not None:
        yield from read.datasets


def _detail(plan: LogicalPlan, names: dict[int, str]) -> str:
    parts = [
        render(value, names.get) if isinstance(value, Expression) else value.name
        for value in _values(plan)
        if isinstance(value, (Expression, Attribute))
    ]
    return f" [{', '.join(parts)}]" if parts else ""
