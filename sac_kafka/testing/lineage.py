"""What a test asks of the lineage of its jobs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, NoReturn

from sac_kafka.atlas.flows.run_facts import PARTIAL
from sac_kafka.errors import LineageTestError, MessageError
from sac_kafka.readable.asked import dataset_names, meant_by, near
from sac_kafka.readable.flows import Flow, flows
from sac_kafka.readable.lineage import said
from sac_kafka.readable.names import process_as_shown
from sac_kafka.readable.told import ToldProcess
from sac_kafka.testing import failures
from sac_kafka.testing.golden import GoldenFiles, ordered
from sac_kafka.testing.shortening import Shortening
from sac_kafka.testing.watching import Watching

DatasetName = str | PathLike[str]
"""A dataset as a test names it: its name, the end of it, or a local path."""
DatasetNames = Iterable[DatasetName] | DatasetName
"""Several of them, or one: a text is one name, and never its letters."""
_OF_COLUMNS = tuple(
    (mark, re.compile(rf"(?P<dataset>.+){re.escape(mark)}(?P<name>`(?P<quoted>(?:[^`]|``)*)`|[^{mark}`]*)", re.DOTALL))
    for mark in "#."
)
"""How the names of columns end, by what stands before them: of files and topics `#`, of tables a dot."""


class Lineage:
    """The lineage of one test, as the fixture `lineage` gives it.

    Datasets are named as Atlas names them, without the namespace (`sales.orders`, `s3a://bucket/key`); the end of the name
    will do where a test asks for one. Folders that pytest has made are written `{tmp_path}` and `{basetemp}`. Each question
    waits until everything that has run so far is told.
    """

    def __init__(self, watching: Watching, names: Shortening, golden: GoldenFiles, fixture: str) -> None:
        self._watching = watching
        self._names = names
        self._golden = golden
        self._fixture = fixture

    def __repr__(self) -> str:
        """Say what it is of."""
        return f"<Lineage of this test, {'watched' if self._watching.is_any else 'without a session'}>"

    def attach(self, spark: Any, **settings: object) -> None:  # noqa: ANN401 a SparkSession or SparkContext
        """Watch a session, where it is not the one that the fixture has found; before the job runs.

        Args:
            spark: A SparkSession or SparkContext of this process.
            settings: Settings of the hook, as `sac_kafka.attach` takes them; what a context had first stays.

        Raises:
            LineageTestError: It cannot be watched: no driver in this process, or a hook that sends elsewhere.
        """
        self._watching.attach(spark, settings)

    def abbreviate(self, folder: str | PathLike[str], name: str) -> None:
        """Write `name`, such as `{data}`, for a folder, so that a golden file is the same on every machine."""
        self._names.add(name, folder)

    @property
    def flows(self) -> tuple[Flow, ...]:
        """What this test has read and written so far, in the order in which it was first seen.

        Raises:
            LineageTestError: No session is watched, or the hook did not get so far in time.
        """
        return tuple(map(self._names.flow, flows(each.encode("utf-8", "surrogatepass") for each in self._messages())))

    def inputs(self, output: DatasetName) -> frozenset[str]:
        """Give the datasets that a dataset was made of, over all flows of this test.

        Raises:
            AssertionError: The test has not written it.
        """
        __tracebackhide__ = True
        there = self.flows
        name = self._output(output, there)
        return frozenset(source for each in there if name in each.outputs for source in each.inputs)

    def columns(self, column: str) -> frozenset[str]:
        """Give the columns that the value of a column is made of: of a literal none.

        Args:
            column: `DATASET.COLUMN`, or `DATASET#COLUMN`.

        Raises:
            AssertionError: The test has written no such column.
        """
        __tracebackhide__ = True
        return self._sources(column, lambda flow: flow.columns)

    def influences(self, column: str) -> frozenset[str]:
        """Give the columns that only decide the value of a column: conditions, windows.

        Args:
            column: `DATASET.COLUMN`, or `DATASET#COLUMN`.

        Raises:
            AssertionError: The test has written no such column.
        """
        __tracebackhide__ = True
        return self._sources(column, lambda flow: flow.influences)

    def assert_flow(self, *, inputs: DatasetNames, output: DatasetName) -> None:
        """Fail unless one flow of this test writes the output and reads exactly these inputs.

        Args:
            inputs: What is read; none for a flow that makes its rows itself.
            output: What is written.

        Raises:
            AssertionError: There is none: says what was expected, what was seen, and what is spelt alike.
        """
        __tracebackhide__ = True
        there = self.flows
        name, expected = self._output(output, there), [self._asked(each) for each in _listed(inputs)]
        of_output = [each for each in there if name in each.outputs]
        if not any(_is_made_of(each, expected) for each in of_output):
            raise self._failure(failures.other_inputs(name, expected, of_output))

    def assert_column(self, column: str, *, made_of: DatasetNames, influenced_by: DatasetNames | None = None) -> None:
        """Fail unless a column is made of exactly these columns; the ends of their names will do.

        Args:
            column: `DATASET.COLUMN`, or `DATASET#COLUMN`.
            made_of: The columns whose values flow into it; none for a literal.
            influenced_by: The columns that decide its value; None for any.

        Raises:
            AssertionError: It is made of others: says what was expected and what was seen.
        """
        __tracebackhide__ = True
        parts = [("made of", made_of, self.columns(column))]
        if influenced_by is not None:
            parts.append(("influenced by", influenced_by, self.influences(column)))
        for word, wanted, seen in parts:
            expected = [self._names.short(each) for each in _listed(wanted)]
            if not _are(expected, seen, _column_names):
                raise self._failure(failures.other_columns(column, word, expected, sorted(seen), _column_names))

    def assert_golden(self, name: str) -> None:
        """Fail unless all flows of this test are those of the golden file `lineage/NAME.json` beside the file of the test.

        `pytest --lineage-update` writes what was seen into the file.

        Raises:
            AssertionError: They differ, or there is no such file: says how, and what to do.
            LineageTestError: The file is no golden file, or the name none of a file.
        """
        __tracebackhide__ = True
        file, there = self._golden.file(name), ordered(self.flows)
        if not there:
            self._fail_without_flows()
        if self._golden.is_updating:
            self._golden.write(file, there)
            return
        expected = self._golden.read(file)
        if expected is None:
            raise self._failure(failures.no_golden(file, there))
        if expected != there:
            raise self._failure(failures.other_than_golden(file, expected, there))

    def _messages(self) -> tuple[str, ...]:
        if not self._watching.is_any:
            raise LineageTestError(
                f"no Spark session is watched: have a fixture `{self._fixture}` give it (lineage_spark_fixture names another "
                "one), or call lineage.attach(session) before the job runs"
            )
        return self._watching.messages()

    def _output(self, asked: DatasetName, there: Sequence[Flow]) -> str:
        """The dataset of the flows' outputs that is meant."""
        __tracebackhide__ = True
        outputs = list(dict.fromkeys(output for each in there for output in each.outputs))
        name = self._asked(asked)
        return self._the_one(
            name, outputs, dataset_names, there, lambda: failures.unknown(name, near(name, outputs), there)
        )

    def _asked(self, dataset: DatasetName) -> str:
        """A dataset as it is named here, without the slash that a folder may end in."""
        name = self._names.short(dataset)
        return name.rstrip("/") or name

    def _sources(self, asked: str, part: Callable[[Flow], Any]) -> frozenset[str]:
        __tracebackhide__ = True
        there = self.flows
        told = [each for message in self._messages() for each in _processes(message)]
        # Flows do not name the columns that come from no other.
        made = [self._names.short(str(column.output)) for process in told for column in process.made]
        known = [column for each in there for column in (*each.columns, *each.influences)]
        known, name = list(dict.fromkeys([*known, *made])), self._names.short(asked)
        column = self._the_one(
            name, known, _column_names, there, lambda: self._unknown_column(name, known, there, told)
        )
        return frozenset(source for each in there for source in part(each).get(column, ()))

    def _unknown_column(
        self, asked: str, known: Sequence[str], there: Sequence[Flow], told: Iterable[ToldProcess]
    ) -> str:
        outputs = list(dict.fromkeys(output for each in there for output in each.outputs))
        before = (asked, *(asked.rpartition(mark)[0] for mark in "#."))
        meant = next((found[0] for each in before if len(found := meant_by(each, outputs, dataset_names)) == 1), None)
        of = {
            name: [each for each in known if each.startswith((f"{name}#", f"{name}."))]
            for name in ([meant] if meant else outputs)
        }
        partial = {self._names.short(name): each.about.get("lineage", "") for each in told for name in each.outputs}
        why = {name: said for name, said in partial.items() if name in of and said.startswith(PARTIAL)}
        return failures.unknown_column(asked, near(asked, known), of, why)

    def _the_one(
        self,
        asked: str,
        names: Sequence[str],
        forms: Callable[[str], Sequence[str]],
        there: Sequence[Flow],
        unknown: Callable[[], str],
    ) -> str:
        __tracebackhide__ = True
        if not there:
            self._fail_without_flows()
        found = meant_by(asked, names, forms)
        if len(found) == 1:
            return found[0]
        if found:
            raise self._failure(failures.several(asked, found))
        raise self._failure(unknown())

    def _failure(self, text: str) -> AssertionError:
        return AssertionError(f"{text}\n\n{failures.ENDED}" if self._watching.has_ended else text)

    def _fail_without_flows(self) -> NoReturn:
        __tracebackhide__ = True
        raise self._failure(failures.nothing_seen(self._watching.figures()))


