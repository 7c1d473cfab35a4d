"""Provide the fixture `lineage`: the lineage of one test, with queries and assertions."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from typing import Any, NoReturn

from sac_kafka.errors import LineageTestError
from sac_kafka.testing import failures
from sac_kafka.testing.golden import GoldenFiles, sort_flows, without_expressions
from sac_kafka.testing.naming import (
    DatasetName,
    DatasetNames,
    Shortening,
    are_named,
    as_list,
    column_forms,
)
from sac_kafka.testing.watching import Watching
from sac_kafka.tools.graph.flows import Flow, flows
from sac_kafka.tools.graph.name_lookup import dataset_names, matches, similar_names


class Lineage:
    """Lineage of one test, the value of the fixture `lineage`.

    Datasets have their names in Atlas without the namespace (`sales.orders`, `s3a://bucket/key`); in arguments the end of a name
    is enough. Folders made by pytest appear as `{tmp_path}` and `{basetemp}`. Each method waits until the lineage of everything
    that has run so far is captured, and warns if it is incomplete.
    """

    def __init__(self, watching: Watching, names: Shortening, golden: GoldenFiles, fixture: str) -> None:
        self._watching = watching
        self._names = names
        self._golden = golden
        self._fixture = fixture

    def __repr__(self) -> str:
        """Return whether a session is watched."""
        return f"<Lineage of this test, {'watched' if self._watching.is_any else 'without a session'}>"

    def attach(self, spark: Any, **settings: object) -> None:  # noqa: ANN401 a SparkSession or SparkContext
        """Watch a session that the fixture has not found by itself; call it before the job runs.

        Args:
            spark: A SparkSession or SparkContext of this process.
            settings: Settings of the hook, as for `sac_kafka.attach`; ignored if the context is watched already.

        Raises:
            LineageTestError: The session has no driver in this process, or a hook with another sink.
        """
        self._watching.attach(spark, settings)

    def abbreviate(self, folder: str | PathLike[str], name: str) -> None:
        """Replace a folder in names by `name`, such as `{data}`, so that golden files are the same on every machine."""
        self._names.add(name, folder)

    @property
    def flows(self) -> tuple[Flow, ...]:
        """The flows of this test so far, in the order of their first appearance.

        Raises:
            LineageTestError: No session is watched, or the flush timed out.
        """
        return tuple(
            map(self._names.flow, flows(message.encode("utf-8", "surrogatepass") for message in self._messages()))
        )

    def inputs(self, output: DatasetName) -> frozenset[str]:
        """Return the inputs of all flows of this test that write a dataset.

        Raises:
            AssertionError: The test has not written it.
        """
        __tracebackhide__ = True
        there = self.flows
        name = self._output(output, there)
        of_output = [each for each in there if name in each.outputs]
        self._warn(name, (reason for each in of_output for reason in failures.of_inputs(each)))
        return frozenset(source for each in of_output for source in each.inputs)

    def columns(self, column: str) -> frozenset[str]:
        """Return the direct source columns of a column; empty for a literal.

        Args:
            column: `DATASET.COLUMN`, or `DATASET#COLUMN`.

        Raises:
            AssertionError: The test has written no such column.
        """
        __tracebackhide__ = True
        return self._sources(column, lambda flow: flow.columns)

    def influences(self, column: str) -> frozenset[str]:
        """Return the indirect source columns of a column (conditions, windows).

        Args:
            column: `DATASET.COLUMN`, or `DATASET#COLUMN`.

        Raises:
            AssertionError: The test has written no such column.
        """
        __tracebackhide__ = True
        return self._sources(column, lambda flow: flow.influences)

    def assert_flow(self, *, inputs: DatasetNames, output: DatasetName, missing: Iterable[str] | str = ()) -> None:
        """Fail unless one flow of this test writes the output and reads exactly these inputs.

        Args:
            inputs: The inputs; none for a flow that generates its rows.
            output: The output.
            missing: Accepted reasons for unknown further inputs, or prefixes of reasons.

        Raises:
            AssertionError: No flow matches; the text has the expected, captured and similar names. Or the flow matches, but
                further inputs are unknown.
        """
        __tracebackhide__ = True
        there = self.flows
        name = self._output(output, there)
        sources = list(dict.fromkeys(source for each in there for source in each.inputs))
        expected = [self._resolve(each, sources) for each in as_list(inputs)]
        accepted = tuple(map(str, as_list(missing)))
        of_output = [each for each in there if name in each.outputs]
        exact = [each for each in of_output if are_named(each.inputs, expected, dataset_names)]
        if not exact:
            raise self._failure(failures.other_inputs(name, expected, of_output, there))
        unknown = [[why for why in failures.of_inputs(each) if not why.startswith(accepted)] for each in exact]
        if all(unknown):
            raise self._failure(failures.unknown_inputs(name, min(unknown, key=len)))

    def assert_column(self, column: str, *, made_of: DatasetNames, influenced_by: DatasetNames | None = None) -> None:
        """Fail unless a column has exactly these sources; suffixes of their names are sufficient.

        Args:
            column: `DATASET.COLUMN`, or `DATASET#COLUMN`.
            made_of: The columns whose values flow into it; none for a literal.
            influenced_by: The columns that decide its value; None for any.

        Raises:
            AssertionError: It has other sources; the text has the expected and the captured ones.
        """
        __tracebackhide__ = True
        name, of_column = self._column(column)
        parts: list[tuple[str, DatasetNames, Callable[[Flow], Any]]] = [("made of", made_of, lambda flow: flow.columns)]
        if influenced_by is not None:
            parts.append(("influenced by", influenced_by, lambda flow: flow.influences))
        missing = failures.of_flows(of_column)
        for word, wanted, part in parts:
            expected = [self._names.short(each) for each in as_list(wanted)]
            seen = sorted({source for each in of_column for source in part(each).get(name, ())})
            if not are_named(seen, expected, column_forms):
                raise self._failure(failures.other_columns(column, word, expected, seen, missing, column_forms))
        self._warn(name, missing)

    def assert_golden(self, name: str, *, expressions: bool = True) -> None:
        """Fail unless the flows of this test equal those of the golden file `lineage/NAME.json` next to the test file.

        `pytest --lineage-update` writes the captured flows to the file. A file that was written without expressions is compared
        without them, with a warning.

        Args:
            name: The name of the file.
            expressions: Whether to compare the expressions of columns and the row conditions, too.

        Raises:
            AssertionError: They differ, or the file does not exist; the text has the differences and how to proceed.
            LineageTestError: The file is not a valid golden file, or the name is not valid for a file.
        """
        __tracebackhide__ = True
        file, seen = self._golden.file(name), self.flows
        there = sort_flows(seen if expressions else map(without_expressions, seen))
        if not there:
            self._fail_without_flows()
        self._warn(
            "this test",
            (f"{why}, {number} times" for why, number in failures.of_writes(self._watching.figures()).items()),
        )
        if self._golden.is_updating:
            self._golden.write(file, there, expressions=expressions)
            return
        found = self._golden.read(file)
        if found is None:
            raise self._failure(failures.no_golden(file, there))
        expected, has_expressions = found
        if has_expressions is not expressions:
            expected, there = (sort_flows(map(without_expressions, each)) for each in (expected, there))
            if expressions:
                warnings.warn(failures.no_expressions(file), stacklevel=_depth())
        if expected != there:
            raise self._failure(failures.other_than_golden(file, expected, there))

    def _messages(self) -> tuple[str, ...]:
        if not self._watching.is_any:
            raise LineageTestError(
                f"no Spark session is watched: provide it by a fixture `{self._fixture}` (lineage_spark_fixture selects another "
                "one), create it in the test, or call lineage.attach(session) before the job runs"
            )
        return self._watching.messages()

    def _output(self, asked: DatasetName, there: Sequence[Flow]) -> str:
        """Return the output that a name refers to."""
        __tracebackhide__ = True
        outputs = list(dict.fromkeys(output for each in there for output in each.outputs))
        name = self._resolve(asked, outputs)

        def unknown() -> str:
            return failures.unknown(
                name, similar_names(name, outputs), there, failures.of_writes(self._watching.figures())
            )

        return self._the_one(name, outputs, dataset_names, there, unknown)

    def _resolve(self, dataset: DatasetName, names: Sequence[str]) -> str:
        """Return the shortened name of a dataset without a trailing slash, or that of the dataset that contains the path."""
        name = self._names.short(dataset)
        name, root = name.rstrip("/") or name, self._names.root(dataset)
        return root if not matches(name, names, dataset_names) and matches(root, names, dataset_names) else name

    def _sources(self, asked: str, part: Callable[[Flow], Any]) -> frozenset[str]:
        __tracebackhide__ = True
        column, of_column = self._column(asked)
        self._warn(column, failures.of_flows(of_column))
        return frozenset(source for each in of_column for source in part(each).get(column, ()))

    def _column(self, asked: str) -> tuple[str, list[Flow]]:
        """Return the column that a name refers to, and the flows that write its dataset."""
        __tracebackhide__ = True
        there = self.flows
        columns = (column for each in there for column in (*each.columns, *each.influences, *each.constants))
        known, name = list(dict.fromkeys(columns)), self._names.short(asked)
        column = self._the_one(name, known, column_forms, there, lambda: self._unknown_column(name, known, there))
        return column, [each for each in there if column.startswith(tuple(_stems(each.outputs)))]

    def _unknown_column(self, asked: str, known: Sequence[str], there: Sequence[Flow]) -> str:
        outputs = list(dict.fromkeys(output for each in there for output in each.outputs))
        before = (asked, *(asked.rpartition(mark)[0] for mark in "#."))
        meant = next((found[0] for each in before if len(found := matches(each, outputs, dataset_names)) == 1), None)
        owner = {
            name: [each for each in known if each.startswith(tuple(_stems([name])))]
            for name in ([meant] if meant else outputs)
        }
        why = {name: each.missing for each in there for name in each.outputs if name in owner and each.missing}
        return failures.unknown_column(asked, similar_names(asked, known), owner, why)

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
        found = matches(asked, names, forms)
        if len(found) == 1:
            return found[0]
        if found:
            raise self._failure(failures.ambiguous(asked, found))
        raise self._failure(unknown())

    def _warn(self, what: str, reasons: Iterable[str]) -> None:
        """Warn that an answer may be incomplete; not an error, since the requested part may be complete."""
        if why := list(dict.fromkeys(reasons)):
            warnings.warn(failures.partial(what, why), stacklevel=_depth())

    def _failure(self, text: str) -> AssertionError:
        return AssertionError(f"{text}\n\n{failures.ENDED}" if self._watching.has_ended else text)

    def _fail_without_flows(self) -> NoReturn:
        __tracebackhide__ = True
        raise self._failure(failures.nothing_seen(self._watching.figures()))


def _stems(datasets: Iterable[str]) -> Iterable[str]:
    """Return the prefixes of the columns of datasets."""
    return (f"{name}{mark}" for name in datasets for mark in "#.")


def _depth() -> int:
    """Return the stack level of the test, so that the warning names its line."""
    frame, depth = sys._getframe(1), 1
    while frame.f_code.co_filename == __file__ and frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth
