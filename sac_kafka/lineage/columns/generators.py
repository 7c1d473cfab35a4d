"""Which columns of a generator are made of which parts of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sac_kafka.lineage.columns.operands import EXTENT, ITEM, KEY, Path, Taken
from sac_kafka.lineage.model import Dependency
from sac_kafka.plan.expressions import Expression
from sac_kafka.plan.functions import Explode, Inline, PosExplode, Stack


def generated(generator: Expression, width: int) -> Sequence[Sequence[Taken]]:
    """For each of the `width` columns that a generator makes, the parts of expressions that it is made of."""
    of = _OF.get(type(generator))
    if of is None:
        return [[Taken(generator, Dependency.TRANSFORMATION)]] * width
    return of(generator, width)


def _stack(e: Expression, width: int) -> Sequence[Sequence[Taken]]:
    return [[_value(c) for c in e.children[1 + i :: width]] for i in range(width)]


def _inline(e: Expression, width: int) -> Sequence[Sequence[Taken]]:
    return [[_value(e.children[0], (ITEM, i))] for i in range(width)]


def _explode(e: Expression, width: int) -> Sequence[Sequence[Taken]]:
    """Of a map the keys and the values, of an array the elements."""
    return [[_value(e.children[0], (step,))] for step in ((KEY, ITEM) if width == 2 else (ITEM,) * width)]


def _posexplode(e: Expression, width: int) -> Sequence[Sequence[Taken]]:
    """The position is no value of the collection: its length decides which there are."""
    return [[Taken(e.children[0], Dependency.CONDITIONAL, (EXTENT,))], *_explode(e, width - 1)]


def _value(e: Expression, path: Path = ()) -> Taken:
    return Taken(e, Dependency.TRANSFORMATION, path, hands_on=True)


_OF: dict[type, Callable[[Expression, int], Sequence[Sequence[Taken]]]] = {
    Stack: _stack,
    Inline: _inline,
    Explode: _explode,
    PosExplode: _posexplode,
}
