"""Remember the last reads of each thread that returned rows to the driver's Python, and find those that new data was made from.

A thread uses a read of another one only if the same frame or table object returns, and never one of another session.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sac_kafka.spark.calls.constants import Constants
from sac_kafka.spark.calls.evidence import Evidence, by_values
from sac_kafka.spark.calls.values import ColumnProof, SeenValues, has_rows, is_frame, is_table, proofs, seen

MAX_READS = 16
"""Limit of remembered reads per thread; the oldest is dropped first."""

MAX_FRAMES = 256
"""Limit of remembered frames and tables of all threads."""

MAX_WITH_VALUES = 128
"""Limit of reads of all threads whose values are remembered, 16 MB; of older ones only the names of columns are."""

WHOLE = "the whole of it"
"""The evidence that data is the very object that a read returned; `evidence` has the others."""


@dataclass(eq=False)
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
    changed; () if columns are unknown. `alike` are other reads with the same evidence: it is one of these.
    """

    read: int
    how: str
    columns: tuple[int | None, ...] = ()
    alike: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RowsMade:
    """What data was made from: `uses` are the reads with evidence, `in_question` further ones that cannot be excluded."""

    uses: tuple[RowsUsed, ...] = ()
    in_question: tuple[int, ...] = ()


def _no_constants() -> Constants:
    return Constants()


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.reads: deque[RowsRead] = deque(maxlen=MAX_READS)
        self.session: Any = None  # the last session that it used
        self.is_making = False  # whether it is in `createDataFrame`, whose own reads do not reach the user


