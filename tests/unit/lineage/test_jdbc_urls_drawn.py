"""Thousands of random JDBC URLs: none reveals a secret, and the derived name has the same target."""

from __future__ import annotations

import random
import string
from urllib.parse import quote

import pytest

from sac_kafka.atlas import qualified_name
from sac_kafka.names.jdbc_forms import FORMS, WRAPPERS
from sac_kafka.names.jdbc_urls import JdbcUrl, parse_jdbc_url, rdbms_table
from tests.fixtures.names.jdbc_urls import ROWS
from tests.helpers.every_row import every_row
from tests.helpers.seeds import seed

DRAWN = pytest.mark.parametrize("urls", [1_500, pytest.param(10_000, marks=pytest.mark.nightly)])
SECRET = "S3cret"
"""A part of every secret."""

NAMES = (
    *("user", "password", "PWD", "Uid", "token", "accessToken", "sslpassword", "keyStorePassword", "SecretAccessKey"),
    *("trustStorePassword", "private_key_pwd", "motherduck_token", "OAuth2Secret", "avatica_password", "sessionToken"),
    *("wallet_password", "AADSecurePrincipalSecret", "principal", "credentials", "AlternateServers"),
)
KINDS = (*FORMS, "oracle", "somethingnew")
SEPARATORS = {"teradata": ",", "sqlserver": ";", "db2": ";", "informix-sqli": ";"}


def secret(draw: random.Random) -> str:
    around = "".join(draw.choices(string.ascii_letters + "!$%*-_.~^", k=4))
    return f"{around}{SECRET}{draw.choice(('', '1', '~'))}"


def login(draw: random.Random) -> str:
    """Return no user, a user, or a user with a password: raw, encoded, and with characters special in URLs."""
    user, password = secret(draw), f"{secret(draw)}{draw.choice(('', '/', '?', '@', ':', '#', ';', ',', '[', '&a='))}x"
    how = draw.randrange(4)
    if how == 0:
        return ""
    if how == 1:
        return f"{user}@"
    if how == 2:
        return f"{user}:{quote(password, safe='')}@"
    return f"{user}:{password}@"


def parameters(draw: random.Random, between: str) -> str:
    found = []
    for name in draw.sample(NAMES, draw.randrange(1, 5)):
        value = secret(draw)
        found.append(f"{name}={draw.choice((value, quote(value), '{' + value + '}'))}")
    draw.shuffle(found)
    return between.join(found)


def oracle(draw: random.Random) -> str:
    user, password = secret(draw), secret(draw) + draw.choice(("", "@x", "/x", ":x"))
    who = draw.choice(("", f"{user}/{password}", f'{user}/"{password}"'))
    where = draw.choice(
        (
            "db1:1521:shop",
            "//db1:1521/shop",
            "shop",
            "(DESCRIPTION=(ADDRESS=(HOST=db1)(PORT=1521))(CONNECT_DATA=(SERVICE_NAME=shop)"
            f"(SECURITY=(WALLET_PASSWORD={secret(draw)}))))",
            "tcps://db1:2484/shop",
            "ldap://oid:389/shop,cn=OracleContext",
        )
    )
    end = "" if where.startswith("(") else draw.choice(("", f"?wallet_location=/w&wallet_password={secret(draw)}"))
    return f"jdbc:oracle:{draw.choice(('thin', 'oci'))}:{who}@{where}{end}"


def url(draw: random.Random) -> str:
    kind = draw.choice(KINDS)
    if kind == "oracle":
        return oracle(draw)
    around = draw.choice(("", "", "", *(f"{each}:" for each in sorted(WRAPPERS))))
    ends = FORMS[kind].starts if kind in FORMS else "?;"
    end, between = (
        ends[0],
        SEPARATORS.get(kind, draw.choice("&;") if "&" in FORMS.get(kind, FORMS["redshift"]).separators else ";"),
    )
    if around and draw.random() < 0.5:
        end = between = ";"
    if draw.random() < 0.15:
        return f"jdbc:{around}{kind}:{parameters(draw, ';')}"
    if kind == "teradata" and end == "?":
        return f"jdbc:{around}teradata://db1/{parameters(draw, ',')}"
    if kind in ("mysql", "mariadb") and draw.random() < 0.2:
        password = secret(draw) + draw.choice(("", "@x", "/x"))
        return f"jdbc:{kind}://address=(host=db1)(user={secret(draw)})(password={password})/shop{end}{parameters(draw, '&')}"
    host = draw.choice(("db1", "db1:77", "db1:1,db2:2", "[::1]:5", ""))
    path = draw.choice(("/shop", "/", "/shop/sales")) if end == ":" else draw.choice(("/shop", "", "/", "/shop/sales"))
    who = login(draw) if kind not in ("phoenix", "phoenix+zk", "phoenix+rpc", "phoenix+master") else ""
    return f"jdbc:{around}{kind}://{who if host else ''}{host}{path}{end}{parameters(draw, between)}"


@DRAWN
def test_no_url_reveals_a_secret(urls: int) -> None:
    draw = random.Random(seed(1))
    for _ in range(urls):
        drawn = url(draw)
        assert SECRET not in repr(rdbms_table(drawn, ("sales", "orders"))), drawn
        assert SECRET not in repr(parse_jdbc_url(drawn)), drawn


def test_most_random_urls_are_parsed() -> None:
    draw = random.Random(seed(1))
    hosts = [parse_jdbc_url(url(draw)) for _ in range(500)]
    assert sum(each is not None and each.host in ("db1", "::1", "localhost") for each in hosts) > 300


def named(where: JdbcUrl) -> str:
    """Return the name of the database as a URL."""
    name = qualified_name.rdbms_database(where.rdbms_type, where.host, where.port, where.database, "ns")
    return f"jdbc:{qualified_name.stem(name, 'ns')}"


@every_row("row", ROWS)
def test_the_name_of_a_database_leads_to_it(row: object) -> None:
    where = parse_jdbc_url(row.url)  # type: ignore[attr-defined]
    assert where is not None
    again = parse_jdbc_url(named(where))
    assert again is not None
    assert (again.rdbms_type, again.host, again.port) == (where.rdbms_type, where.host, where.port)
    # Where the path of a URL is a schema, the database of a name stands where the driver has none.
    if "database" in FORMS.get(where.rdbms_type, FORMS["redshift"]).path:
        assert again.database == where.database
