"""Precedence of names of a dataset: rules of the user, the family of its system, then Purview's own spelling."""

from __future__ import annotations

import typing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sac_kafka.model import Dataset, PathDataset, RdbmsDataset, TableDataset
from sac_kafka.purview.mapping.reading import read_rules
from sac_kafka.purview.names import asset
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.normalisation import normalise

ORDERS = RdbmsDataset(rdbms_type="sqlserver", host="s.database.windows.net", database="d", table="[my orders]")


def test_user_rule_comes_first_and_its_name_is_normalised() -> None:
    text = (
        '[[rule]]\nmatch.kind = "database"\nmatch.database = "d"\ntype = "azure_sql_table"\n'
        'qualifiedName = "mssql://S.database.windows.net/{namespace}//t"\n'
    )
    around = NamingContext(namespace="prod", rules=read_rules(text, "mapping.toml"))
    found = asset(ORDERS, around, is_output=True)
    assert found.qualified_name == "mssql://s.database.windows.net/prod/t"


def test_without_a_user_rule_the_family_names_the_asset() -> None:
    found = asset(ORDERS, NamingContext(), is_output=True)
    assert found.qualified_name == "mssql://s.database.windows.net/d/dbo/my%20orders"


@pytest.mark.parametrize("kind", typing.get_args(Dataset))
def test_every_kind_of_dataset_has_a_family(kind: type) -> None:
    needed = [f for f in kind.__dataclass_fields__.values() if f.default is f.default_factory]  # type: ignore[attr-defined]
    facts = {field.name: ("t",) if field.name == "parts" else "t" for field in needed}
    found = asset(kind(**facts), NamingContext(), is_output=False)
    assert found.type_name and "t" in found.qualified_name


NAMES = st.text(st.sampled_from("aB 0/.:[]{}%#é"), min_size=1, max_size=12)
DATASETS = st.one_of(
    st.builds(
        RdbmsDataset,
        rdbms_type=st.sampled_from(["sqlserver", "postgresql", "mysql", "snowflake", "oracle"]),
        host=st.sampled_from(["h", "s.database.windows.net", "s.z.database.windows.net", "w.sql.azuresynapse.net"]),
        database=NAMES,
        schema=NAMES,
        table=NAMES,
    ),
    st.builds(TableDataset, catalog=st.none() | NAMES, database=NAMES, name=NAMES),
    st.builds(
        PathDataset, path=NAMES.map(lambda name: f"abfss://c@a.dfs.core.windows.net/{name}"), format=st.just("csv")
    ),
)


@settings(max_examples=40)
@given(DATASETS, st.booleans())
def test_name_is_unchanged_by_purview(dataset: Dataset, is_output: bool) -> None:
    found = asset(dataset, NamingContext(metastore_id="m"), is_output=is_output)
    assert normalise(found) == found
    assert asset(dataset, NamingContext(metastore_id="m"), is_output=is_output) == found
