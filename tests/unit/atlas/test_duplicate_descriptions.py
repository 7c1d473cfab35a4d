"""Two descriptions of one dataset become one entity per message (R27), whatever names the sources use."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from sac_kafka.atlas import datasets
from sac_kafka.atlas.flows.entity_bundle import entity_bundle
from sac_kafka.atlas.model import AtlasObjectId
from sac_kafka.model import (
    ColumnLineage,
    ColumnSource,
    Dependency,
    HBaseDataset,
    PathDataset,
    RdbmsDataset,
    TableDataset,
    TopicDataset,
)
from sac_kafka.model.cache import Cache
from sac_kafka.settings.declarations.choices import Compat, PathTypes, TableModel
from tests.cases.namings import naming_of
from tests.unit.atlas.flows import CONTEXT, columns, ends, messages_for, name, of_type, process, table

PROD = naming_of()
HIVE = naming_of(table_model=TableModel.HIVE)


ONE_THING = {
    "topic on two lists of brokers": (
        TopicDataset(topic="t", servers="b1:9092", columns=columns("key")),
        TopicDataset(topic="T", servers="b1:9092,b2:9092", columns=columns("value")),
    ),
    "table with and without its default schema": (
        RdbmsDataset(rdbms_type="postgresql", host="h", port=5432, database="d", table="T", columns=columns("ID")),
        RdbmsDataset(
            rdbms_type="postgresql",
            host="H",
            port=5432,
            database="d",
            schema="public",
            table="t",
            columns=columns("id"),
        ),
    ),
    "bucket with and without a slash": (
        PathDataset(path="s3a://b/a", format="csv", columns=columns("x")),
        PathDataset(path="s3a://b/a/", format="csv", columns=columns("y")),
    ),
    "table of HBase by case": (
        HBaseDataset(namespace="N", table="t", columns=columns("x")),
        HBaseDataset(namespace="n", table="T", columns=columns("x")),
    ),
}


@pytest.mark.parametrize("pair", [pytest.param(pair, id=key) for key, pair in ONE_THING.items()])
def test_two_keys_of_one_entity_share_it(pair):
    first, second = pair
    described = datasets.describe(pair, PROD)
    assert first.key != second.key
    assert described[first.key] is described[second.key]
    sent = messages_for(process(pair, [table("out", "x")]))
    names = {
        column.lower() if isinstance(first, RdbmsDataset) else column
        for column in (c.name for c in (*first.columns, *second.columns))
    }
    fields = of_type(sent, "avro_field", "rdbms_column")
    assert len(fields) == len(names)
    (flow,) = of_type(sent, "spark_process")
    assert ends(flow, "inputs") == [described[first.key].id.qualified_name]


class _Cache(Cache):
    """A cache that counts what it had not kept."""

    missed = 0

    def get(self, key, make, size):
        def build():
            self.missed += 1
            return make()

        return super().get(key, build, size)


@pytest.mark.parametrize("is_whole", [False, True], ids=["by reference", "with complete definition"])
@pytest.mark.parametrize("pair", [pytest.param(pair, id=key) for key, pair in ONE_THING.items()])
def test_a_flow_of_the_same_datasets_is_built_from_the_cache(pair, is_whole):
    cache, target = _Cache(), table("out", "x")
    context = dataclasses.replace(CONTEXT, cache=cache)
    whole = (target.key, *(source.key for source in pair)) if is_whole else ()
    first = entity_bundle(process(pair, [target]), context, whole)
    missed = cache.missed
    assert entity_bundle(process(pair, [target]), context, whole) == first
    assert (missed > 0, cache.missed - missed) == (True, 0)


def test_hive_tables_that_differ_by_case_are_one_with_the_columns_of_both():
    pair = (table("Orders", "Id"), table("orders", "id", "day", partition_columns=("day",)))
    sent = messages_for(process(pair, [table("out", "id")]), naming=HIVE)
    assert [name(entity) for entity in of_type(sent, "hive_table")] == ["sales.out@prod", "sales.orders@prod"]
    keys = {
        entity["attributes"]["name"]: entity["relationshipAttributes"]["table"]["relationshipType"]
        for entity in of_type(sent, "hive_column")
    }
    assert keys == {"id": "hive_table_columns", "day": "hive_table_partitionkeys"}


def test_column_lineage_between_equal_sources():
    topic, other = ONE_THING["topic on two lists of brokers"]
    target = table("out", "v")
    sources = (
        ColumnSource(topic.key, "value", Dependency.IDENTITY),
        ColumnSource(other.key, "value", Dependency.TRANSFORMATION),
    )
    sent = messages_for(
        process([topic, other], [target], [ColumnLineage(dataset=target.key, column="v", sources=sources)])
    )
    (lineage,) = of_type(sent, "spark_column_lineage")
    assert ends(lineage, "inputs") == ["t#value@prod"]


def test_without_dataset_columns_there_is_no_column_lineage():
    source, target = PathDataset(path="file:/a", format="csv", columns=columns("x")), table("out", "v", "w")
    lineage = [
        ColumnLineage(dataset=target.key, column=column, sources=(ColumnSource(source.key, "x", Dependency.IDENTITY),))
        for column in ("v", "w")
    ]
    sent = messages_for(process([source], [target], lineage), naming=naming_of(has_dataset_columns=False))
    assert of_type(sent, "avro_schema", "avro_field", "spark_column_lineage") == []
    assert len(of_type(sent, "spark_column")) == 2


# What names are made of, with all that separates their parts.
PARTS = ["a", "a.b", "`", "a`.`b", "@prod", "b#c", "#", "col-a"]


def _tables():
    for catalog, database, table_name in itertools.product([None, "a", "b"], ["a", "b"], PARTS):
        yield TableDataset(catalog=catalog, database=database, name=table_name)


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(list(_tables()), id="tables"),
        pytest.param([PathDataset(path=f"file:/{part}", format="") for part in PARTS], id="paths"),
        pytest.param([PathDataset(path=f"s3a://b/{part}", format="") for part in ["", *PARTS]], id="buckets"),
        pytest.param([TopicDataset(topic=part) for part in PARTS], id="topics"),
        pytest.param(
            [
                RdbmsDataset(rdbms_type="x", host=host, database=database, schema=schema, table=part)
                for host, database, schema, part in itertools.product(
                    ["", "h"], ["d", "d/e"], [None, "a", "a.b"], PARTS
                )
            ],
            id="rdbms",
        ),
    ],
)
@pytest.mark.parametrize("path_types", PathTypes)
def test_different_datasets_never_share_a_name(found, path_types):
    naming = naming_of(path_types=path_types)
    ids: set[AtlasObjectId] = set()
    column_ids: set[AtlasObjectId | None] = set()
    for dataset in found:
        described = datasets.entities(dataset, naming)
        ids.add(described.id)
        column_ids |= {described.column(part) for part in PARTS}
    assert len(ids) == len(found)
    assert len(column_ids) == len(found) * len(PARTS)


def test_long_names_stay_within_what_is_indexed_and_stay_different():
    limit = 32_766
    longest = "😀" * 20_000
    for naming in (PROD, HIVE, naming_of(compat=Compat.SAC, sac_prefix="m")):
        pairs = [
            [TableDataset(database=longest, name=longest + last, catalog=longest) for last in "ab"],
            [TableDataset(database=longest, name=longest + last) for last in "ab"],
            [PathDataset(path=f"s3a://{longest}/{longest}{last}/c", format=longest) for last in "ab"],
            [PathDataset(path=f"abfss://c@h/{longest}{last}", format="") for last in "ab"],
            [PathDataset(path=f"hdfs://h/{longest}{last}", format="") for last in "ab"],
            [TopicDataset(topic=longest + last) for last in "ab"],
            [HBaseDataset(namespace=longest, table=longest + last) for last in "ab"],
            [RdbmsDataset(rdbms_type="x", host=longest, database=longest, table=longest + last) for last in "ab"],
        ]
        for pair in pairs:
            sent = [datasets.entities(dataset, naming) for dataset in pair]
            assert sent[0].id != sent[1].id
            for described in sent:
                ids = [each.id for each in described.head]
                ids += [column for column in (described.column("`" * 20_000),) if column]
                for each in ids:
                    units = len(each.qualified_name.encode("utf-16-le")) // 2
                    assert units <= limit, (each.type_name, units)
                for each in described.head:
                    for value in each.attributes.values():
                        assert not isinstance(value, str) or len(value.encode("utf-16-le")) // 2 <= limit


def test_a_path_too_deep_for_its_store_is_one_entity():
    deep = "s3a://b" + "/a" * 200
    (entity,) = datasets.entities(PathDataset(path=deep, format="csv"), PROD).head
    assert entity.id == ("fs_path", f"{deep}@prod")
