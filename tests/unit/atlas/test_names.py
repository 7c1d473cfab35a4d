"""Tables of names in `tests/fixtures/names`: the qualified name and mandatory attributes of each dataset."""

from __future__ import annotations

import dataclasses

import pytest

from dev.schemas.types import attributes, is_a, owners
from sac_kafka.atlas import datasets
from sac_kafka.atlas.model import AtlasEntity
from sac_kafka.atlas.types.inheritance import SINGLE, ends
from sac_kafka.model import Column, ColumnLineage, ColumnSource, Dependency, PathDataset
from sac_kafka.settings.declarations.choices import MessageForm
from tests.fixtures.names import models, paths, sac, services, tables
from tests.fixtures.names.rows import Row
from tests.helpers.every_row import every_row
from tests.helpers.schemas import assert_fits_schemas
from tests.unit.atlas.flows import messages_for, of_type, process

ROWS = [*tables.ROWS, *paths.ROWS, *services.ROWS, *models.ROWS, *sac.ROWS]
EACH = every_row("row", ROWS, label=lambda row: row.dataset.key)

DIRECTORIES = [row.dataset for row in models.ROWS if getattr(row.dataset, "is_directory", False)]
VALUES = {
    "string": str,
    "boolean": bool,
    "int": int,
    "long": int,
    "date": int,
    "array<string>": list,
    "map<string,string>": dict,
}


def entities_of(row: Row, *columns: Column) -> datasets.DatasetEntities:
    return datasets.entities(dataclasses.replace(row.dataset, columns=columns), row.naming)


def test_the_tables_are_long_enough():
    assert len(ROWS) >= 120
    assert len({(row.dataset, row.naming) for row in ROWS}) == len(ROWS) - 1  # the two about SAC's tables and columns


@EACH
def test_name_and_attributes(row):
    head = entities_of(row).head
    assert [(entity.id.type_name, entity.id.qualified_name, dict(entity.attributes)) for entity in head] == [
        tuple(expected) for expected in row.head
    ]


@EACH
def test_head_is_a_chain_of_owners(row):
    head = entities_of(row).head
    for owner, entity in zip((None, *head), head, strict=False):
        references = list(entity.references.items())
        owners_of = ([each.id for each in head[:-1]] if row.dataset in DIRECTORIES else [owner.id]) if owner else []
        if row.dataset in DIRECTORIES and entity is not head[-1]:
            owners_of = []  # the two that own a directory side by side
        assert [target for _, target in references] == owners_of
        assert {name for name, _ in references} <= set(ends(entity.id.type_name))


@EACH
def test_name_of_a_column(row):
    described = entities_of(row, Column(name="Id", type="bigint"))
    if row.column is not None:
        assert described.column("Id") == row.column
    if described.columns is not None:
        assert described.column("Id") in {entity.id for entity in described.details}


@EACH
def test_server_accepts_the_name(row):
    """Check R5, R6, R7, R8, R9, R12, R13 by the declared types."""
    described = entities_of(row, Column(name="Id", type="bigint", comment="c"), Column(name="é.`#", nullable=False))
    assert is_a(described.id.type_name, "DataSet")
    before = set()
    for entity in (*described.owners, *described.details):
        _check_values(entity)
        _check_references(entity)
        before.add(entity.id)
    references = {
        target
        for entity in described.details
        for found in entity.references.values()
        for target in (found if found and isinstance(found[0], tuple) else (found,))
    }
    assert references <= {entity.id for entity in described.owners}


@pytest.mark.slow
@EACH
def test_message_with_the_name_is_valid(row):
    """Check the message against the schemas and, as in every test, with the judge."""
    source = dataclasses.replace(row.dataset, columns=(Column(name="Id", type="bigint"),))
    target = PathDataset(path="file:/report", format="csv", columns=(Column(name="Id", type="bigint"),))
    lineage = [
        ColumnLineage(dataset=target.key, column="Id", sources=(ColumnSource(source.key, "Id", Dependency.IDENTITY),))
    ]
    message = messages_for(process([source], [target], lineage), naming=row.naming, message_form=MessageForm.V2)
    for each in message:
        assert_fits_schemas(each.value)
    has_columns = datasets.entities(source, row.naming).columns is not None and not row.naming.is_sac
    assert len(of_type(message, "spark_column_lineage")) == has_columns


def _check_values(entity: AtlasEntity) -> None:
    declared = attributes(entity.id.type_name)
    assert set(entity.attributes) <= set(declared), f"{entity.id}: unknown attributes (R28)"
    mandatory = {name for name, each in declared.items() if not each["isOptional"]} - {"qualifiedName"}
    assert mandatory <= set(entity.attributes), f"{entity.id}: mandatory attributes (R5)"
    for name, value in entity.attributes.items():
        kind = declared[name]["typeName"]
        assert type(value) is VALUES[kind], f"{entity.id}: {name} is a {kind} (R7)"


def _check_references(entity: AtlasEntity) -> None:
    declared = ends(entity.id.type_name)
    assert set(owners(entity.id.type_name)) <= set(entity.references), f"{entity.id}: owner (R6)"
    for name, targets in entity.references.items():
        is_list = not hasattr(targets, "type_name")
        _, near, far = declared[name][0]
        assert is_list == (near["cardinality"] != SINGLE), f"{entity.id}: {name} (R8)"
        assert not near["isContainer"], f"{entity.id}: {name} lists children (R13)"
        for target in targets if is_list else (targets,):
            assert is_a(target.type_name, far["type"]), f"{entity.id}: {name} (R9)"