class RowsInDriver:
    """The reads observed by one hook, which are numbered by `numbers`."""

    def __init__(self, numbers: Iterator[int]) -> None:
        self._numbers = numbers
        self._thread = _OfThread()
        self._frames: deque[RowsRead] = deque(maxlen=MAX_FRAMES)
        self._with_values: OrderedDict[int, weakref.ref[RowsRead]] = OrderedDict()
        self._lock = threading.Lock()

    def add(
        self,
        query: Any,  # noqa: ANN401 objects of PySpark
        session: Any,  # noqa: ANN401
        given: Any,  # noqa: ANN401
        values: SeenValues | None = None,
    ) -> int | None:
        """Remember a read of the calling thread; `values` are given if its rows are still to come.

        A number that the query has counted is one more value of it.

        Returns:
            Its number where the query is not remembered, None where it is.
        """
        if self._thread.is_making:
            return None
        reads = self._thread.reads
        known = next((read for read in reads if read.query() is query), None)
        read = known or RowsRead(next(self._numbers), session, weakref.ref(query), SeenValues())
        if known is not None:
            reads.remove(known)
        reads.append(read)
        self._thread.session = session
        if type(given) is int:
            read.values.add((given,), 1)
        else:
            read.values, read.data, read.proofs = seen(given) if values is None else values, None, {}
        if is_frame(given) or is_table(given):
            read.data = weakref.ref(given)
            read.proofs = proofs(given) if is_frame(given) else {}
            self._frames.append(read)
        self._keep(read)
        return read.number if known is None else None

    def _keep(self, read: RowsRead) -> None:
        with self._lock:
            self._with_values[read.number] = weakref.ref(read)
            self._with_values.move_to_end(read.number)
            oldest = self._with_values.popitem(last=False)[1]() if len(self._with_values) > MAX_WITH_VALUES else None
        if oldest is not None:
            oldest.values = SeenValues(names=oldest.values.names, is_known=False)

    def number(self) -> int:
        """Return the number for a read whose rows do not reach the driver's Python."""
        return next(self._numbers)

    def makes(self, *, is_making: bool) -> None:
        """Note that the calling thread is in `createDataFrame`, or no longer: what it reads there does not reach the user."""
        self._thread.is_making = is_making

    def works_in(self, session: Any) -> None:  # noqa: ANN401 objects of PySpark
        """Note that the calling thread uses a session: for a source, or for the RDD of a DataFrame."""
        self._thread.session = session

    @property
    def session(self) -> Any:  # noqa: ANN401 an object of PySpark
        """The last session used by the calling thread, None without one; an RDD does not know its session."""
        return self._thread.session

    def made_of(
        self,
        data: Any,  # noqa: ANN401 objects of PySpark
        session: Any,  # noqa: ANN401
        program: Callable[[], Constants] = _no_constants,
        names: Sequence[str] = (),
    ) -> RowsMade:
        """Return the reads that data was provably made from, and those of the calling thread that cannot be excluded.

        `program` returns the constants of the calling functions; `names` are those that the data's columns get.
        """
        if not has_rows(data):
            return RowsMade()
        reads = [read for read in self._thread.reads if _is_same(read.session, session)]
        frames = (read for read in self._frames.copy() if _is_same(read.session, session))
        whole = next((read for read in (*reads, *frames) if read.data is not None and read.data() is data), None)
        others = [read for read in reads if read is not whole]
        if whole is None and not others:
            return RowsMade()
        unchanged = () if whole is None else tuple(_unchanged_columns(whole, data))
        uses = () if whole is None else (RowsUsed(whole.number, WHOLE, unchanged),)
        if not others or (whole is not None and None not in unchanged):
            return RowsMade(uses)
        constants = program()
        constants.objects.difference_update(
            *(read.values.objects for read in reads)
        )  # a variable may hold what was read
        made = seen(data, program=constants, names=names)
        if whole is not None:
            made = made.only({name for name, at in zip(data.columns, unchanged, strict=False) if at is None})
        known = {read.number: _with_names(read) if is_frame(data) else read.values for read in reads}
        found = Evidence(known, made, {} if whole is None else {whole.number: known.get(whole.number, whole.values)})
        proven = tuple(RowsUsed(each.read, each.how, (), each.alike) for each in found.proven)
        used = {*(use.read for use in uses), *(read for each in found.proven for read in (each.read, *each.alike))}
        return RowsMade((*uses, *proven), tuple(number for number in found.in_question if number not in used))

    def found_in(self, values: SeenValues, session: Any) -> tuple[int, ...]:  # noqa: ANN401 a session of PySpark
        """Return the numbers of the calling thread's reads whose distinctive values or very objects a statement contains.

        A read whose object it was given counts in place of others that have an equal value.
        """
        passed = {read.number: tuple(values.shared_objects(read.values)) for read in self._thread.reads}
        if not values.telling and not any(passed.values()):
            return ()
        reads = {read.number: read.values for read in self._thread.reads if _is_same(read.session, session)}
        by_object = [number for number in reads if passed[number]]
        left = values.without(value for number in by_object for value in passed[number])
        by_value = (taken.read for taken in by_values(reads, left, left.telling))
        return tuple(sorted({*by_object, *by_value}))

    @property
    def is_making(self) -> bool:
        """Whether the calling thread is in `createDataFrame`."""
        return self._thread.is_making

    @property
    def is_empty(self) -> bool:
        """Whether the calling thread has no remembered reads."""
        return not self._thread.reads


def _is_same(one: Any, other: Any) -> bool:  # noqa: ANN401 sessions: several objects of Python may be of one
    return one is other or bool(one._jsparkSession.equals(other._jsparkSession))


def _unchanged_columns(read: RowsRead, data: Any) -> Iterator[int | None]:  # noqa: ANN401 a frame or a table
    """Yield for each column of a frame its position in the read if name and values are unchanged; Arrow tables never change."""
    if not is_frame(data):
        yield from range(data.num_columns)
        return
    now = proofs(data)
    for name in data.columns:
        before = read.proofs.get(name)
        is_unchanged = before is not None and name in now and now[name].values == before.values
        yield before.position if before is not None and is_unchanged else None


def _with_names(read: RowsRead) -> SeenValues:
    """Return the values of a read and the names of its columns: a frame that is transposed or melted has them in cells."""
    return read.values.with_more(map(hash, read.values.names))