def _listed(names: DatasetNames) -> list[DatasetName]:
    return [names] if isinstance(names, (str, PathLike)) else list(names)


def _is_made_of(flow: Flow, expected: Sequence[str]) -> bool:
    return _are(expected, flow.inputs, dataset_names)


def _are(expected: Sequence[str], seen: Iterable[str], forms: Callable[[str], Sequence[str]]) -> bool:
    """Whether the names mean all that was seen, each another one."""
    there = list(dict.fromkeys(seen))
    meant = [meant_by(each, there, forms) for each in expected]
    return all(len(each) == 1 for each in meant) and {name for each in meant for name in each} == set(there)


def _column_names(column: str) -> Sequence[str]:
    """How a column may be named: behind a dot or `#`, whatever its dataset is; behind `#` also without quotes.

    >>> _column_names("s3a://lake/out/#c")
    ('s3a://lake/out/#c', 's3a://lake/out/.c', 's3a://lake/out#c', 's3a://lake/out.c')
    >>> _column_names("sales.report.`a.b`")
    ('sales.report.`a.b`', 'sales.report#`a.b`', 'sales.report#a.b')
    """
    forms = [column]
    for mark, pattern in _OF_COLUMNS:
        if split := pattern.fullmatch(column):
            name, quoted = split["name"], split["quoted"]
            plain = name if quoted is None else quoted.replace("``", "`")
            of, others = dataset_names(split["dataset"]), "#." if mark == "#" else "#"
            forms += [f"{each}{other}{said}" for each in of for other in others for said in (name, plain)]
    return tuple(dict.fromkeys(forms))


def _processes(message: str) -> Iterable[ToldProcess]:
    try:
        return [process_as_shown(each) for each in said(message) if isinstance(each, ToldProcess)]
    except MessageError:
        return ()
