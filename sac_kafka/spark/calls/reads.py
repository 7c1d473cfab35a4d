"""Remember the last reads of each thread that returned rows to the driver's Python, and find those that new data was made from.

A thread uses a read of another one only if the same frame or table object returns, and never one of another session.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sac_kafka.spark.calls.values import ColumnProof, SeenValues, has_rows, is_frame, is_table, proofs, seen

MAX_READS = 16
"""Limit of remembered reads per thread; the oldest is dropped first."""

MAX_FRAMES = 256
"""Limit of remembered frames and tables of all threads."""

WHOLE, VALUES, NAMES, LAST = "the whole of it", "values of it", "columns of its names", "read just before"
"""The evidence that data was made from a read."""


@dataclass(slots=True)
class RowsRead:
    """The rows that `query` (a DataFrame or an RDD) returned to the driver; `number` identifies it in notes.

    `data` is the frame or table that was given, as long as it lives; `proofs` are those of a frame's columns.
    """

    number: int
    session: Any
    query: weakref.ref[Any]
    values: SeenValues
    data: weakref.ref[Any] | None = None
    proofs: Mapping[str, ColumnProof] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RowsUsed:
    """A read that data was made from, and the evidence.

    `columns` are, for each column of the data, the position of the read's column that it is, None where it may have been
    changed; () if columns are unknown. `may_miss` is True if the data has values that no read has, or was not examined, and
    there are other reads: these may be sources, too.
    """

    read: int
    how: str
    columns: tuple[int | None, ...] = ()
    may_miss: bool = False


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.reads: deque[RowsRead] = deque(maxlen=MAX_READS)
        self.is_last = False  # whether the thread has used no other source since its last read
        self.session: Any = None  # the last session that it used


class RowsInDriver:
    """The reads observed by one hook, which are numbered by `numbers`."""

    def __init__(self, numbers: Iterator[int]) -> None:
        self._numbers = numbers
        self._thread = _OfThread()
        self._frames: deque[RowsRead] = deque(maxlen=MAX_FRAMES)

    def add(
        self,
        query: Any,  # noqa: ANN401 objects of PySpark
        session: Any,  # noqa: ANN401
        given: Any,  # noqa: ANN401
        values: SeenValues | None = None,
        *,
        is_whole: bool = True,
    ) -> int | None:
        """Remember a read of the calling thread; `values` are given if its rows are still to come.

        An RDD gives parts of results, too: what is not `is_whole` is known by its values alone.

        Returns:
            Its number where the query is not remembered, None where it is.
        """
        reads = self._thread.reads
        known = next((read for read in reads if read.query() is query), None)
        read = known or RowsRead(next(self._numbers), session, weakref.ref(query), SeenValues())
        if known is not None:
            reads.remove(known)
        read.values, read.data, read.proofs = seen(given) if values is None else values, None, {}
        if is_frame(given) or is_table(given):
            read.data = weakref.ref(given)
            read.proofs = proofs(given) if is_frame(given) else {}
            self._frames.append(read)
        reads.append(read)
        self._thread.is_last, self._thread.session = is_whole, session
        return read.number if known is None else None

    def number(self) -> int:
        """Return the number for a read whose rows do not reach the driver's Python."""
        return next(self._numbers)

    def names_a_source(self) -> None:
        """Note that the calling thread uses a source that it has not read before."""
        self._thread.is_last = False

    def works_in(self, session: Any) -> None:  # noqa: ANN401 objects of PySpark
        """Note that the calling thread uses a session: for a source, or for the RDD of a DataFrame."""
        self._thread.session = session

    @property
    def session(self) -> Any:  # noqa: ANN401 an object of PySpark
        """The last session used by the calling thread, None without one; an RDD does not know its session."""
        return self._thread.session

    def uses(self, data: Any, session: Any) -> tuple[RowsUsed, ...]:  # noqa: ANN401 objects of PySpark
        """Return the reads of the calling thread that data was provably made from."""
        reads = [read for read in self._thread.reads if _is_same(read.session, session)]
        if not has_rows(data):
            return ()
        frames = (read for read in self._frames.copy() if _is_same(read.session, session))
        whole = next((read for read in (*reads, *frames) if read.data is not None and read.data() is data), None)
        if whole is not None:
            return (RowsUsed(whole.number, WHOLE, tuple(_unchanged(whole, data))),)
        if not reads:
            return ()
        made = seen(data)
        # A frame that is transposed, melted or stacked has the names of columns among its values.
        given = [_with_names(read) if is_frame(data) else read for read in reads]
        found = tuple(_by_values(given, made)) or tuple(_by_names(reads, made))
        if not found and self._thread.is_last and reads[-1] is self._thread.reads[-1]:
            found = (RowsUsed(reads[-1].number, LAST),)
        return tuple(replace(used, may_miss=True) for used in found) if _may_miss(given, found, made) else found

    def found_in(self, values: SeenValues, session: Any) -> tuple[int, ...]:  # noqa: ANN401 a session of PySpark
        """Return the numbers of the calling thread's reads whose distinctive values or very objects a statement contains.

        A read whose object it was given counts in place of others that have an equal value.
        """
        passed = {read.number: tuple(values.shared_objects(read.values)) for read in self._thread.reads}
        if not values.telling and not any(passed.values()):
            return ()
        reads = [read for read in self._thread.reads if _is_same(read.session, session)]
        by_object = [read.number for read in reads if passed[read.number]]
        left = values.without(value for number in by_object for value in passed[number])
        by_value = (used.read for used in _by_values(reads, left)) if left.telling else ()
        return tuple(sorted({*by_object, *by_value}))

    @property
    def is_empty(self) -> bool:
        """Whether the calling thread has no remembered reads."""
        return not self._thread.reads


