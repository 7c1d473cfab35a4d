"""Masking, table-driven: secrets are masked, other text is unchanged."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import pytest

from sac_kafka.masking import mask_text
from tests.helpers.every_row import every_row
from tests.helpers.hostile import fillers, texts
from tests.helpers.work import TOLERANCE
from tests.live.spark.masker import Masker
from tests.unit.settings.files.secrets_of_short_names import SHORT, SHORT_NAMES
from tests.unit.settings.files.texts_without_secrets import WITHOUT_SECRETS

S = "hunter2zX9"
BASIC = base64.b64encode(f"user:{S}".encode()).decode()
GITHUB = "ghp_" + "aB3" * 12
SLACK = "xoxb-" + "1234567890-" * 3 + "aB3" * 8
KEY = f"{S}{S}"


@pytest.fixture(scope="module")
def masking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Masker]:
    with Masker(tmp_path_factory.mktemp("masking"), ["(?i)my-own"], ["ssn-\\d+"]) as masker:
        yield masker


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
    f"the password={S} of it": "the password=***",
    f"password=two {S}": "password=***",
    f"set password := {S}": "set password := ***",
    f"password:={S}": "password:=***",
    f"user=u, password=a {S}, host=h": "user=u, password=*** host=h",
    f"password=a {S};database=d": "password=***;database=d",
    f"jdbc:sqlserver://h;password={{a}}}};{S}}};encrypt=true": "jdbc:sqlserver://h;password=***;encrypt=true",
    f"jdbc:oracle:thin:u/a@{S}@//h:1521/s": "jdbc:oracle:thin:u/***@//h:1521/s",
    f"jdbc:oracle:thin:u/{S}@(DESCRIPTION=(HOST=h))": "jdbc:oracle:thin:u/***@(DESCRIPTION=(HOST=h))",
    f"jdbc:postgresql://u:a#{S}@h/db": "jdbc:postgresql://u:***@h/db",
    f"Authorization: Basic {BASIC}": "Authorization: ***",
    f"Authorization: basic {BASIC}": "Authorization: ***",
    f"https://h/x?code={S}&a=1": "https://h/x?code=***&a=1",
    f"https://h/x?a=1&key={S}": "https://h/x?a=1&key=***",
    f"https://h/r?u=https%3A%2F%2Fx%3Fa%3D1%26code%3D{S}": "https://h/r?u=https%3A%2F%2Fx%3Fa%3D1%26code%3D***",
    f"jdbc:x://h;OAuthPvtKey={S};Auth=1": "jdbc:x://h;OAuthPvtKey=***;Auth=1",
    f"jdbc:x://h;SSLClientKey={S};a=1": "jdbc:x://h;SSLClientKey=***;a=1",
    f"-----BEGIN RSA PRIVATE KEY-----\n{S}\n-----END RSA PRIVATE KEY----- after": "*** after",
    f"-----BEGIN PRIVATE KEY-----\n{S}": "***",
    f"see {GITHUB} there": "see *** there",
    f"see {SLACK} there": "see *** there",
    "x eyJhbGciOiJIUzI1NiJ9 y": "x *** y",
    f"password='it''s {S}' x": "password=*** x",
    f"password='never closed {S}": "password=***",
    f'{{\\"password\\": \\"a {S}\\", \\"b\\": 1}}': '{\\"password\\": ***, \\"b\\": 1}',
    f'{{"token": {{"a": {{"b": "{S}"}}, "c": "{S}"}}, "d": 1}}': '{"token": ***, "d": 1}',
    f"password: {S}": "password: ***",
    f'{{"password":"{S} and more"}}': '{"password":***}',
    f"client_secret='{S} x' y": "client_secret=*** y",
    f"pass={S} api-key={S} apikey={S}": "pass=*** api-key=*** apikey=***",
    f'org.x.PlainLoginModule required password="{S}";': "org.x.PlainLoginModule required password=***;",
    f"Authorization Bearer {S}abc": "Authorization ***",
    "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.SflKxwRJSM y": "x *** y",
    "dapi0123456789abcdef0123456789abcdef": "***",
    "the person ssn-12345 here": "the person *** here",
    f"ALTER USER ada WITH PASSWORD '{S}' VALID": "ALTER USER ada WITH PASSWORD *** VALID",
    f'alter role ada password "{S}"': "alter role ada password ***",
    f"PASSWORD N'{S} two'": "PASSWORD ***",
    f"OPTIONS (token '{S}', 'secret.key' '{S}')": "OPTIONS (token ***, 'secret.key' ***)",
    f"password 'never closed {S}": "password ***",
    f"CREATE USER ada IDENTIFIED BY {S}; next": "CREATE USER ada IDENTIFIED BY ***; next",
    f"(create user ada identified by {S})": "(create user ada identified by ***)",
    f"IDENTIFIED BY PASSWORD '{S}'": "IDENTIFIED BY PASSWORD ***",
    f"identified by 'it''s {S}' x": "identified by *** x",
    f'IDENTIFIED WITH mysql_native_password AS "{S}"': "IDENTIFIED WITH mysql_native_password AS ***",
    f"grant select on t to ada identified by {S}": "grant select on t to ada identified by ***",
    f"'it is PASSWORD ''{S} x''; go'": "'it is PASSWORD ***; go'",
    f'"it is password=""{S} x""; go"': '"it is password=***; go"',
    f"'it is PASSWORD \\'{S} x\\'; go'": "'it is PASSWORD ***; go'",
    f"password=''; x={S}": f"password=***; x={S}",
    f"user.pass={S};DB_PASS={S};userPass={S}": "user.pass=***;DB_PASS=***;userPass=***",
    f"PASSWORD    '{S}'": "PASSWORD    ***",
    f"OPTIONS (`password` '{S}')": "OPTIONS (`password` ***)",
    f"PASSWORD('{S}')": "PASSWORD(***)",
    f"('password', '{S}')": "('password', ***)",
    f"IDENTIFIED WITH m BY {S}; x": "IDENTIFIED WITH m BY ***; x",
    f"IDENTIFIED    BY    {S}": "IDENTIFIED    BY    ***",
    f"create user 'a;b' identified by {S}": "create user 'a;b' identified by ***",
    "Authorization: Bearer aaaabbbbccccddddeeee": "Authorization: ***",
    f"tokens={S}": "tokens=***",
    f"--sk-proj-{KEY}": "--***",
    f"see sk-proj-aB_{KEY}_x-y there": "see *** there",
    f"see sk-{KEY} there": "see *** there",
    f"see sk-ant-api03-{KEY} there": "see *** there",
    f"see sk_live_{KEY} there": "see *** there",
}

ADDRESSES = ("token_service:8080", "s3a://bucket/first_pass=1/second_pass=2")
"""Names of data that stay in the driver. In Python, which speaks of settings, they are masked: rather too much there."""

OWN_NAMES = ("password", "PWD", "my-OWN-x", "fs.azure.account.key", "sslKeystorePassphrase", "db_pass", "OAuthPvtKey")

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
    f"create user ada identified by '{S}'": "create user ada identified by ?",
    f"create user ada identified by password '{S}'": "create user ada identified by password ?",
    f"create user ada identified by {S} account": "create user ada identified by *** account",
    f"comment on table t is 'PASSWORD ''{S}''; x'": "comment on table t is 'PASSWORD ***; x'",
    f"create table t comment 'PASSWORD \"{S}\"'": "create table t comment 'PASSWORD ***'",
    f"create table t options (password '{S}', url 'x')": "create table t options (password ?, url ?)",
    f"insert overwrite directory '/mart/x' using json select '{S}'": (
        "insert overwrite directory '/mart/x' using json select ?"
    ),
    f"create table t (a int COMMENT 'the id') location 's3a://k:{S}@b/x'": (
        "create table t (a int COMMENT 'the id') location 's3a://k:***@b/x'"
    ),
    "create table t comment 'it''s' || 'x'": "create table t comment 'it''s' || ?",
    "load data local inpath '/in' into table t": "load data local inpath '/in' into table t",
    '/* {"app": "dbt", "profile_name": "p", "node_id": "model.sales.orders"} */\nselect 1': (
        "/* dbt model.sales.orders */\nselect 1"
    ),
    f'/* {{"app": "dbt", "x": "{S}", "node_id": "password={S}"}} */select 1': " select 1",
    "create table t using csv options (path '/in', sep ';')": "create table t using csv options (path '/in', sep ?)",
    "comment on table t is 'all of them'": "comment on table t is 'all of them'",
    f"select 1 from t where comment = '{S}' and path in ('{S}') and upath '{S}'": (
        "select 1 from t where comment = ? and path in (?) and upath ?"
    ),
}

OPTIONS_SQL = {
    f"create table t options (password '{S}', dbtable 'x')": "create table t options (password '***', dbtable 'x')",
    f"tblproperties ('fs.s3a.secret.key'='{S}')": "tblproperties ('fs.s3a.secret.key'='***')",
    f'options ("my.token" = "{S}\\"more")': "options (\"my.token\" = '***')",
    f"options (password r'{S}\\')": "options (password '***')",
    f"create table t location 's3a://k:{S}@b/x'": "create table t location 's3a://k:***@b/x'",
    "select 'monday' as day": "select 'monday' as day",
    f"select 1 -- create user ada identified by {S}": "select 1 -- create user ada identified by ***",
    f"select 'sk-proj-{KEY}'": "select '***'",
    f"comment on table t is 'PASSWORD ''{S}''; x'": "comment on table t is 'PASSWORD '***'; x'",
    f"options (`password` '{S}', db_pass '{S}', userPass    '{S}')": (
        "options (`password` '***', db_pass '***', userPass    '***')"
    ),
    f"select map('password', '{S}')": "select map('password', '***')",
    f"set password = PASSWORD('{S}')": "set password = ***",
    f"create user ada IDENTIFIED WITH m BY {S}": "create user ada IDENTIFIED WITH m BY ***",
    f"options (password '', dbtable '{S}')": f"options (password '***', dbtable '{S}')",
}


@every_row(("text", "masked"), MASKED.items())
def test_a_secret_is_masked(masking: Masker, text: str, masked: str) -> None:
    assert masking.text(text) == masked
    assert masking.text(masked) == masked


@every_row("text", [*WITHOUT_SECRETS, *ADDRESSES])
def test_other_text_is_unchanged(masking: Masker, text: str) -> None:
    assert masking.text(text) == text


@every_row("text", SHORT)
def test_a_secret_of_a_short_name_is_masked(masking: Masker, text: str) -> None:
    for method in ("text", "sql", "sqlWithoutLiterals"):
        assert "hunter2" not in masking.call(method, text), method
    assert masking.text(masking.text(text)) == masking.text(text)


@every_row("key", [*SHORT_NAMES, *OWN_NAMES])
def test_an_option_with_a_secret_key_is_masked(masking: Masker, key: str) -> None:
    assert masking.call("option", key, S) == "***"


@every_row(
    "key", ("pass_count", "passes", "passenger", "pw_loss", "sassy", "sas_program", "sig_level", "mpw", "credit")
)
def test_an_option_or_column_with_another_name_is_not_masked(masking: Masker, key: str) -> None:
    assert masking.call("option", key, S) == S
    assert masking.call("sql", f"select 1 from t where {key} = 'x'") == f"select 1 from t where {key} = 'x'"


@every_row(("sql", "shown"), SQL.items())
def test_a_statement_loses_its_literals_and_comments(masking: Masker, sql: str, shown: str) -> None:
    assert masking.call("sqlWithoutLiterals", sql) == shown


@every_row(("sql", "shown"), OPTIONS_SQL.items())
def test_a_verbatim_statement_loses_its_secrets(masking: Masker, sql: str, shown: str) -> None:
    assert masking.call("sql", sql) == shown


def test_other_options_are_masked_as_texts(masking: Masker) -> None:
    assert masking.call("option", "url", f"jdbc:x://u:{S}@h/d") == "jdbc:x://u:***@h/d"
    assert masking.call("option", "dbtable", "passengers") == "passengers"


@every_row("text", [text for text, shown in MASKED.items() if S not in shown])
def test_java_and_python_mask_the_same(text: str) -> None:
    assert S not in mask_text(text)
    assert BASIC not in mask_text(text)


METHODS = ("text", "sql", "sqlWithoutLiterals", "isName")
TIMES = 4
"""How many times longer the second of two texts is."""


def _grows_too_fast(masking: Masker, name: str, head: str, unit: str, size: int, constant: int) -> str | None:
    """Report a pattern or method whose work grows faster than the text; `constant` is what a short text may cost."""
    little = masking.work(name, head, unit, size)
    much = masking.work(name, head, unit, size * TIMES)
    if much <= max(little, constant) * TIMES * TOLERANCE:
        return None
    return f"{name}: {little} for {size}, {much} for {size * TIMES} characters of {head!r} {unit!r}"


def test_no_pattern_reads_more_than_linearly(masking: Masker) -> None:
    patterns = dict(line.split("\t") for line in masking.call("patterns").splitlines())
    assert len(patterns) > 5
    tried = [(name, "", unit) for name in patterns for unit in fillers(patterns[name])]
    assert [found for each in tried if (found := _grows_too_fast(masking, *each, size=300, constant=3_000))] == []


@pytest.mark.parametrize("method", METHODS)
def test_no_method_copies_more_than_linearly(masking: Masker, method: str) -> None:
    tried = [*texts()][METHODS.index(method) :: 6]
    found = (_grows_too_fast(masking, method, head, unit, size=2_000, constant=60_000) for head, unit in tried)
    assert [*filter(None, found)] == []
