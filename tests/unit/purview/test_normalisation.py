"""Names as Purview writes them: each normalisation rule, and that no rule changes the result of another."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from sac_kafka.purview.asset import Asset
from sac_kafka.purview.normalisation import RULES, normalise, normalised_name
from tests.helpers.every_row import every_row

PATH = "azure_datalake_gen2_path"
ROWS = [
    ("brackets of a path are encoded", PATH, "https://a/c/{x}", "https://a/c/%7Bx%7D"),
    ("those of a resource set are patterns", "azure_blob_resource_set", "https://a/c/{N}.csv", "https://a/c/{N}.csv"),
    ("spaces at the ends", PATH, " https://a/c/x ", "https://a/c/x"),
    ("spaces next to separators", PATH, "https://a / c /x . csv", "https://a/c/x.csv"),
    ("spaces within a name stay", PATH, "https://a/c/my  orders", "https://a/c/my  orders"),
    ("spaces of a host", PATH, "https://my host/c/x", "https://myhost/c/x"),
    ("a host in small letters", PATH, "https://Acct.DFS.core.windows.net/C/X", "https://acct.dfs.core.windows.net/C/X"),
    ("a host that nothing follows", "azure_datalake_gen2_service", "https://Acct.net", "https://acct.net"),
    ("a port ends a host", "azure_sql_server", "mssql://Srv:1433/DB", "mssql://srv:1433/DB"),
    ("a scheme in small letters", "aws_s3_v2_object", "S3://b/K", "s3://b/K"),
    ("no scheme, nothing in small letters", PATH, "Orders", "Orders"),
    ("an address in a path is path", PATH, "https://a/c/X://Y/Z", "https://a/c/X://Y/Z"),
    ("an extension in small letters", PATH, "https://a/c/X.CSV", "https://a/c/X.csv"),
    ("five letters at most", PATH, "https://a/c/X.PARQUET", "https://a/c/X.PARQUET"),
    ("an extension does not reach over a slash", PATH, "https://a/c/X.V1/Ab", "https://a/c/X.V1/Ab"),
    ("a folder has none", PATH, "https://a/c/X.CSV/", "https://a/c/X.CSV/"),
    ("nor has a directory of S3", "aws_s3_v2_directory", "s3://b/X.CSV", "s3://b/X.CSV"),
    ("double slashes", PATH, "https://a//c///x//", "https://a/c/x/"),
    ("square brackets of SQL", "azure_sql_table", "mssql://s/d/[my schema]/[t]", "mssql://s/d/my%20schema/t"),
    ("square brackets of paths stay", PATH, "https://a/c/[x]", "https://a/c/[x]"),
    ("brackets without a partner stay", "azure_sql_table", "mssql://s/d/]a[[b]", "mssql://s/d/]a[b"),
    ("the web address of Gen1", "azure_datalake_gen1_path", "https://a.net/x", "adl://a.net/x"),
    ("containers end without a slash", "azure_blob_container", "https://a/c/", "https://a/c"),
    ("folders keep theirs", PATH, "https://a/c/x/", "https://a/c/x/"),
    ("a type without rules", "hive_table", " Db.T@Host ", " Db.T@Host "),
]
TYPES = sorted({each for rule in RULES for each in rule.types})
TEXTS = st.text(st.sampled_from("aZ 0/.:[]{}\t#%é") | st.characters(codec="utf-8"), max_size=40)


@every_row(("type_name", "given_name", "expected"), [row[1:] for row in ROWS])
def test_a_rule(type_name: str, given_name: str, expected: str) -> None:
    assert normalised_name(type_name, given_name) == expected


@settings(max_examples=40)
@given(st.sampled_from(TYPES), TEXTS | TEXTS.map(lambda text: f"https://{text}"))
@example("azure_sql_table", "[[a]]")
@example("azure_datalake_gen1_path", "http://http://a")
@example(PATH, "https: //a")
@example(PATH, "a/ . /b")
def test_a_normalised_name_is_normalised(type_name: str, name: str) -> None:
    once = normalised_name(type_name, name)
    assert normalised_name(type_name, once) == once


def test_an_asset_keeps_what_is_not_its_name() -> None:
    asset = Asset(type_name=PATH, qualified_name="HTTPS://A/c/X.CSV", name="X.CSV", rule="r")
    expected = Asset(type_name=PATH, qualified_name="https://a/c/X.csv", name="X.CSV", rule="r")
    assert normalise(asset) == expected
    assert normalise(expected) is expected
