"""Random sequences of statements, as outcomes of lineage, and the messages that the hook sends for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from random import Random

from sac_kafka.atlas.context import Context, context_of
from sac_kafka.atlas.dialect import Dialect
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import messages
from sac_kafka.hook.dialects import dialect_of, receiver_of
from sac_kafka.model import (
    APPENDED,
    REPLACED,
    Column,
    ColumnLineage,
    ColumnRenamed,
    ColumnSource,
    Dataset,
    Dependency,
    Outcome,
    PathDataset,
    Process,
    RowClause,
    Stream,
    TableDataset,
    TableDefined,
    TableDropped,
    TableRenamed,
    TopicDataset,
)
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import MessageForm
from sac_kafka.stages.outcome_scheduler import ScheduledOutcome
from tests.helpers.staged import scheduler_of
from tests.unit.atlas.flows import APPLICATION, DAY, NOW, RUN, columns, path, table

_JOBS = ("daily", "hourly")
_NAMES = tuple("abcdef")
_COLUMNS = tuple("klmnop")
_STATEMENTS_OF = (8, 20)

DIALECTS = {
    "atlas": {},
    "sac": {"atlas.hook.spark.compat": "sac"},
    "purview": {"atlas.hook.spark.dialect": "purview", "atlas.hook.spark.purview.deletes": "true"},
}
"""Settings of each dialect; `sac` is one process for all, whose inputs and outputs grow, and shrink with drops."""


class Driver:
    """The hook of a driver from outcomes to messages; each message is delivered at once, unless it is lost by chance."""

    def __init__(self, namespace: str, dialect: str, form: MessageForm) -> None:
        settings = Settings.read({"atlas.metadata.namespace": namespace, **DIALECTS[dialect]}, "test")
        self.dialect: Dialect = dialect_of(settings, APPLICATION)
        content = replace(settings.content, message_form=form)
        self.context: Context = context_of(APPLICATION, settings.names, content, receiver=receiver_of(settings))
        self.now_ms = NOW
        self.sent: list[str] = []
        self.start()

    def start(self) -> None:
        """Start another run, which knows nothing of what earlier ones have sent."""
        self._remembered = Remembered(max_age_ms=DAY)
        self._scheduler = scheduler_of(self.context)

    def run(self, outcomes: Iterable[Outcome]) -> None:
        """Report the outcomes of a statement; under `compat = sac` lineage has only successful writes, and no views."""
        self.now_ms += 1_000
        is_sac = self.context.naming.is_sac
        kept = tuple(each for each in outcomes if not is_sac or not isinstance(each, Process) or _is_of_sac(each))
        self._send(self._scheduler.schedule(kept, self.now_ms))

    def flush(self) -> None:
        """Report what was held back."""
        self._send(self._scheduler.held())

    def _send(self, steps: Iterable[ScheduledOutcome]) -> None:
        for step in steps:
            made = messages(
                step.outcome,
                context=self.context,
                remembered=self._remembered,
                now_ms=self.now_ms,
                defined=step.defined,
                dialect=self.dialect,
            )
            for each in made:
                self.sent.append(each.value)
                self._remembered.confirm(each.tokens, self.now_ms, self._remembered.epoch)


def _is_of_sac(process: Process) -> bool:
    return bool(process.outputs) and not process.defines_view and process.has_happened


@dataclass
class World:
    """The tables and paths that statements work on."""

    random: Random
    driver: Driver
    tables: dict[str, TableDataset] = field(default_factory=dict)
    paths: dict[str, PathDataset] = field(default_factory=dict)
    views: dict[str, TableDataset] = field(default_factory=dict)
    streamed: tuple[Dataset, ...] = ()

    def any_columns(self) -> tuple[Column, ...]:
        return columns(*sorted(self.random.sample(_COLUMNS, self.random.randint(1, 4))))

    def sources(self) -> list[Dataset]:
        """Return some datasets to read, at least one."""
        known: list[Dataset] = [*self.tables.values(), *self.paths.values(), *self.views.values()]
        chosen = self.random.sample(known, min(len(known), self.random.randint(1, 2)))
        return chosen or [path("hdfs://nn1/landing", *_COLUMNS[:3])]

    def process(self, target: Dataset, inputs: Iterable[Dataset] | None = None, **known: object) -> Process:
        """Return a write into a dataset, from random columns by random expressions and conditions."""
        sources = {each.key: each for each in (self.sources() if inputs is None else inputs)}
        available = [(key, each.name) for key, dataset in sources.items() for each in dataset.columns]
        clauses, row_level = (), ()
        if available and self.random.random() < 0.3:
            row_level = (ColumnSource(*self.random.choice(available), Dependency.FILTER),)
            text = f"{row_level[0].column} > {self.random.randint(1, 3)}"
            clauses = (RowClause(dependency=Dependency.FILTER, text=text, sources=row_level),)
        process = Process(
            application=replace(APPLICATION, job=self.random.choice(_JOBS)),
            run=replace(RUN, query_text=self.random.choice((None, "insert 1", "insert 2"))),
            inputs=tuple(sources[key] for key in sorted(sources)),
            outputs=(target,),
            columns=tuple(self._lineage(target, each, available) for each in target.columns),
            row_level=row_level,
            clauses=clauses,
        )
        return replace(process, **known)  # type: ignore[arg-type]

    def _lineage(self, target: Dataset, column: Column, available: list[tuple[str, str]]) -> ColumnLineage:
        number = min(len(available), self.random.choice((0, 1, 1, 1, 2)))
        chosen = sorted(self.random.sample(available, number))
        kinds = (
            (Dependency.TRANSFORMATION, Dependency.CONDITIONAL)
            if number > 1
            else (Dependency.IDENTITY, Dependency.AGGREGATION)
        )
        sources = tuple(ColumnSource(*each, self.random.choice(kinds)) for each in chosen)
        is_copy = len(sources) == 1 and sources[0].dependency is Dependency.IDENTITY
        expression = None if is_copy else f"f{self.random.randint(1, 2)}({', '.join(each.column for each in sources)})"
        return ColumnLineage(dataset=target.key, column=column.name, sources=sources, expression=expression)


def random_messages(
    random: Random, namespace: str = "prod", *, dialect: str = "atlas", form: MessageForm = MessageForm.V2
) -> list[str]:
    """Return the messages of a random sequence of statements."""
    driver = Driver(namespace, dialect, form)
    world = World(random, driver)
    for _ in range(random.randint(*_STATEMENTS_OF)):
        statement = random.choice(_STATEMENTS)
        driver.run(statement(world))
        if random.random() < 0.2:
            driver.flush()
        if random.random() < 0.05:
            driver.flush()  # as at the end of a run
            driver.start()
        if random.random() < 0.05:
            driver.now_ms += DAY
    driver.flush()
    return driver.sent


_Statement = Callable[[World], list[Outcome]]
_STATEMENTS: list[_Statement] = []


def _statement(weight: int) -> Callable[[_Statement], _Statement]:
    def add(statement: _Statement) -> _Statement:
        _STATEMENTS.extend([statement] * weight)
        return statement

    return add


def _new(world: World, name: str) -> TableDataset:
    return replace(table(name, provider="parquet", table_type="MANAGED"), columns=world.any_columns())


def _some_table(world: World) -> TableDataset | None:
    return world.tables[world.random.choice(sorted(world.tables))] if world.tables else None


def _free(world: World) -> str | None:
    free = [each for each in _NAMES if each not in world.tables and each not in world.views]
    return world.random.choice(free) if free else None


@_statement(3)
def _create_as_select(world: World) -> list[Outcome]:
    if (name := _free(world)) is None:
        return []
    made = _new(world, name)
    process = world.process(made, extent=REPLACED)
    world.tables[name] = made
    return [TableDefined(table=made), process]


@_statement(1)
def _create(world: World) -> list[Outcome]:
    if (name := _free(world)) is None:
        return []
    world.tables[name] = _new(world, name)
    return [TableDefined(table=world.tables[name])]


@_statement(5)
def _insert(world: World) -> list[Outcome]:
    target = _some_table(world)
    return [world.process(target)] if target else []


@_statement(3)
def _insert_overwrite(world: World) -> list[Outcome]:
    target = _some_table(world)
    return [world.process(target, extent=REPLACED)] if target else []


@_statement(2)
def _insert_values(world: World) -> list[Outcome]:
    target = _some_table(world)
    return [world.process(target, [])] if target else []


@_statement(1)
def _truncate(world: World) -> list[Outcome]:
    target = _some_table(world)
    return [world.process(target, [], columns=(), extent=REPLACED)] if target else []


@_statement(2)
def _merge(world: World) -> list[Outcome]:
    target = _some_table(world)
    return [world.process(target, [*world.sources(), target])] if target else []


@_statement(1)
def _update(world: World) -> list[Outcome]:
    target = _some_table(world)
    return [world.process(target, [target])] if target else []


@_statement(2)
def _replace_table(world: World) -> list[Outcome]:
    """CREATE OR REPLACE TABLE AS SELECT, or `saveAsTable` with overwrite, which drops the table first."""
    target = _some_table(world)
    if target is None:
        return []
    made = _new(world, target.name)
    process = world.process(made, extent=REPLACED)
    world.tables[made.name] = made
    drops: list[Outcome] = [TableDropped(table=target)] if world.random.random() < 0.5 else []
    return [*drops, TableDefined(table=made), process]


@_statement(2)
def _drop(world: World) -> list[Outcome]:
    target = _some_table(world)
    return [TableDropped(table=world.tables.pop(target.name))] if target else []


@_statement(2)
def _rename(world: World) -> list[Outcome]:
    target, name = _some_table(world), _free(world)
    if target is None or name is None:
        return []
    new = replace(world.tables.pop(target.name), name=name)
    world.tables[name] = new
    return [TableRenamed(old=target, new=new)]


@_statement(2)
def _alter(world: World) -> list[Outcome]:
    """Add or drop a column, or change the comment."""
    target = _some_table(world)
    if target is None:
        return []
    names = {each.name for each in target.columns}
    free = [each for each in _COLUMNS if each not in names]
    changes = [replace(target, comment=f"comment {world.random.randint(1, 3)}")]
    if free:
        changes.append(replace(target, columns=(*target.columns, *columns(world.random.choice(free)))))
    if len(target.columns) > 1:
        changes.append(replace(target, columns=target.columns[:-1]))
    world.tables[target.name] = world.random.choice(changes)
    return [TableDefined(table=world.tables[target.name])]


@_statement(1)
def _rename_column(world: World) -> list[Outcome]:
    target = _some_table(world)
    free = [each for each in _COLUMNS if target and each not in {column.name for column in target.columns}]
    if target is None or not free:
        return []
    new, (old, *rest) = world.random.choice(free), target.columns
    world.tables[target.name] = replace(target, columns=(replace(old, name=new), *rest))
    return [ColumnRenamed(table=world.tables[target.name], old=old.name, new=new)]


@_statement(3)
def _write_path(world: World) -> list[Outcome]:
    uri = f"hdfs://nn1/out{world.random.randint(1, 3)}"
    is_replaced = uri not in world.paths or world.random.random() < 0.5
    made = replace(path(uri), columns=world.any_columns(), is_replaced=is_replaced)
    process = world.process(made, extent=REPLACED if is_replaced else APPENDED)
    world.paths[uri] = replace(made, is_replaced=False)
    return [process]


@_statement(1)
def _read(world: World) -> list[Outcome]:
    """Rows that only the driver gets."""
    return [replace(world.process(world.sources()[0]), outputs=(), columns=())]


@_statement(1)
def _fail(world: World) -> list[Outcome]:
    target = _some_table(world)
    return [world.process(target, run=replace(RUN, failure="DIVIDE_BY_ZERO"))] if target else []


@_statement(1)
def _create_view(world: World) -> list[Outcome]:
    """A view is read like a table; a statement that reads it reports its definition again."""
    if (name := _free(world)) is None:
        return []
    view = replace(_new(world, name), provider=None, table_type="VIEW", view_text="select 1")
    world.views[name] = view
    return [TableDefined(table=view), world.process(view, defines_view=True)]


@_statement(1)
def _drop_view(world: World) -> list[Outcome]:
    if not world.views:
        return []
    return [TableDropped(table=world.views.pop(world.random.choice(sorted(world.views))))]


@_statement(2)
def _stream(world: World) -> list[Outcome]:
    """A streaming query is one process, which may write further outputs."""
    target = _some_table(world)
    if target is None:
        return []
    outputs = {
        each.key: each for each in (*world.streamed, target) if each.key in {one.key for one in world.tables.values()}
    }
    world.streamed = tuple(outputs[key] for key in sorted(outputs))
    topic = TopicDataset(topic="events", servers="broker:9092", columns=columns(*_COLUMNS[:2]))
    stream = Stream(identity=("query", "q"), name="q", checkpoint=None, query_id="1", run_id="2")
    return [world.process(target, [topic], application=APPLICATION, outputs=world.streamed, stream=stream)]
