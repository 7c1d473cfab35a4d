"""Map the output columns of a generator to the parts of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sac_kafka.lineage.columns.operands import EXTENT, ITEM, KEY, OperandUse, Path
from sac_kafka.lineage.model import Dependency
from sac_kafka.plan.expressions import Expression
from sac_kafka.plan.functions import Explode, Inline, PosExplode, Stack


def generated(generator: Expression, width: int) -> Sequence[Sequence[OperandUse]]:
    """Return the operand uses of each of the `width` output columns of a generator."""
    rule = _RULES.get(type(generator))
    if rule is None:
        return [[OperandUse(generator, Dependency.TRANSFORMATION)]] * width
    return rule(generator, width)


def _stack(e: Expression, width: int) -> Sequence[Sequence[OperandUse]]:
    return [[_value(c) for c in e.children[1 + i :: width]] for i in range(width)]


def _inline(e: Expression, width: int) -> Sequence[Sequence[OperandUse]]:
    return [[_value(e.children[0], (ITEM, i))] for i in range(width)]


def _explode(e: Expression, width: int) -> Sequence[Sequence[OperandUse]]:
    """Return the keys and values of a map, or the elements of an array."""
    return [[_value(e.children[0], (step,))] for step in ((KEY, ITEM) if width == 2 else (ITEM,) * width)]


def _posexplode(e: Expression, width: int) -> Sequence[Sequence[OperandUse]]:
    """Add the position, which is not a value of the collection but depends on its length."""
    return [[OperandUse(e.children[0], Dependency.CONDITIONAL, (EXTENT,))], *_explode(e, width - 1)]


def _value(e: Expression, path: Path = ()) -> OperandUse:
    return OperandUse(e, Dependency.TRANSFORMATION, path, passes_parts=True)


_RULES: dict[type, Callable[[Expression, int], Sequence[Sequence[OperandUse]]]] = {
    Stack: _stack,
    Inline: _inline,
    Explode: _explode,
    PosExplode: _posexplode,
}