def _is_same(one: Any, other: Any) -> bool:  # noqa: ANN401 sessions: several objects of Python may be of one
    return one is other or bool(one._jsparkSession.equals(other._jsparkSession))


def _unchanged(read: RowsRead, data: Any) -> Iterator[int | None]:  # noqa: ANN401 a frame or a table
    """Yield for each column of a frame its position in the read if name and values are unchanged; Arrow tables never change."""
    if not is_frame(data):
        yield from range(data.num_columns)
        return
    now = proofs(data)
    for name in data.columns:
        before = read.proofs.get(name)
        is_unchanged = before is not None and name in now and now[name].values == before.values
        yield before.position if before is not None and is_unchanged else None


def _with_names(read: RowsRead) -> RowsRead:
    """Return the read with its column names added to its values."""
    return replace(read, values=replace(read.values, telling=read.values.telling | set(map(hash, read.values.names))))


def _may_miss(reads: Sequence[RowsRead], found: Sequence[RowsUsed], made: SeenValues) -> bool:
    used = {each.read for each in found}
    left = made.telling - set().union(*(read.values.telling for read in reads if read.number in used))
    return len(used) < len(reads) and (bool(left) or not made.is_known)


def _by_values(reads: Sequence[RowsRead], made: SeenValues) -> Iterator[RowsUsed]:
    """Yield the fewest reads that cover the values which data shares with any; most values first, the later of equal ones.

    Keys and states are values of many tables; a read is not used because it has some of them, too.
    """
    if not made.telling:
        known = next((read for read in reversed(reads) if made.plain and made.plain <= read.values.plain), None)
        if known is not None:
            yield RowsUsed(known.number, VALUES)
        return
    left, others = set(made.telling), list(reversed(reads))
    while others:
        best = max(others, key=lambda read: len(read.values.telling & left))
        if best.values.telling.isdisjoint(left):
            return
        yield RowsUsed(best.number, VALUES)
        left -= best.values.telling
        others.remove(best)


def _by_names(reads: Sequence[RowsRead], made: SeenValues) -> Iterator[RowsUsed]:
    """Yield the latest read that has the most column names of a frame, and at least half of them."""
    best = max(reversed(reads), key=lambda read: len(read.values.names & made.names))
    if made.names and 2 * len(best.values.names & made.names) >= len(made.names):
        yield RowsUsed(best.number, NAMES)
