"""Everything that `plan` declares has a rule in `lineage`, and everything that `lineage` makes has a name in `atlas`."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
import typing
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from sac_kafka.atlas import datasets as atlas_datasets
from sac_kafka.atlas.datasets import entities
from sac_kafka.atlas.types.definitions import by_name
from sac_kafka.lineage import extract  # noqa: F401 its import registers the rules
from sac_kafka.lineage.catalog.catalog import Changes
from sac_kafka.lineage.catalog.v2_changes import V2Changes, alter
from sac_kafka.lineage.columns.rules import columns_of, row_clauses
from sac_kafka.lineage.datasets import systems
from sac_kafka.lineage.datasets.leaves import reading, relation_reading
from sac_kafka.lineage.datasets.removals import removal_of
from sac_kafka.lineage.datasets.sources import SOURCES
from sac_kafka.lineage.datasets.systems.source import Source
from sac_kafka.lineage.datasets.v2_tables import system_reading
from sac_kafka.lineage.datasets.writes import write_of, writes_of
from sac_kafka.model import (
    KINDS_OF_DATASET,
    Column,
    Dataset,
    KindOfDataset,
    ModelDataset,
    TopicDataset,
    datasets,
    row_of,
)
from sac_kafka.plan import specification as specifications
from sac_kafka.plan import systems as plan_systems
from sac_kafka.plan.catalog import CatalogEvent
from sac_kafka.plan.declaration import DECLARED
from sac_kafka.plan.execution import Event, IncrementalExecution
from sac_kafka.plan.expressions import Expression
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.options import SOURCE_OPTIONS, TABLE_OPTIONS
from sac_kafka.plan.specification import specification
from sac_kafka.plan.systems.iceberg import PathIdentifier
from sac_kafka.plan.v2_definitions import TableChange
from sac_kafka.plan.v2_tables import DataSourceV2Relation, V2Table
from sac_kafka.plan.v2_writes import V2WriteWithOptions
from sac_kafka.purview.mapping.dataset_fields import FIELDS_BY_CLASS, GUARANTEED_FIELDS, dataset_fields
from sac_kafka.purview.names import ASSETS, asset
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.settings.declarations.choices import Compat
from sac_kafka.settings.declarations.rules import DATASETS, KINDS
from sac_kafka.stages.filters.names import NAMES
from sac_kafka.tools.cli.explaining import DATASET_BY_SUBJECT
from tests.fixtures.names import models, paths, sac, services, tables
from tests.fixtures.names.rows import Row
from tests.helpers.every_row import every_row

specification()
CLASSES = [c for c in dict.fromkeys(DECLARED.values()) if c.__module__.startswith("sac_kafka.")]
PLANS = [c for c in CLASSES if issubclass(c, LogicalPlan)]
OBJECTS = [c for c in CLASSES if not issubclass(c, (LogicalPlan, Expression))]
ROWS = (*tables.ROWS, *paths.ROWS, *services.ROWS, *models.ROWS, *sac.ROWS)
DOCS = Path(__file__).resolve().parents[3] / "docs"

WITHOUT_RULE = {
    "CTERelationDef": "hands up what its child does, and the walk keeps that for its references",
    "CloneTableCommand": "the command around it writes what it clones",
    "CommandWithoutWrite": "writes nothing, and means nothing for a catalog of V2",
    "AddPartitions": "as CommandWithoutWrite; where partitions lie is learnt by catalog.catalog",
    "AddPartitionsCommand": "as AddPartitions",
    "DropPartitions": "as AddPartitions",
    "DropPartitionsCommand": "as AddPartitions",
    "SetLocationCommand": "as AddPartitions",
    "CreateTempViewUsing": "as CommandWithoutWrite; what becomes of the name is through_driver.temporary_views'",
    "HudiCommandWithoutWrite": "as CommandWithoutWrite",
    "DataSourceV2ScanRelation": "hands up what its child does, the relation",
    "IcebergCommand": "writes nothing, and means nothing for a catalog of V2",
    "DeltaCommandWithoutRows": "as CommandWithoutWrite",
    "PassThrough": "hands up what its child does",
    "Limit": "as PassThrough",
    "CreateVariable": "writes nothing, and is looked at by columns.variables",
    "SetVariable": "as CreateVariable",
    "DropVariable": "as CreateVariable",
    "ResolvedIdentifier": "only a name",
    "MetricView": "as PassThrough; datasets.views has its columns",
    "Zip": "hands up what its children do, side by side",
}
"""Plans for which the general rule is right."""


def _row_of(kind: type) -> Row:
    found = [row for row in ROWS if type(row.dataset) is kind and row.naming.names.compat is Compat.ATLAS]
    assert found, "add a row to tests/fixtures/names"
    return found[0]


def _has_rule(rules: typing.Any, cls: type) -> bool:
    return rules.dispatch(cls) is not rules.dispatch(object)


def _types(hint: object) -> set[object]:
    """Return the types within an annotation."""
    return {hint}.union(*map(_types, typing.get_args(hint)))


def test_every_module_of_a_system_is_looked_at() -> None:
    """Import every module with declarations in the specification, and every one with `SOURCES` in the table of sources."""
    specified = {each.__name__ for each in vars(specifications).values() if inspect.ismodule(each)}
    assert sorted(set(_modules_of(plan_systems)) - specified) == [], "import it in sac_kafka/plan/specification.py"
    tables = {name: getattr(module, "SOURCES", ()) for name, module in _modules_of(systems).items()}
    missing = [name for name, rows in tables.items() if not {*map(id, rows)} <= {*map(id, SOURCES)}]
    assert missing == [], "add its SOURCES to those of sac_kafka/lineage/datasets/sources.py"


def _modules_of(package: ModuleType) -> Mapping[str, ModuleType]:
    found = (f"{package.__name__}.{each.name}" for each in pkgutil.iter_modules(package.__path__))
    return {name: importlib.import_module(name) for name in found}


def test_every_plan_that_is_declared_has_a_rule() -> None:
    of_nodes = (reading, columns_of, row_clauses, write_of, writes_of, removal_of)
    rules = (*of_nodes, V2Changes.__dict__["_changes"].dispatcher)
    without = {cls.__name__ for cls in PLANS if not any(_has_rule(rule, cls) for rule in rules)}
    assert without == set(WITHOUT_RULE), (
        "register a rule for it (lineage/columns), or say in WITHOUT_RULE why it needs none"
    )


def test_every_declared_field_is_used() -> None:
    """Find fields that no rule reads: they are captured for nothing, or their rule is missing."""
    text = "".join(path.read_text("utf-8") for path in sorted((DOCS.parent / "sac_kafka").rglob("*.py")))
    looked_at = set(re.findall(r"\.(\w+)", text))
    unused = [(c.__name__, f.name) for c in CLASSES for f in dataclasses.fields(c) if f.name not in looked_at]
    assert unused == [], "use it in the rule of its class, or do not declare it"


def test_every_change_of_a_table_has_an_effect() -> None:
    changes = {cls.__name__ for cls in PLANS if issubclass(cls, TableChange)} - {TableChange.__name__}
    assert {name for name in changes if f"case {name}(" not in inspect.getsource(alter)} == set()


def test_every_relation_and_table_that_is_declared_is_some_dataset() -> None:
    """Map every declared class that is no plan, no event and no part of one to a dataset."""
    parts = set().union(*(_types(hint) for cls in CLASSES for hint in typing.get_type_hints(cls).values()))
    events = {*_types(Event), *_types(CatalogEvent)}
    read = {cls for source in SOURCES for cls in source.reads}
    known = {*parts, *events, *read, PathIdentifier, IncrementalExecution}
    rules = (relation_reading, system_reading)
    without = {cls.__name__ for cls in OBJECTS if cls not in known and not any(_has_rule(r, cls) for r in rules)}
    without -= {cls.__name__ for cls in OBJECTS if issubclass(cls, V2Table)}  # their rule is that of any V2 table
    assert without == set(), "name it in the `reads` of its system, in lineage/datasets/systems"


def test_no_class_belongs_to_two_systems() -> None:
    read = [cls for source in SOURCES for cls in source.reads]
    named = [name for source in SOURCES for name in (*source.names, *source.classes)]
    assert len(set(read)) == len(read)
    assert len(set(named)) == len(named)


def test_every_system_is_documented_by_one_of_its_names() -> None:
    page = "".join((DOCS / name).read_text("utf-8").lower() for name in ("lineage.md", "sources.md"))
    without = [sorted(source.names) for source in SOURCES if not any(f"`{name}`" in page for name in source.names)]
    assert without == [], "add a line to docs/lineage.md, systems that hold rows themselves, or to docs/sources.md"


class RecordedOptions(dict[str, str]):
    """Options that remember the keys that were read."""

    def __init__(self, value: str) -> None:
        super().__init__(dict.fromkeys(SOURCE_OPTIONS, value) if value else {})
        self.keys_read: set[str] = set()

    def get(self, key: str, default: typing.Any = None) -> typing.Any:
        self.keys_read.add(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> str:
        self.keys_read.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.keys_read.add(str(key))
        return super().__contains__(key)


@every_row("source", [s for s in SOURCES if s.dataset], label=lambda s: min(s.names))
def test_the_options_that_name_a_dataset_travel(source: Source) -> None:
    recorded = (RecordedOptions(""), RecordedOptions("x"))
    for options in recorded:
        source.identify(options, ())
    keys = set().union(*(options.keys_read for options in recorded))
    assert keys, "no option names it"
    assert keys <= set(TABLE_OPTIONS), "add them to SOURCE_OPTIONS in plan/options.py"


@pytest.mark.parametrize("plan", [DataSourceV2Relation, V2WriteWithOptions])
def test_source_options_are_captured_with_v2_tables_too(plan: type) -> None:
    (options,) = (each for each in dataclasses.fields(plan) if each.name == "options")
    assert set(SOURCE_OPTIONS) - set(options.metadata["keys"]) == set()


BY_NAME_ALONE = {"sqlserver", "postgresql", "mysql"}
"""Databricks' own formats, whose classes are not published."""


