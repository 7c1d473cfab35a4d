"""Properties of all paths: two datasets have two names, one dataset has one, on every day and in every order."""

from __future__ import annotations

import datetime
import random
import re
import uuid

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sac_kafka.model import PathDataset
from sac_kafka.names.files import paths
from sac_kafka.names.paths import SegmentPattern
from sac_kafka.purview.asset import UNKNOWN_TYPE
from sac_kafka.purview.names.paths import asset, asset_of_location
from sac_kafka.purview.naming_context import NamingContext
from sac_kafka.purview.normalisation import normalise, normalised_name
from sac_kafka.purview.resource_sets import replace_patterns
from tests.unit.purview.names.storage_rows import shown

AS_PATHS = NamingContext(uses_resource_sets=False)
AS_SETS = NamingContext()
# Without the contents of Spark's directories (k=v, globs), which are cut off: those are no separate paths.
SEGMENTS = st.text(st.sampled_from("aZ09 .:%@[]{}-_é"), min_size=1, max_size=8).filter(lambda s: s.strip(" .:") != "")
PATHS = st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join)
STORES = st.sampled_from(
    [
        ("abfss://raw@acct.dfs.core.windows.net", "azure_datalake_gen2_path", "https://acct.dfs.core.windows.net/raw"),
        ("wasbs://raw@acct.blob.core.windows.net", "azure_blob_path", "https://acct.blob.core.windows.net/raw"),
        ("adl://acct.azuredatalakestore.net", "azure_datalake_gen1_path", "adl://acct.azuredatalakestore.net"),
        ("s3a://lake", "aws_s3_v2_object", "s3://lake"),
    ]
)
ROLES = st.booleans()


def scanned(type_name: str, container: str, path: str) -> str:
    """Return a folder or file as Purview writes it."""
    return normalised_name(type_name, f"{container}/{path}").rstrip("/")


@settings(max_examples=40)
@given(STORES, PATHS, PATHS, ROLES)
@example(("s3a://lake", "aws_s3_v2_object", "s3://lake"), "a", "A", True)
@example(("s3a://lake", "aws_s3_v2_object", "s3://lake"), "a%7Bx", "a%7bx", True)
@example(("s3a://lake", "aws_s3_v2_object", "s3://lake"), "a b", "ab", False)
def test_two_paths_that_are_scanned_have_two_names(
    store: tuple[str, str, str], one: str, other: str, is_output: bool
) -> None:
    uri, type_name, container = store
    assume(scanned(type_name, container, one) != scanned(type_name, container, other))
    # Extensions of files are in small letters for Purview, those of folders are not: a file and a folder may differ in that.
    assume(scanned(type_name, container, f"{one}/") != scanned(type_name, container, f"{other}/"))
    found = [asset_of_location(f"{uri}/{path}", AS_PATHS, is_output=is_output) for path in (one, other)]
    assert found[0].qualified_name.rstrip("/") != found[1].qualified_name.rstrip("/")


@settings(max_examples=40)
@given(STORES, PATHS, PATHS)
@example(("s3a://lake", "aws_s3_v2_object", "s3://lake"), "x/1", "x/a")
def test_directories_share_a_name_only_if_purview_replaces_their_difference(
    store: tuple[str, str, str], one: str, other: str
) -> None:
    uri, type_name, container = store
    names = [asset_of_location(f"{uri}/{path}", AS_SETS, is_output=True).qualified_name for path in (one, other)]
    as_purview = [
        replace_patterns(tuple(scanned(type_name, container, f"{path}/").split("/")), has_file=False)
        for path in (one, other)
    ]
    assert (names[0] == names[1]) is (as_purview[0] == as_purview[1])


@settings(max_examples=40)
@given(PATHS, PATHS, st.sampled_from(["hdfs://nn1", "file:", "gs://lake", "dbfs:/tmp", "oss://lake"]))
def test_two_paths_that_nothing_scans_have_two_names(one: str, other: str, place: str) -> None:
    found = [asset_of_location(f"{place}/{path}", AS_SETS, is_output=True) for path in (one, other)]
    assert {each.type_name for each in found} == {UNKNOWN_TYPE}
    same = re.sub("[{]", "%7B", re.sub("[}]", "%7D", one)) == re.sub("[{]", "%7B", re.sub("[}]", "%7D", other))
    assert (found[0].qualified_name == found[1].qualified_name) is same


@settings(max_examples=40)
@given(STORES, PATHS, ROLES)
def test_a_name_is_normalised_and_of_its_container(store: tuple[str, str, str], path: str, is_output: bool) -> None:
    uri, _, container = store
    for surroundings in (AS_PATHS, AS_SETS):
        found = asset_of_location(f"{uri}/{path}", surroundings, is_output=is_output)
        assert found.qualified_name.startswith(f"{container}/")
        assert normalise(found) == found
        assert ("{" in found.qualified_name) is found.type_name.endswith("_resource_set")


