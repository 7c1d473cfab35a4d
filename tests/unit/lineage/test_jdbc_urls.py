"""Targets of JDBC URLs, and qualified names of tables in each database."""

from __future__ import annotations

import pytest

from sac_kafka.names.jdbc_forms import FORMS
from sac_kafka.names.jdbc_urls import name_parts, parse_jdbc_url, rdbms_table
from tests.fixtures.names.jdbc_urls import ROWS, Row
from tests.helpers.every_row import every_row

SECRETS = ("hunter2", "hun@ter", "hun?ter", "hun/ter", "ter2", "scott", "AKIA", "eyJ", "me:", "me@")


def url(row: Row) -> str:
    return row.url


@every_row("row", ROWS, label=url)
def test_a_url_leads_to_its_database(row: Row) -> None:
    found = parse_jdbc_url(row.url)
    assert found is not None
    assert (found.rdbms_type, found.host, found.port, found.database, found.schema) == row.where


def test_two_hundred_urls_with_their_page() -> None:
    assert len(ROWS) >= 200
    assert len({row.url for row in ROWS}) == len(ROWS)
    assert all(row.page.startswith(("https://", "docs/")) for row in ROWS)


@every_row("kind", sorted(FORMS))
def test_a_row_of_the_table_of_forms_has_a_url(kind: str) -> None:
    assert any(f"{kind}:" in row.url.lower() or row.where[0] == kind for row in ROWS)


@every_row("row", ROWS, label=url)
def test_credentials_are_removed(row: Row) -> None:
    text = repr(parse_jdbc_url(row.url))
    assert not [secret for secret in SECRETS if secret in text]


@every_row("row", [row for row in ROWS if row.dbtable], label=url)
def test_a_table_within_its_database(row: Row) -> None:
    assert row.dbtable is not None
    found = rdbms_table(row.url, name_parts(row.dbtable))
    assert found is not None
    assert (found.database, found.schema, found.table) == row.parts


@pytest.mark.parametrize("url", ["", "postgresql://db1/shop", "jdbc:", "mongodb://db1"])
def test_invalid_jdbc_url_has_no_target(url: str) -> None:
    assert parse_jdbc_url(url) is None
    assert rdbms_table(url, ("t",)) is None


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("orders", ("orders",)),
        ("sales.orders", ("sales", "orders")),
        ('"Sales"."Big.Orders"', ("Sales", "Big.Orders")),
        ('"a""b"', ('a"b',)),
        ("`shop`.`orders`", ("shop", "orders")),
        ("[dbo].[Order Lines]", ("dbo", "Order Lines")),
        ("[dbo].[we]]ird.orders]", ("dbo", "we]ird.orders")),
        ("shop.dbo.orders", ("shop", "dbo", "orders")),
        ("shop..orders", ("shop", "", "orders")),
        (" sales . orders ", ("sales", "orders")),
    ],
)
def test_the_parts_of_a_name(name: str, parts: tuple[str, ...]) -> None:
    assert name_parts(name) == parts