@every_row("source", [each for each in SOURCES if not each.names & BY_NAME_ALONE], label=lambda s: min(s.names))
def test_system_is_recognised_by_its_classes_too(source: Source) -> None:
    """Recognise V2 tables, whose plans have the class and never the name for `format`."""
    assert source.classes, "say how they begin"


def test_every_catalog_event_has_a_meaning() -> None:
    rules = Changes.__dict__["_changes"].dispatcher
    assert {cls for cls in typing.get_args(CatalogEvent) if not _has_rule(rules, cls)} == set()


def test_every_kind_of_dataset_is_a_member_of_dataset_and_has_a_row() -> None:
    kinds = {each for each in vars(datasets).values() if isinstance(each, type) and hasattr(each, "key")}
    assert {kind.__name__ for kind in kinds ^ {*typing.get_args(Dataset)}} == set(), "add it to Dataset"
    rows = [each.dataset for each in KINDS_OF_DATASET]
    assert {kind.__name__ for kind in kinds - {*rows}} == set(), "add a row to KINDS_OF_DATASET"
    assert len(rows) == len({*rows}), "two rows of KINDS_OF_DATASET for one class"


TABLES: Mapping[str, Mapping[type[Dataset], object]] = {
    "ENTITIES of atlas/datasets": atlas_datasets.ENTITIES,
    "SAC_ENTITIES of atlas/datasets": atlas_datasets.SAC_ENTITIES,
    "ASSETS of purview/names": ASSETS,
}
"""The tables of the packages, by class of dataset."""
WITH_DEFAULT = {
    "FIELDS_BY_CLASS of purview/mapping/dataset_fields.py": FIELDS_BY_CLASS,
    "NAMES of stages/filters/names.py": NAMES,
}
"""Those in which the key of a dataset describes a class without a row."""


