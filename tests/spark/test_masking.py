"""Masking, table-driven: what must go, and what must stay as it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from sleeper import compiled, instance

from sac_kafka.spark.source import compilation_unit

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.subset]

S = "hunter2zX9"


@pytest.fixture(scope="module")
def masking(spark: SparkSession) -> Any:
    lists = spark.sparkContext._jvm.java.util.ArrayList
    keys, values = lists(), lists()
    keys.add("(?i)my-own")
    values.add("ssn-\\d+")
    return instance(spark, compiled(spark, compilation_unit(), "sackafka.Masking"), keys, values)


MASKED = {
    f"s3a://AKIA:{S}@bucket/k": "s3a://AKIA:***@bucket/k",
    f"s3a://AKIA:{S}/with/slashes@bucket/k": "s3a://AKIA:***@bucket/k",
    f"jdbc:postgresql://u:{S}@h:5432/db": "jdbc:postgresql://u:***@h:5432/db",
    f"mongodb+srv://u:{S}@h1:1,h2:2/db?x=1": "mongodb+srv://u:***@h1:1,h2:2/db?x=1",
    f"ftp://u:{S}@h:21/f": "ftp://u:***@h:21/f",
    "redis://:12345@h/0": "redis://:***@h/0",
    f"https://{S}@github.com/x.git": "https://***@github.com/x.git",
    f"jdbc:oracle:thin:scott/{S}@//h:1521/s": "jdbc:oracle:thin:scott/***@//h:1521/s",
    f"jdbc:derby:memory:x;create=true;user=u;password={S}": "jdbc:derby:memory:x;create=true;user=u;password=***",
    f"jdbc:sqlserver://h:1433;database=d;password={{a;{S}}};encrypt=true": (
        "jdbc:sqlserver://h:1433;database=d;password=***;encrypt=true"
    ),
    f"jdbc:mysql://h/d?user=u&password={S},)x&useSSL=true": "jdbc:mysql://h/d?user=u&password=***&useSSL=true",
    f"jdbc:snowflake://a.snowflakecomputing.com/?private_key_pwd={S}&db=D": (
        "jdbc:snowflake://a.snowflakecomputing.com/?private_key_pwd=***&db=D"
    ),
    f"wasbs://c@a.blob.core.windows.net/x?sv=1&sig={S}": "wasbs://c@a.blob.core.windows.net/x?sv=1&sig=***",
    f"file:/x?sv=1&SIG={S}&se=2": "file:/x?sv=1&SIG=***&se=2",
    f"https://h/x?X-Amz-Credential={S}&X-Amz-Signature={S}&X-Amz-Date=1": (
        "https://h/x?X-Amz-Credential=***&X-Amz-Signature=***&X-Amz-Date=1"
    ),
    f"https://h/x?q=1%26password%3D{S}": "https://h/x?q=1%26password%3D***",
    f"AccountKey={S}==;EndpointSuffix=x": "AccountKey=***;EndpointSuffix=x",
    f"Endpoint=sb://n/;SharedAccessKeyName=k;SharedAccessKey={S}=": "Endpoint=sb://n/;SharedAccessKeyName=***;SharedAccessKey=***",
    f"fs.s3a.secret.key = {S}": "fs.s3a.secret.key = ***",
    f"the password={S} of it": "the password=*** of it",
    f"password: {S}": "password: ***",
    f'{{"password":"{S} and more"}}': '{"password":***}',
    f"client_secret='{S} x' y": "client_secret=*** y",
    f"pass={S} api-key={S} apikey={S}": "pass=*** api-key=*** apikey=***",
    f'org.x.PlainLoginModule required password="{S}";': "org.x.PlainLoginModule required password=***;",
    f"Authorization Bearer {S}abc": "Authorization ***",
    "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.SflKxwRJSM y": "x *** y",
    "dapi0123456789abcdef0123456789abcdef": "***",
    "the person ssn-12345 here": "the person *** here",
}

UNTOUCHED = [
    "",
    "plain",
    "hdfs://nn:8020/a@b",
    "hdfs://nn:8020/a:b@c",
    "hdfs://nn1/data/2026-11-21/x@y=z",
    "abfss://container@account.dfs.core.windows.net/x",
    "abfss://container@account.dfs.core.windows.net/x:y@z",
    "wasbs://container@account.blob.core.windows.net/k=v",
    "s3a://bucket/k=v/",
    "s3a://bucket/key=1/day=2026-11-21/part-0.parquet",
    "gs://bucket/a b/c",
    "o3fs://bucket.volume.om:9862/key",
    "file:/C:/data/x",
    "dbfs:/mnt/x",
    "jdbc:postgresql://h1:5432,h2:5433/db?user=a@b",
    "jdbc:derby:memory:x;create=true;user=u",
    "jdbc:oracle:thin:@//h:1521/s",
    "kafka://h:9092/topic",
    "http://h:8080",
    "https://h:8443/x?sv=1&se=2026-11-21",
    "tokens per user: 12",
    "a table of compass=1 and bypass=2 values",
    "keyboard=qwerty; monkey=1; design=2",
    "struct<a:int,b:map<string,array<double>>>",
    "email me@host.org: thanks",
    "token_service:8080",
    "ratio 3:4 = 0.75",
]

SQL = {
    "select 1": "select 1",
    f"select '{S}'": "select ?",
    f'select "{S}", x': "select ?, x",
    f"select 'it''s', '{S}'": "select ??, ?",
    f"select 'a\\'{S}' from t": "select ? from t",
    f"select r'C:\\', '{S}' from t": "select r?, ? from t",
    f"select R\"C:\\\", '{S}' from t": "select R?, ? from t",
    f"select bar'x\\'{S}'": "select bar?",
    "select `a'b` from t": "select `a'b` from t",
    f"select 1 -- {S}\nfrom t": "select 1 \nfrom t",
    f"select 1 -- x \\\n {S}\nfrom t": "select 1 \nfrom t",
    f"select /* {S} */ 1": "select   1",
    f"select /* a /* b */ {S} */ 1": "select   1",
    "select /*+ broadcast(t) */ 1": "select /*+ broadcast(t) */ 1",
    "select 4111111111111111, 123456, t1234567 from t": "select ?, 123456, t1234567 from t",
    f"select 'unclosed {S}": "select ?",
    f"create table t options (password '{S}', url 'x')": "create table t options (password ?, url ?)",
}

OPTIONS_SQL = {
    f"create table t options (password '{S}', dbtable 'x')": "create table t options (password '***', dbtable 'x')",
    f"tblproperties ('fs.s3a.secret.key'='{S}')": "tblproperties ('fs.s3a.secret.key'='***')",
    f'options ("my.token" = "{S}\\"more")': "options (\"my.token\" = '***')",
    f"options (password r'{S}\\')": "options (password '***')",
    f"create table t location 's3a://k:{S}@b/x'": "create table t location 's3a://k:***@b/x'",
    "select 'monday' as day": "select 'monday' as day",
}


@pytest.mark.parametrize(("text", "masked"), MASKED.items(), ids=str)
def test_a_secret_is_masked(masking: Any, text: str, masked: str) -> None:
    assert masking.text(text) == masked
    assert masking.text(masked) == masked


@pytest.mark.parametrize("text", UNTOUCHED)
def test_what_is_no_secret_stays(masking: Any, text: str) -> None:
    assert masking.text(text) == text


@pytest.mark.parametrize(("sql", "shown"), SQL.items(), ids=str)
def test_a_statement_loses_its_literals_and_comments(masking: Any, sql: str, shown: str) -> None:
    assert masking.sqlWithoutLiterals(sql) == shown


@pytest.mark.parametrize(("sql", "shown"), OPTIONS_SQL.items(), ids=str)
def test_a_statement_told_verbatim_loses_its_secrets(masking: Any, sql: str, shown: str) -> None:
    assert masking.sql(sql) == shown


@pytest.mark.parametrize(
    "key", ["password", "PWD", "my-OWN-x", "fs.azure.account.key", "sslKeystorePassphrase", "pass"]
)
def test_an_option_with_a_secret_key_is_masked(masking: Any, key: str) -> None:
    assert masking.option(key, S) == "***"


def test_other_options_are_masked_as_texts(masking: Any) -> None:
    assert masking.option("url", f"jdbc:x://u:{S}@h/d") == "jdbc:x://u:***@h/d"
    assert masking.option("dbtable", "passengers") == "passengers"


LONG = [
    "a",
    "password",
    "x=",
    "://",
    "://a:",
    ":@",
    "password=",
    "password={ ",
    "password '",
    "'",
    "eyJ",
    "-",
    "\\",
    "/*",
]


@pytest.mark.parametrize("unit", [*LONG, "eyJaaaaaaaa.", "bearer ", "=:%", "jdbc:oracle:a:b", "token:\t"])
def test_no_text_takes_masking_long(masking: Any, unit: str) -> None:
    text = unit * (100_000 // len(unit))
    started = time.monotonic()
    masking.text(text + "=:@")
    masking.sqlWithoutLiterals(text)
    masking.sql(text)
    assert time.monotonic() - started < 5
