"""Queries that databases run, as they leave the driver: without literals of any dialect; ambiguous ones stay in the driver."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from sac_kafka.lineage.datasets.queries.parsing import MAX_LENGTH
from tests.helpers.seeds import seed
from tests.live.spark.masker import Masker

S = "hunter2"
STAYS = "(stays)"


@pytest.fixture(scope="module")
def masking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Masker]:
    with Masker(tmp_path_factory.mktemp("masking"), ["(?i)my-own"], ["ssn_\\d+"]) as masker:
        yield masker


@pytest.mark.parametrize(
    ("sql", "decides"),
    [
        ("select id, amount * 2 as twice from shop.orders o", False),
        ("select * from (select id from orders) t limit 10", False),
        ("select id from orders where amount > 1", True),
        ("select * from (select id from orders where amount > 1) t", True),
        ("select o.id from orders o join customers c on o.customer = c.name", True),
        ("select o.id from orders o, customers c", True),
        ("select id from orders where id in (select id from paid)", True),
        ("select id, (select max(id) from paid where paid.id = o.id) as most from orders o", True),
        ("select day, count(*) from orders group by day", True),
        ("select day, count(*) as n from orders group by day having count(*) > 1", True),
        ("select distinct day from orders", True),
        ("select id from orders order by id", True),
        ("select id from orders union all select id from paid", True),
        ("with o as (select id from orders where id > 1) select id from o", True),
    ],
)
def test_a_query_that_filters_rows_is_distinguished(masking: Masker, sql: str, *, decides: bool) -> None:
    assert masking.call("decidesRows", sql) == str(decides).lower()


TRAVELS = [
    ("names", f"select a from t where b = '{S}' and c = 'it''s {S}'", "select a from t where b = '?' and c = '?'"),
    ("names", 'select "a b", "x""y" from "s"."t"', 'select "a b", "x""y" from "s"."t"'),
    (
        "names",
        "select 1, 123456, 1234567, 4111111111111111, 0x68756E74657232 from t1234567",
        "select 1, 123456, 0, 0, 0 from t1234567",
    ),
    (
        "names",
        f"select a -- {S}\nfrom t /* {S} */ where x'68' = n'{S}' or b'01' = e'{S}'",
        "select a  \nfrom t   where '?' = n'?' or '?' = e'?'",
    ),
    (
        "names",
        f"select date '{S}', interval '{S}' day, a::text, b->>'{S}' from t",
        "select date '?', interval '?' day, a::text, b->>'?' from t",
    ),
    ("names", "select ssn_123456 from t", "select *** from t"),
    ("names", "select a from v$session where b = :p and c = $1", "select a from v$session where b = :p and c = $1"),
    (
        "names",
        "select password, token from users where password = 'x'",
        "select password, token from users where password = '?'",
    ),
    ("text", f'select `a``b` from t where c = "{S}" # {S}', "select `a``b` from t where c = '?'  "),
    ("text", f"select a from t -- {S}\nwhere b", "select a from t  \nwhere b"),
    ("brackets", f"select [it's], [a]]b] from [t] where c = '{S}'", "select [it's], [a]]b] from [t] where c = '?'"),
    ("doubtful", f"select a from t where b = '{S}'", "select a from t where b = '?'"),
    (
        "doubtful",
        f'select "{S}" as "n", "a"."x" from "t" a join "main"."u" on x is distinct from "{S}"',
        'select "?" as "n", "a"."x" from "t" a join "main"."u" on x is distinct from "?"',
    ),
    ("doubtful", f'select a from t where b in ("{S}", "it""s {S}")', 'select a from t where b in ("?", "?")'),
]


@pytest.mark.parametrize(("special", "sql", "shown"), TRAVELS)
def test_a_query_is_sent_without_its_literals(masking: Masker, special: str, sql: str, shown: str) -> None:
    assert masking.call("foreign", special, sql) == shown


UNCERTAIN = [
    ("names", f"select a from t where b = 'x\\' and c = '{S}'"),  # a backslash that escapes, or not
    ("text", f"select a from t where b = 'x\\'{S}'"),
    ("names", f"select $${S}$$ from t"),
    ("names", f"select $tag${S}$tag$ from t"),
    ("names", f"select q'[it's {S}]' from dual"),
    ("names", f"select nq'[it's {S}]' from dual"),
    ("names", f"select a // it's {S}\nfrom t"),
    ("names", f"select a /* /* */ {S} */ from t"),
    ("names", f"select a /* {S} from t"),
    ("names", f"select a from t where b = '{S}"),
    ("names", f"select a -- it's \\\n{S} from t"),
    ("text", f'select """it"s {S}""" from t'),
    ("text", f"select '''it's {S}''' from t"),
    ("text", f"select a --'x\n {S}' from t"),
    ("text", f"select /*! {S} */ from t"),
    ("names", f"select '{S}', {'1, ' * MAX_LENGTH} 1"),
]


@pytest.mark.parametrize(("special", "sql"), UNCERTAIN)
def test_a_query_with_ambiguous_literals_is_not_sent(masking: Masker, special: str, sql: str) -> None:
    assert masking.call("foreign", special, sql) == STAYS


def _literals(special: str, escapes: bool) -> list[str]:
    """Literals as a dialect has them, each with the secret within."""
    found = [f"'{S}'", f"'a''{S}'", f"'{S}--'", f"'/*{S}'", f"'\"{S}'", f"'`{S}'", f"'[{S}'", f"'\\\\{S}'", f"'{S};'"]
    if escapes:
        found += [f"'\\'{S}'", f"'\\\\\\'{S}'"]
    if special == "text":
        found += [f'"{S}"', f'"\'{S}"', f'"a""{S}"']
    return found


@pytest.mark.parametrize("special", ["names", "text", "brackets", "doubtful"])
def test_no_mixture_of_literals_names_and_comments_shows_a_literal(masking: Masker, special: str) -> None:
    draw = random.Random(seed(20261122))
    parts = [
        "select",
        "a",
        ",",
        " ",
        "\n",
        "=",
        "(",
        ")",
        "1",
        "-",
        "/",
        "$1",
        "t.b",
        "`c'd`",
        "-- it is\n",
        "/* it's */",
        "N",
        "E",
        "||",
    ]
    if special != "text":
        parts += ['"e\'f"', '"g`h"']
    if special == "brackets":
        parts += ["[i'j]", '[k"l]']
    for escapes in {special == "text", False}:
        literals = _literals(special, escapes)
        for _ in range(500):
            words = [draw.choice(literals if draw.random() < 0.4 else parts) for _ in range(draw.randint(2, 12))]
            statement = draw.choice(["", " "]).join(words)
            shown = masking.call("foreign", special, statement)
            assert S not in shown, statement


def test_a_long_query_is_masked_quickly(masking: Masker) -> None:
    for unit in ("'a' ", '"a', "/*", "--", "$a", "'", "[", "0x", "(" * 9):
        assert masking.call("foreign", "names", unit * (MAX_LENGTH // len(unit))) is not None