# ---- from run to run

LAYOUTS = [
    "orders/%Y-%m-%d",
    "orders/%Y-%m-%d/%H",
    "orders/%Y-%m-%d/%H/%M",
    "orders/%Y/%m/%d",
    "orders/%Y/%m/%d/%H",
    "orders/%Y/%m",
    "orders/%Y%m%d",
    "orders/%Y%m%d%H",
    "orders/%Y_%m_%d/new",
    "orders/%Y.%m.%d/new",
    "orders/%Y-%m-%dT%H",
    "orders/%Y-%m-%dT%H-%M-%SZ/new",
    "orders/%Y-%m-%dT%H:%M:%S/new",
    "orders/%Y-%m-%d %H:%M:%S",
    "orders/%Y-%m-%d_%I-%M-%S%p/new",
    "orders/%Y%m%dT%H%M%S/new",
    "orders/%Y-%m/new",
    "orders/run_%Y-%m-%d/new",
    "orders/%Y/%m/%d/new",
    "orders/%Y/%m/%d/%H/new",
    "orders/day=%Y-%m-%d/hour=%H",
    "orders/%Y-%m-%d/day=%d",
    "in/orders_%Y-%m-%d.csv",
    "in/orders_%Y%m%d.csv",
    "in/%Y-%m-%d.csv",
    "in/%Y/%m/%d/orders.csv",
    "in/v2_%Y-%m-%d/orders3.csv",
    "out/$UUID",
    "out/$UUID/new",
    "out/$HEX/new",
    "out/app-%Y%m%d%H%M%S-0001/new",
    "out/local-$EPOCH/new",
    "out/$EPOCH",
    "out/$COLOUR/new",
    "out/$COLOUR",
    "out/$COLOUR-%Y-%m-%d/new",
]
PATTERNS = (SegmentPattern(re.compile("blue|green|red")),)
DAYS = st.datetimes(datetime.datetime(2010, 1, 1), datetime.datetime(2099, 12, 31))


def at(layout: str, day: datetime.datetime) -> str:
    chance = random.Random(day.isoformat())
    run = uuid.UUID(int=chance.getrandbits(128))
    path = day.strftime(layout)
    for name, value in {
        "$UUID": str(run),
        "$HEX": run.hex,
        "$EPOCH": str(1_500_000_000_000 + chance.randrange(400_000_000_000)),
        "$COLOUR": chance.choice(["blue", "green", "red"]),
    }.items():
        path = path.replace(name, value)
    return f"abfss://raw@acct.dfs.core.windows.net/{path}"


def dataset(layout: str, *days: datetime.datetime) -> PathDataset:
    (found,) = paths([at(layout, day) for day in days], "csv", (), PATTERNS)
    return found


@settings(max_examples=40)
@given(st.sampled_from(LAYOUTS), DAYS, DAYS, ROLES)
def test_a_flow_has_the_same_asset_on_another_day(
    layout: str, one: datetime.datetime, other: datetime.datetime, is_output: bool
) -> None:
    datasets = [dataset(layout, day) for day in (one, other)]
    assume(datasets[0].path == datasets[1].path)  # with another root it is another dataset, whatever its name
    names = {asset(each, AS_SETS, is_output=is_output).qualified_name for each in datasets}
    assert len(names) == 1


@settings(max_examples=40)
@given(st.sampled_from(LAYOUTS), st.lists(DAYS, min_size=2, max_size=6, unique=True), st.randoms(use_true_random=False))
def test_many_days_are_one_asset_in_any_order(
    layout: str, days: list[datetime.datetime], chance: random.Random
) -> None:
    roots = {dataset(layout, day).path for day in days}
    assume(len(roots) == 1)
    shuffled = list(days)
    chance.shuffle(shuffled)
    names = {asset(dataset(layout, *each), AS_SETS, is_output=False) for each in (days, shuffled)}
    assert names == {asset(dataset(layout, days[0]), AS_SETS, is_output=False)}


def test_the_layouts_are_folded_from_day_to_day() -> None:
    """Check the premise of the two tests above: a layout whose root changed every day would be excluded."""
    days = [datetime.datetime(2026, 11, 21, 5, 6, 7), datetime.datetime(2027, 3, 9, 17, 46, 57)]
    assert [layout for layout in LAYOUTS if len({dataset(layout, day).path for day in days}) > 1] == []


def test_days_in_two_layouts_are_one_asset_in_any_order() -> None:
    locations = [
        at(layout, datetime.datetime(2026, 11, day)) for layout in ("o/%Y%m%d", "o/%Y-%m-%d") for day in (1, 2)
    ]
    found = {asset(shown(each, "csv"), AS_SETS, is_output=False) for each in (locations, locations[::-1])}
    assert len(found) == 1