@pytest.mark.parametrize("table", [*TABLES, *WITH_DEFAULT])
def test_the_table_of_a_package_has_a_row_for_every_kind_of_dataset(table: str) -> None:
    kinds = {kind.dataset for kind in KINDS_OF_DATASET}
    keys = {**TABLES, **WITH_DEFAULT}[table].keys()
    assert sorted(kind.__name__ for kind in keys - kinds) == [], f"{table} has a class that KINDS_OF_DATASET lacks"
    if table in TABLES:
        assert sorted(kind.__name__ for kind in kinds - keys) == [], f"add a row to {table}"


def test_a_dataset_without_a_row_is_an_error_that_names_the_table() -> None:
    with pytest.raises(TypeError, match="no row in ASSETS for a dataset of class TopicDataset"):
        row_of({}, TopicDataset(topic="t"), "ASSETS")


@pytest.mark.parametrize("kind", KINDS_OF_DATASET, ids=lambda kind: kind.dataset.__name__)
def test_every_kind_of_dataset_can_be_named_in_rules_and_on_the_command_line(kind: KindOfDataset) -> None:
    assert kind.word in DATASETS, f"add {kind.word} to DATASETS, KINDS and _EXAMPLES in settings/declarations/rules.py"
    assert kind.word in DATASET_BY_SUBJECT, f"add {kind.word} to DATASET_BY_SUBJECT in tools/cli/explaining.py"


