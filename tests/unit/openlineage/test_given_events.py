"""Events of real producers mean what their jobs did, in any order, repeated, cut anywhere, and divided over two bridges.

The events are not in this repository: OPENLINEAGE_EVENTS names their folder. What the jobs did is written by hand.
"""

from __future__ import annotations

import json
import os
import random
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from sac_kafka.model import Outcome, Process
from sac_kafka.model.datasets import shown_name
from sac_kafka.openlineage.events import read_event
from sac_kafka.openlineage.flows import FlowOptions
from sac_kafka.openlineage.open_runs import OpenRuns, Waiting

GIVEN = os.environ.get("OPENLINEAGE_EVENTS", "")
pytestmark = pytest.mark.skipif(not GIVEN, reason="OPENLINEAGE_EVENTS names no folder with events of real producers")

DUCK = "duckdb://://work/shop/shop.duckdb/main"
FEAST = "feast-prod/riders"
CSV = "abfss://raw@contosolake.dfs.core.windows.net/orders/{date}/orders.csv"
SNOWFLAKE = "snowflake://acme-prod1.snowflakecomputing.com:443/shop/SALES.ORDERS"
CUSTOMER_REVENUE = (
    f"dbt model.shop.revenue_by_customer: {DUCK}.raw_customers, {DUCK}.stg_orders -> {DUCK}.revenue_by_customer"
)
RAW = "file:/lake/shop/raw/customers, file:/lake/shop/raw/orders"
JOINED = "join customers.customer_id, join orders.customer_id"
TRUTH = {
    "airflow-3": """
        airflow-prod/shop_daily.load_orders: s3://shop-raw/orders/{date}/orders.csv -> postgresql://db1:5432/shop/sales.orders
            amount <- transformation orders.csv.amt
        airflow-prod/shop_daily.report: postgresql://db1:5432/shop/sales.orders -> s3://shop-reports/daily/orders.parquet
    """,
    "dbt-1.11.16_openlineage-dbt-1.54.0_artifacts": f"""
        {CUSTOMER_REVENUE}
            name <- transformation main.raw_customers.name
            revenue <- transformation main.stg_orders.amount
        dbt model.shop.stg_orders: {DUCK}.raw_orders -> {DUCK}.stg_orders
            amount <- transformation main.raw_orders.amount
            customer_id <- transformation main.raw_orders.customer_id
            day <- transformation main.raw_orders.ordered_at
            order_id <- transformation main.raw_orders.id
    """,
    "dbt-1.11.16_openlineage-dbt-1.54.0_structured-logs": f"""
        {CUSTOMER_REVENUE}
        dbt model.shop.stg_orders: {DUCK}.raw_orders -> {DUCK}.stg_orders
        dbt seed.shop.raw_orders:  -> {DUCK}.raw_orders
    """,
    "feast": f"""
        {FEAST}/feast_feature_views_riders: {FEAST}:///rider, {FEAST}:///rides -> {FEAST}:///rider_stats
        {FEAST}/feature_service_pricing: {FEAST}:///rider_stats -> {FEAST}:///pricing
        {FEAST}/materialize_riders: \
{FEAST}:///rider, {FEAST}:///rider_stats, {FEAST}:///rides -> {FEAST}:///online_store_rider_stats
    """,
    "flink": """
        flink-prod/big-orders: (default_catalog.default_database.gen) -> 127.0.0.1:19092/shop.orders
        flink-prod/big-orders: 127.0.0.1:19092/shop.orders -> 127.0.0.1:19092/shop.big_orders
    """,
    "openlineage-python": f"""
        loaders/clicks_daily: b1:9092/clicks -> mart.daily
            n <- aggregation b1:9092/clicks.id
        loaders/copy_orders: {CSV} -> {SNOWFLAKE}, 998 rows, replaced
            AMOUNT <- transformation orders.csv.amt
            ID <- identity orders.csv.id
            MAIL_HASH <- transformation orders.csv.mail: masked: SHA2(mail)
            rows <- filter orders.csv.id
    """,
    "spark": f"""
        shop_daily.spark_step: {RAW} -> file:/lake/shop/curated/revenue_by_country, 3 rows
            country <- identity customers.country
            day <- identity orders.day
            orders <- aggregation orders.order_id
            revenue <- aggregation orders.amount
            rows <- filter customers.customer_id, filter orders.amount, filter orders.customer_id, \
group_by customers.country, group_by orders.day, {JOINED}, sort orders.day
        shop_daily.spark_step: {RAW} -> shop.orders_enriched, 3 rows, replaced
            country <- transformation customers.country
            customer <- identity customers.name
            gross <- transformation orders.amount
            order_id <- identity orders.order_id
            rows <- {JOINED}
        shop_daily.spark_step: shop.orders_enriched -> shop.top_customers, 2 rows
            customer <- identity shop.orders_enriched.customer
            total <- aggregation shop.orders_enriched.gross
            rows <- filter shop.orders_enriched.country, group_by shop.orders_enriched.customer
        shop_daily.spark_step: shop.orders_enriched -> shop.top_customers, failed
    """,
}
"""Flows with their columns, by the beginnings of the names of the files."""
ALL = "all"


