"""Which columns of a generator come from which of its arguments: exact where the arguments are spelled out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sac_kafka.lineage.columns.dependencies import DependsOn
from sac_kafka.lineage.model import Dependency
from sac_kafka.plan.expressions import Cast, CreateArray, CreateMap, CreateNamedStruct, Expression
from sac_kafka.plan.functions import Explode, Inline, PosExplode, Stack


def generated(generator: Expression, width: int) -> Sequence[Sequence[DependsOn]]:
    """For each of the `width` columns that a generator makes, the expressions it is made of and how they are used."""
    exact = _EXACT.get(type(generator))
    found = exact(generator, width) if exact is not None else None
    if found is not None and len(found) == width:
        return found
    return [[(generator, Dependency.TRANSFORMATION)]] * width


def _values(expressions: Sequence[Expression]) -> list[DependsOn]:
    return [(e, Dependency.TRANSFORMATION) for e in expressions]


def _stack(e: Expression, width: int) -> Sequence[Sequence[DependsOn]]:
    return [_values(e.children[1 + i :: width]) for i in range(width)]


def _inline(e: Expression, width: int) -> Sequence[Sequence[DependsOn]] | None:
    array = _uncast(e.children[0])
    structs = [_uncast(s) for s in array.children] if isinstance(array, CreateArray) else []
    known = [s.values for s in structs if isinstance(s, CreateNamedStruct) and len(s.values) == width]
    if not structs or len(known) != len(structs):
        return None
    return [_values([values[i] for values in known]) for i in range(width)]


def _explode(e: Expression, width: int) -> Sequence[Sequence[DependsOn]] | None:
    collection = _uncast(e.children[0])
    if isinstance(collection, CreateMap) and width == 2:
        return [_values(collection.children[::2]), _values(collection.children[1::2])]
    return None


def _posexplode(e: Expression, width: int) -> Sequence[Sequence[DependsOn]]:
    """The position is no value of the collection: its length decides which there are."""
    position: list[DependsOn] = [(e.children[0], Dependency.CONDITIONAL)]
    return [position, *(_explode(e, width - 1) or [_values(e.children)] * (width - 1))]


def _uncast(e: Expression) -> Expression:
    while isinstance(e, Cast):
        e = e.children[0]
    return e


_EXACT: dict[type, Callable[[Expression, int], Sequence[Sequence[DependsOn]] | None]] = {
    Stack: _stack,
    Inline: _inline,
    Explode: _explode,
    PosExplode: _posexplode,
}