def test_every_subject_of_rules_is_a_kind_of_dataset() -> None:
    words = {kind.word for kind in KINDS_OF_DATASET}
    assert words == {*DATASETS} == {*KINDS.values()}


@pytest.mark.parametrize("kind", KINDS_OF_DATASET, ids=lambda kind: kind.dataset.__name__)
def test_the_row_lists_the_types_of_a_kind_of_dataset(kind: KindOfDataset) -> None:
    found = [row for row in ROWS if type(row.dataset) is kind.dataset]
    heads = {entity.id.type_name for row in found for entity in entities(row.dataset, row.naming).head}
    assert sorted(heads - {*kind.types}) == [], "add them to `types` in its row of KINDS_OF_DATASET"
    assert sorted({*kind.types} - {*by_name("entityDefs")}) == [], "add it to sac_kafka/atlas/typedefs"


@pytest.mark.parametrize("kind", KINDS_OF_DATASET, ids=lambda kind: kind.dataset.__name__)
def test_every_kind_of_dataset_has_an_asset_and_fields_in_purview(kind: KindOfDataset) -> None:
    dataset = _row_of(kind.dataset).dataset
    assert asset(dataset, NamingContext(), is_output=False).qualified_name
    fields = dataset_fields(dataset)
    missing = GUARANTEED_FIELDS[fields.kind] - fields.values.keys()
    assert sorted(missing) == [], f"return them from {FIELDS_BY_CLASS[kind.dataset].__name__}"


@pytest.mark.parametrize("kind", typing.get_args(Dataset))
def test_every_kind_of_dataset_has_documented_names(kind: type) -> None:
    rows = [row for row in ROWS if type(row.dataset) is kind]
    assert rows, "add a row to tests/fixtures/names"
    whole = (DOCS / "names.md").read_text("utf-8")
    general, _, of_the_connector = whole.partition("## Names of the Spark Atlas Connector")
    for row in rows:
        page = of_the_connector if row.naming.names.compat is Compat.SAC else general
        *owners, itself = (entity.id.type_name for entity in entities(row.dataset, row.naming).head)
        assert f"`{itself}`" in page, "add a row to docs/names.md"
        assert [name for name in owners if f"`{name}`" not in whole] == [], "add a row to docs/names.md"


@pytest.mark.parametrize("compat", Compat)
@pytest.mark.parametrize("kind", typing.get_args(Dataset))
def test_every_kind_of_dataset_has_a_rule(kind: type, compat: Compat) -> None:
    row = _row_of(kind)
    assert entities(
        row.dataset, dataclasses.replace(row.naming, names=dataclasses.replace(row.naming.names, compat=compat))
    ).head


@pytest.mark.parametrize("kind", [kind for kind in typing.get_args(Dataset) if kind is not ModelDataset])
def test_the_columns_of_every_kind_of_dataset_are_entities(kind: type) -> None:
    row = _row_of(kind)
    dataset = dataclasses.replace(row.dataset, columns=(Column(name="Id", type="bigint"),))
    described = entities(dataset, row.naming)
    assert described.column("Id") in {entity.id for entity in described.details}
