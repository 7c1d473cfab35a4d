"""Decoding of JDBC URLs per driver: one table, whose rows name their source."""

from __future__ import annotations

import pytest

from sac_kafka.names.jdbc_forms import FORMS
from sac_kafka.names.jdbc_spelling import SPELLINGS
from sac_kafka.names.jdbc_urls import parse_jdbc_url

ENCODED = "a%20b+c"
READ = {"as a form": "a b c", "as a URI": "a b+c", "unchanged": ENCODED}


@pytest.mark.parametrize(
    ("url", "how"),
    [
        ("jdbc:postgresql://h/{}", "as a form"),
        ("jdbc:redshift://h/{}", "as a form"),
        ("jdbc:mysql://h/{}", "as a form"),
        ("jdbc:mariadb://h/{}", "unchanged"),
        ("jdbc:singlestore://h/{}", "unchanged"),
        ("jdbc:snowflake://h/?db={}", "as a form"),
        ("jdbc:trino://h/{}", "as a URI"),
        ("jdbc:presto://h/{}", "as a URI"),
        ("jdbc:clickhouse://h/{}", "as a URI"),
        ("jdbc:clickhouse://h/?database={}", "as a URI"),
        ("jdbc:mongodb://h/{}", "as a URI"),
        ("jdbc:sqlserver://h;databaseName={}", "unchanged"),
        ("jdbc:sap://h:30015/?databaseName={}", "unchanged"),
    ],
)
def test_a_name_is_decoded_where_the_driver_does(url: str, how: str) -> None:
    found = parse_jdbc_url(url.format(ENCODED))
    assert found is not None
    assert found.database == READ[how]


def test_every_rule_names_its_source_and_an_existing_system() -> None:
    assert all(each.source for each in SPELLINGS.values())
    assert {form.rdbms_type or kind for kind, form in FORMS.items()} >= SPELLINGS.keys()


@pytest.mark.parametrize(
    "url", ["jdbc:sqlserver://h;databaseName={}", "jdbc:teradata://h/DATABASE={}", "jdbc:db2://h/x:currentSchema={};"]
)
def test_quotes_around_a_parameter_are_identifier_quotes(url: str) -> None:
    found = parse_jdbc_url(url.format('"My ""Db"""'))
    assert found is not None
    assert 'my "db"' in (found.database.lower(), (found.schema or "").lower())
