"""Check that shown SQL means what the plan does: each operator is parsed again from the texts of its expressions.

Of an operator's columns the texts are made over the names of the columns below, parsed by Spark over the same plan below, and
compared: as optimized plans, and where these differ by their rows.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sac_kafka.lineage.expressions.rendering import render
from sac_kafka.lineage.expressions.sql_parts import PIVOT_VALUE
from sac_kafka.plan import wire
from sac_kafka.plan.expressions import Alias, AttributeReference, Expression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Aggregate, Project, Window
from tests.helpers.live_runs import SETTINGS, Capture
from tests.live.generated.running import frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tests.live.generated.trees import Statement

_HIDDEN = ("?", "…", "(subquery)", "spark_grouping_id", PIVOT_VALUE)
"""Parts of texts that cannot be parsed again: bounded, or without a form in SQL."""


_NOT_ALONE = ("CTERelationRef", "outer(")
"""What in a plan needs the one around it."""


@dataclasses.dataclass
class Judge:
    """Judges statements; counts the operators and the texts that it has compared."""

    spark: SparkSession
    operators: int = 0
    texts: int = 0
    by_rows: int = 0

    def __post_init__(self) -> None:
        # Strings too: a masked one could not be parsed again.
        self.capture = Capture(self.spark, dataclasses.replace(SETTINGS, literals=True))
        self._seen: set[tuple[str, ...]] = set()

    def faults(self, made: Statement) -> list[str]:
        """Return what is shown of a statement and means something else."""
        df = frame(self.spark, made)
        self.capture.drain()
        text = self.capture.text_of(df.collect)
        ends = [line.event for line in wire.read(text) if isinstance(line, wire.Projected)]
        plans = [q.analyzed for e in ends if (q := getattr(e, "query_execution", None)) is not None and q.analyzed]
        shown = plans[-1]
        faults = [f for pair in _pairs(shown, df._jdf.queryExecution().analyzed()) for f in self._operator(*pair)]
        self.capture.drain()
        return faults

    def _operator(self, plan: LogicalPlan, of: Any) -> Iterator[str]:
        made = _expressions(plan)
        if made is None or all(isinstance(e, AttributeReference) for e in made):
            return
        if any(name in of.children().apply(0).toString() for name in _NOT_ALONE):
            return
        below = self._frame(of.children().apply(0))
        names = {int(a.exprId().id()): f"c{i}" for i, a in enumerate(_each(of.children().apply(0).output()))}
        texts = [str(render(e, names.get)) for e in made]
        grouping = (
            [str(render(e, names.get)) for e in plan.grouping_expressions] if isinstance(plan, Aggregate) else None
        )
        texts_of_operator = (*texts, *(grouping or ()))
        if texts_of_operator in self._seen or any(hidden in text for text in texts_of_operator for hidden in _HIDDEN):
            return
        self._seen.add(texts_of_operator)
        self.operators += 1
        self.texts += len(texts)
        renamed = below.toDF(*(f"c{i}" for i in range(len(below.columns))))
        kept = list(renamed.columns) if isinstance(plan, Window) else []
        try:
            renamed.createOrReplaceTempView("below")
            by = f" GROUP BY {', '.join(grouping)}" if grouping else ""
            again = self.spark.sql(f"SELECT {', '.join((*kept, *texts))} FROM below{by}")
        except Exception as e:  # noqa: BLE001 reported with the texts
            yield f"{texts_of_operator}: {str(e)[:300]}"
            return
        expected = self._frame(of)
        if self._is_same(again, expected):
            return
        self.by_rows += 1
        # Of its own columns only: what a window's ties make of the columns below may be another time another thing.
        found, wanted = (_rows(df, last=len(texts)) for df in (again, expected))
        if found != wanted:
            yield f"{texts_of_operator}: {found} instead of {wanted}\n{of.toString()[:600]}"

    def _frame(self, plan: Any) -> DataFrame:
        from pyspark.sql import DataFrame

        jvm: Any = self.spark._jvm
        package = jvm.org.apache.spark.sql
        rows = package.Dataset if self.spark.version < "4" else package.classic.Dataset
        return DataFrame(rows.ofRows(self.spark._jsparkSession, plan), self.spark)

    @staticmethod
    def _is_same(one: DataFrame, other: DataFrame) -> bool:
        plans = [df._jdf.queryExecution().optimizedPlan() for df in (one, other)]
        return bool(plans[0].sameResult(plans[1]))


def _rows(df: DataFrame, last: int) -> Counter[str]:
    return Counter(repr(tuple(row)[-last:]) for row in df.collect())


def _each(of: Any) -> Iterator[Any]:
    it = of.iterator()
    while it.hasNext():
        yield it.next()


def _pairs(plan: LogicalPlan, of: Any) -> Iterator[tuple[LogicalPlan, Any]]:
    """Yield the operators as they were projected, and as they are."""
    stack = [(plan, of)]
    while stack:
        plan, of = stack.pop()
        if plan.simple_name != of.getClass().getSimpleName():
            continue
        yield plan, of
        stack.extend(zip(plan.children, _each(of.children()), strict=False))


def _expressions(plan: LogicalPlan) -> list[Expression] | None:
    """Return what each of the operator's own columns is made of; None where it only hands up others."""
    of = {Project: "project_list", Aggregate: "aggregate_expressions", Window: "window_expressions"}.get(type(plan))
    if of is None or any(not isinstance(e, (Alias, AttributeReference)) for e in getattr(plan, of)):
        return None
    return list(getattr(plan, of))