def given(name: str) -> list[Any]:
    (*files,) = sorted(Path(GIVEN).glob("*.jsonl" if name == ALL else f"{name}*.jsonl"))
    assert files, f"no events of {name}"
    return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]


def truth(name: str) -> set[str]:
    """Return each flow as text."""
    texts = TRUTH.values() if name == ALL else [TRUTH[name]]
    found: list[str] = []
    for line in (line for text in texts for line in text.splitlines() if line.strip()):
        if line.startswith(" " * 12):
            found[-1] += f"\n{line.strip()}"
        else:
            found.append(line.strip())
    return set(found)


def drawn(outcomes: Iterable[Outcome]) -> set[str]:
    return {_drawn(each) for each in outcomes if isinstance(each, Process)}


def _drawn(flow: Process) -> str:
    inputs = [*map(shown_name, flow.inputs), *(f"({each})" for each in flow.other_sources)]
    words = [", ".join(map(shown_name, flow.outputs))]
    words += [f"{flow.run.rows_written} rows"] if flow.run.rows_written is not None else []
    words += ["replaced"] if flow.replaces_output else []
    lines = [f"{flow.application.job}: {', '.join(inputs)} -> "]
    if flow.run.failure:
        return f"{lines[0]}{', '.join([*words, 'failed'])}"
    lines[0] += ", ".join(words)
    for each in sorted(flow.columns, key=lambda each: each.column):
        masked = f": {each.expression}" if each.expression and "masked" in each.expression else ""
        lines.append(f"{each.column} <- {_sources(each.sources)}{masked}")
    return "\n".join([*lines, *([f"rows <- {_sources(flow.row_level)}"] if flow.row_level else [])])


def _sources(sources: Iterable[Any]) -> str:
    return ", ".join(sorted(f"{each.dependency.value} {_short(each.dataset)}.{each.column}" for each in sources))


def _short(key: str) -> str:
    kind, _, name = key.partition(":")
    return name.rpartition("/")[2] if kind in ("path", "rdbms") else name.removeprefix("spark_catalog.")


def run(events: Sequence[Any]) -> Iterator[Outcome]:
    runs = OpenRuns(FlowOptions(), Waiting(settle=2.0, idle=300.0))
    for number, each in enumerate(events):
        runs.add(read_event(each), number * 0.01)
        for group in runs.due(number * 0.01):
            yield from group
    for group in runs.all():
        yield from group


NAMES = [*TRUTH, ALL]


@pytest.mark.parametrize("name", NAMES)
def test_flows_are_what_the_jobs_did(name: str) -> None:
    assert drawn(run(given(name))) == truth(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(5))
def test_order_and_repetition_do_not_matter(name: str, seed: int) -> None:
    events, chance = given(name), random.Random(seed)
    events += chance.choices(events, k=len(events) // 2)
    chance.shuffle(events)
    assert drawn(run(events)) == truth(name)


@pytest.mark.parametrize("name", NAMES)
def test_cut_at_any_event(name: str) -> None:
    events, expected = given(name), truth(name)
    for at in range(1, len(events)):
        runs = OpenRuns()
        for each in events[:at]:
            runs.add(read_event(each), 0.0)
        early = drawn(outcome for group in runs.due(10.0) for outcome in group)
        assert early <= expected, f"cut at {at}"
        for each in events:  # the journal still has what was before
            runs.add(read_event(each), 20.0)
        late = drawn(outcome for group in runs.all() for outcome in group)
        assert early | late == expected, f"cut at {at}"


def test_each_of_two_bridges_yields_the_flows_of_its_partitions() -> None:
    parts: list[list[Any]] = [[], []]
    for each in given(ALL):
        parts[zlib.crc32(key(each).encode()) % 2].append(each)
    assert all(parts)
    one, two = (drawn(run(part)) for part in parts)
    assert one | two == truth(ALL)


def key(event: Any) -> str:
    """Return the key of a record as OpenLineage's Kafka transports choose it."""
    parent = event["run"].get("facets", {}).get("parent", {})
    job = parent.get("root", parent).get("job") or event["job"]
    return f"run:{job['namespace']}/{job['name']}"
