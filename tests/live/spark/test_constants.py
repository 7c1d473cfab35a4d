"""Constants of expressions are sent as far as the text of statements shows them, and never next to the name of a secret."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from tests.helpers.live_runs import SETTINGS, Capture

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset]

S = "hunter2zX9"

CONSTANTS = {
    f"concat(name, '{S}')": ("concat(name, ?)", f"concat(name, '{S}')"),
    "id + 123456": ("id + 123456", "id + 123456"),
    "id + 1234567": ("id + ?", "id + 1234567"),
    "id = 4111111111111111": ("id = ?", "id = 4111111111111111L"),
    "id * 0.5": ("id * 0.5", "id * 0.5"),
    "id * 0.1234567": ("id * ?", "id * 0.1234567"),
    "name < date '2020-01-01'": ("name < ?", "name < DATE '2020-01-01'"),
    "to_date(name, 'yyyy')": ("to_date(name, 'yyyy')", "to_date(name, 'yyyy')"),
    "to_date(name, '1234567')": ("to_date(name, ?)", "to_date(name, '1234567')"),
    f"split(name, '{S}')": ("split(name, ?)", f"split(name, '{S}')"),
    "split(name, '; ')": ("split(name, '; ')", "split(name, '; ')"),
    f"lpad(name, 5, '{S}')": ("lpad(name, 5, ?)", f"lpad(name, 5, '{S}')"),
    f"nvl(name, '{S}')": ("nvl(name, ?)", f"nvl(name, '{S}')"),
    f"password = '{S}'": ("password = ?", "password = ?"),
    f"nvl(password, '{S}')": ("nvl(password, ?)", "nvl(password, ?)"),
    f"password in ('{S}', name)": ("password IN (?, name)", "password IN (?, name)"),
    f"map('password', '{S}')": ("map(?, ?)", "map(?, ?)"),
    f"concat('password=', '{S}')": ("concat(?, ?)", "concat(?, ?)"),
    f"case when upper(password) = '{S}' then 1 end": ("CASE WHEN upper(password) = ? THEN 1 END",) * 2,
    f"aes_encrypt(name, '{S}12345X')": ("aes_encrypt(name, ?, ?, ?, ?, ?)",) * 2,
    f"concat(name, 'see s3a://k:{S}@b/x')": ("concat(name, ?)", "concat(name, 'see s3a://k:***@b/x')"),
    "concat(name, 'it\\'s \\\\ 5')": ("concat(name, ?)", "concat(name, 'it\\'s \\\\ 5')"),
}
"""Check an expression with the text of statements masked, and verbatim."""


@pytest.mark.parametrize("literals", [False, True], ids=["masked", "verbatim"])
def test_constants_are_shown_as_statements_show_them(spark: SparkSession, literals: bool) -> None:
    people = spark.createDataFrame([], "id bigint, name string, password string")
    people.createOrReplaceTempView("people")
    capture = Capture(spark, dataclasses.replace(SETTINGS, literals=literals))
    columns = ", ".join(f"{sql} as c{i}" for i, sql in enumerate(CONSTANTS))
    text = capture.text_of(
        lambda: spark.sql(f"create table constants{literals} using parquet as select {columns} from people")
    )
    (process,) = Capture.processes_of(text)
    shown = {c.column: c.expression for c in process.columns}
    assert shown == {f"c{i}": of[literals] for i, of in enumerate(CONSTANTS.values())}
    assert literals or S not in text
