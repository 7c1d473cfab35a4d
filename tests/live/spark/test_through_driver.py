"""Rows that pass through the driver's Python on a real Spark: writes of them have their sources as inputs, with a remark."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sac_kafka.guard import Guard
from sac_kafka.lineage.options import LineageOptions
from sac_kafka.settings.declarations.choices import StatementValues
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import APPLICATION, Capture
from tests.helpers.staged import Actions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings(
        "ignore:is_(datetime64tz|categorical)_dtype is deprecated:DeprecationWarning"
    ),  # Spark 3.5 needs pandas
]

THROUGH = "  (through the driver) <- "
MISSING = "  (missing) columns not known: rows or values went through the driver"
"""A gap of every flow except those of whole frames and of values in conditions, so it is in no expectation here."""


def may_miss(*tables: str) -> str:
    verb = "was" if len(tables) == 1 else "were"
    return f"  (missing) inputs may be missing: rows of the driver ({', '.join(tables)} {verb} read just before)"


CERTAIN = (" the whole of it", " in the statement")
REGIONS, SALES = "table:spark_catalog.default.regions", "table:spark_catalog.default.sales"


pytest.importorskip("pyspark")
pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


class Watched:
    """A driver whose calls are watched; each case writes to `out`."""

    def __init__(self, spark: SparkSession, work: Path) -> None:
        self.spark, self.work = spark, work
        self.guard = Guard()
        self._capture = Capture(spark)
        self._actions = Actions(APPLICATION)
        self.calls = self._capture.watch(self.guard)

    def forget(self, values: StatementValues = StatementValues.ALL, *, statement_inputs: bool = False) -> None:
        """Forget earlier reads, and start their numbers again."""
        self.calls = self._capture.watch(self.guard, values)
        self._actions = Actions(APPLICATION, LineageOptions(statement_inputs=statement_inputs))

    def write(self, frame: DataFrame) -> None:
        frame.write.mode("overwrite").parquet(f"{self.work}/out")

    def make(self, data: Any, schema: Any = None) -> None:
        self.write(self.spark.createDataFrame(data, schema))

    def text_of(self, action: Callable[[], object]) -> str:
        text = self._capture.text_of(action)
        assert not self.guard.counts
        return text

    def lines(self, text: str) -> list[str]:
        outcomes = self._capture.outcomes_of(text, self._actions)
        lines = [line.replace("path:file:{work}/", "") for line in lineage_lines(outcomes, str(self.work))]
        are_guessed = [line for line in lines if line.startswith(THROUGH) and not line.endswith(CERTAIN)]
        assert MISSING in lines or not are_guessed
        return [line for line in lines if line != MISSING]

    def lineage_of(self, action: Callable[[], object] = lambda: None) -> list[str]:
        return self.lines(self.text_of(action))


@pytest.fixture(scope="module")
def driver(spark: SparkSession, work: Path) -> Iterator[Watched]:
    regions = [(1, "north", 10.5), (2, "south", 20.5), (3, "west", 30.5)]
    spark.createDataFrame(regions, "id int, name string, amount double").write.saveAsTable("regions")
    sales = [(1, "north", 990_001), (2, "south", 990_002)]
    spark.createDataFrame(sales, "id int, region string, number int").write.saveAsTable("sales")
    driver = Watched(spark, work)
    yield driver
    driver.calls.restore()


def through(table: str, how: str) -> str:
    return f"{THROUGH}{table} {how}"


def decided_by(table: str) -> str:
    return f"  (decided by) <- {table}"


@pytest.mark.parametrize("arrow", ["true", "false"])
def test_a_frame_of_pandas_carries_its_columns(driver: Watched, arrow: str) -> None:
    driver.spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", arrow)
    regions = driver.spark.table("regions").where("amount > 1")
    assert driver.lineage_of(lambda: driver.make(regions.toPandas())) == [
        f"out <= {REGIONS}",
        f"  id <- {REGIONS} id identity",
        f"  name <- {REGIONS} name identity",
        f"  amount <- {REGIONS} amount identity",
        f"  (rows) <- {REGIONS} amount filter",
        through(REGIONS, "the whole of it"),
    ]


def _in_pandas_api(driver: Watched) -> DataFrame:
    frame: Any = driver.spark.table("sales").select("region", "number").pandas_api().set_index("region")
    turned: DataFrame = frame.T.to_spark(index_col="name")
    return turned


def _transposed_twice(driver: Watched) -> DataFrame:
    return driver.spark.table("sales").select("region", "number").transpose("region").transpose()


def _transposed_and_joined(driver: Watched) -> DataFrame:
    turned = driver.spark.table("sales").select("region", "number").transpose("region")
    return turned.where("north > 1").withColumnRenamed("key", "turned")


@pytest.mark.parametrize(
    ("make", "how"),
    [
        (_transposed_twice, "transposed"),
        (_transposed_and_joined, "transposed"),
        (_in_pandas_api, "values of it"),
    ],
)
def test_transposed_rows_have_the_input_of_what_was_transposed(
    driver: Watched, make: Callable[[Watched], DataFrame], how: str
) -> None:
    if how == "transposed" and not hasattr(driver.spark.table("sales"), "transpose"):
        pytest.skip("since Spark 4.0")
    driver.forget()
    lineage = driver.lineage_of(lambda: driver.write(make(driver)))
    assert (lineage[0], [line for line in lineage if line.startswith(THROUGH)]) == (
        f"out <= {SALES}",
        [through(SALES, how)],
    )
    assert not any(line.startswith("  (missing) inputs") for line in lineage)


def _loop(driver: Watched) -> None:
    for row in driver.spark.table("regions").where("id = 2").collect():
        driver.write(driver.spark.table("sales").where(f"region = '{row.name}'"))


def _loop_of_columns(driver: Watched) -> None:
    name = driver.spark.table("regions").where("id = 2").first()["name"]
    driver.write(driver.spark.table("sales").where(driver.spark.table("sales").region == name))


def _of_another_thread(driver: Watched) -> None:
    thread = threading.Thread(target=lambda: driver.spark.table("regions").collect())
    thread.start()
    thread.join()
    driver.write(driver.spark.table("sales").where("region = 'south'"))


@pytest.mark.parametrize(
    ("action", "is_seen"),
    [(_loop, True), (_loop_of_columns, True), (_of_another_thread, False)],
    ids=["in a text", "in a column", "of another thread"],
)
@pytest.mark.parametrize("statement_inputs", [False, True], ids=["decides", "input"])
def test_a_condition_on_a_read_value(
    driver: Watched, action: Callable[[Watched], None], *, is_seen: bool, statement_inputs: bool
) -> None:
    driver.forget(statement_inputs=statement_inputs)
    lineage = driver.lineage_of(lambda: action(driver))
    is_input = is_seen and statement_inputs
    assert lineage[0] == (f"out <= {REGIONS}, {SALES}" if is_input else f"out <= {SALES}")
    assert (through(REGIONS, "values of it in the statement") in lineage) == is_input
    assert (decided_by(REGIONS) in lineage) == (is_seen and not statement_inputs)
    assert f"  id <- {SALES} id identity" in lineage
    assert not driver.spark.sparkContext.getJobTags()


@pytest.mark.parametrize(
    "insert",
    [
        lambda spark, row: spark.sql(f"insert into copied values ({row.id}, '{row.name}')"),
        lambda spark, row: spark.sql("insert into copied values (:id, :name)", args=row.asDict()),
        lambda spark, row: spark.sql("insert into copied select {id}, {name}", **row.asDict()),
    ],
    ids=["in its text", "by parameters", "by names"],
)
def test_a_statement_with_read_values(driver: Watched, insert: Callable[[SparkSession, Any], DataFrame]) -> None:
    driver.forget()
    driver.spark.sql("create table if not exists copied (id int, name string) using parquet")

    def run() -> None:
        for row in driver.spark.table("regions").where("id = 3").select("id", "name").collect():
            insert(driver.spark, row)
        with pytest.raises(Exception, match="missing"):
            driver.spark.sql("insert into missing values ('west')")

    lineage = driver.lineage_of(run)
    assert any(line.endswith("copied <= -") for line in lineage)
    assert decided_by(REGIONS) in lineage
    assert not driver.spark.sparkContext.getJobTags()


def _view_by_sql(spark: SparkSession, name: str) -> str:
    spark.sql(f"create or replace temp view seen as select * from sales where region = '{name}'")
    return "seen"


def _view_by_parameter(spark: SparkSession, name: str) -> str:
    spark.sql("select * from sales where region = :name", args={"name": name}).createOrReplaceTempView("Seen")
    return "sEEN"


def _view_of_a_frame(spark: SparkSession, name: str) -> str:
    spark.table("sales").where(f"region = '{name}'").createOrReplaceGlobalTempView("seen")
    return "global_temp.seen"


def _view_of_a_view(spark: SparkSession, name: str) -> str:
    spark.sql(f"create or replace temp view seen as select * from sales where region = '{name}'")
    spark.sql("create or replace temp view seen_again as select * from seen")
    return "seen_again"


def _replaced_view(spark: SparkSession, name: str) -> str:
    _view_by_sql(spark, name)
    spark.table("sales").createOrReplaceTempView("seen")
    return "seen"


def _replaced_view_of_files(spark: SparkSession, name: str) -> str:
    place = spark.sql("describe table extended sales").where("col_name = 'Location'").first()
    assert place is not None
    _view_by_sql(spark, name)
    spark.sql(f"create or replace temp view seen using parquet options (path '{place.data_type}')")
    return "seen"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("view", "is_seen"),
    [
        (_view_by_sql, True),
        (_view_by_parameter, True),
        (_view_of_a_frame, True),
        (_view_of_a_view, True),
        (_replaced_view, False),
        (_replaced_view_of_files, False),
    ],
)
def test_an_insert_from_a_temporary_view_of_read_values(
    driver: Watched, view: Callable[[SparkSession, str], str], *, is_seen: bool
) -> None:
    driver.forget()
    driver.spark.sql("create table if not exists of_views (number int) using parquet")

    def run() -> None:
        name = driver.spark.table("regions").where("id = 2").collect()[0].name
        of = view(driver.spark, name)
        driver.spark.newSession().sql("select 1 as number").createOrReplaceTempView("seen")
        driver.spark.sql(f"insert into of_views select number from {of}")

    lineage = driver.lineage_of(run)
    assert any(line.startswith("table:spark_catalog.default.of_views <= ") for line in lineage)
    assert (decided_by(REGIONS) in lineage) == is_seen
    assert not driver.spark.sparkContext.getJobTags()


CHANCES = [
    "select * from sales where region = 'north'",
    "select * from sales where region in ('north', 'south') and number > 990001",
    "select * from sales where number = 990002",
    "select * from sales where number between 0 and 990001",
    "select *, 'north' as label from sales",
    "select *, 10.5 as rate from sales",
    "select *, date'2026-01-01' as day from sales",
    "select *, timestamp'2026-01-01 00:00:00' as at from sales",
    "select *, timestamp'2026-01-01 10:30:00' as at from sales",
    "select *, 20260101 as day from sales",
    "select *, 1000000000 as most from sales",
    "select coalesce(region, 'open') as region from sales",
    "select case region when 'north' then 'EU' when 'south' then 'paid' end as part from sales",
    "select * from sales where region like 'north%'",
    "select * from sales where concat(region, '') <> 'south'",
    "select count(*) as n from sales having count(*) > 3",
    "select nullif(region, 'west') as region from sales",
    "values (1, 'north'), (2, 'south')",
    "select 'north' as name, 10.5 as amount",
    "select explode(array('north', 'open', 'EU')) as name",
]
"""Statements whose constants are values of `regions` and `everything` by chance."""


@pytest.mark.subset
def test_constants_of_programs_make_no_table_an_input(driver: Watched) -> None:
    driver.forget(StatementValues.STRONG)
    driver.spark.sql(
        "create table everything using parquet as select stack(4, 'open', 'EU', 'paid', 'north') as word, 1000000000 as n, "
        "20260101 as d, 990002 as k, date'2026-01-01' as day, timestamp'2026-01-01 00:00:00' as at, "
        "timestamp'2026-01-01 10:30:00' as hour"
    )
    driver.lineage_of()

    def run() -> None:
        for statement in CHANCES:
            driver.spark.table("regions").collect()
            driver.spark.table("everything").toPandas()
            driver.write(driver.spark.sql(statement))
        driver.spark.sql("create table again using parquet as select 1 as id, 'north' as name")
        driver.spark.table("again").show()
        driver.spark.table("again").collect()
        driver.spark.sql("insert into again values (1, 'north')")

    lineage = driver.lineage_of(run)
    inputs = [line.partition(" <= ")[2] for line in lineage if " <= " in line]
    assert len(inputs) == len(CHANCES) + 2
    assert set(inputs) == {SALES, "-"}
    assert not [line for line in lineage if line.startswith(decided_by(""))]


def test_long_values_in_statements_are_recognised(driver: Watched) -> None:
    driver.forget(StatementValues.STRONG)
    driver.spark.sql(
        "create table control using parquet as select 'customers-of-the-north' as name, 1764112341 as id, "
        "timestamp'2026-01-01 10:31:07' as since"
    )
    control = "table:spark_catalog.default.control"

    def run() -> None:
        row = driver.spark.table("control").first()
        sales = driver.spark.table("sales")
        driver.write(sales.where(sales.region != row["name"]))
        driver.write(sales.where(sales.number < row["id"]))
        driver.write(driver.spark.sql("select * from sales where now() > :since", args={"since": row["since"]}))

    driver.lineage_of()
    try:
        lineage = driver.lineage_of(run)
        assert [line for line in lineage if " <= " in line] == 3 * [f"out <= {SALES}"]
        assert lineage.count(decided_by(control)) == 3
        driver.forget(StatementValues.OFF)
        assert decided_by(control) not in driver.lineage_of(run)
    finally:
        driver.spark.sql("drop table control")
        driver.lineage_of()


BY_NAME = "select * from sales where region <> :name"


def _view_of(frame: DataFrame) -> DataFrame:
    frame.createOrReplaceTempView("steered")
    return frame.sparkSession.table("steered")


WAYS: dict[str, tuple[Callable[[Watched, Any], object], bool]] = {
    "a parameter": (lambda d, row: d.write(d.spark.sql(BY_NAME, args={"name": row.name})), True),
    "a date": (
        lambda d, row: d.write(d.spark.sql("select * from sales where now() > :day", args={"day": row.day})),
        True,
    ),
    "by position": (
        lambda d, row: d.write(d.spark.sql("select * from sales where region <> ?", args=[row.name])),
        True,
    ),
    "of a command": (
        lambda d, row: d.spark.sql(
            "insert into kept select region from sales where region <> :name", args=row.asDict()
        ),
        True,
    ),
    "in a text": (
        lambda d, row: d.write(d.spark.sql("select * from sales where region <> {name}", name=row.name)),
        True,
    ),
    "of a frame that is filtered": (
        lambda d, row: d.write(d.spark.sql(BY_NAME, args={"name": row.name}).where("id > 0").groupBy("region").count()),
        True,
    ),
    "of a frame that is joined": (
        lambda d, row: d.write(d.spark.range(9).join(d.spark.sql(BY_NAME, args={"name": row.name}), "id", "semi")),
        True,
    ),
    "of a view": (lambda d, row: d.write(_view_of(d.spark.sql(BY_NAME, args={"name": row.name}))), True),
    "the statement": (lambda d, row: d.write(d.spark.sql(row.statement).where("id > 0")), True),
    "an equal constant": (lambda d, _: d.write(d.spark.sql(BY_NAME, args={"name": "north"})), False),
    "an equal date": (
        lambda d, _: d.write(
            d.spark.sql("select * from sales where now() > :day", args={"day": datetime.date(2026, 1, 1)})
        ),
        False,
    ),
    "a small number": (
        lambda d, row: d.write(d.spark.sql("select * from sales where id <> :id", args={"id": row.id})),
        False,
    ),
    "of another frame": (
        lambda d, row: (
            d.spark.sql(BY_NAME, args={"name": row.name}),
            d.write(d.spark.sql(BY_NAME, args={"name": "north"})),
        ),
        False,
    ),
}


@pytest.mark.subset
def test_a_parameter_that_is_the_object_of_a_row_comes_from_its_table(driver: Watched) -> None:
    driver.spark.sql(
        "create table control using parquet as select 1 as id, 'north' as name, date'2026-01-01' as day, "
        "'select id, region from sales' as statement"
    )
    driver.spark.sql("create table kept (region string) using parquet")
    try:
        driver.lineage_of()
        found = {}
        for name, (way, _) in WAYS.items():
            driver.forget(StatementValues.STRONG)
            row = driver.spark.table("control").first()
            lineage = driver.lineage_of(lambda: way(driver, row))  # noqa: B023
            assert [line.partition(" <= ")[2] for line in lineage if " <= " in line] == [SALES], name
            found[name] = decided_by("table:spark_catalog.default.control") in lineage
        assert found == {name: is_seen for name, (_, is_seen) in WAYS.items()}
        assert not driver.spark.sparkContext.getJobTags()
    finally:
        for table in ("control", "kept"):
            driver.spark.sql(f"drop table {table}")
        driver.lineage_of()


def test_a_changed_pandas_frame_keeps_its_other_columns(driver: Watched) -> None:
    def change() -> None:
        frame = driver.spark.table("regions").toPandas()
        frame["amount"] = frame.amount * 2
        frame["new"] = "x"
        joined = driver.spark.createDataFrame(frame).join(driver.spark.table("sales"), "id")
        driver.write(joined.selectExpr("name", "amount", "new", "number + 1 as more"))

    assert driver.lineage_of(change) == [
        f"out <= {REGIONS}, {SALES}",
        f"  name <- {REGIONS} name identity",
        f"  more <- {SALES} number transformation",
        f"  (rows) <- {REGIONS} id join",
        f"  (rows) <- {SALES} id join",
        through(REGIONS, "the whole of it"),
    ]


def test_an_observation_comes_from_the_query_that_it_observed(driver: Watched) -> None:
    from pyspark.sql import Observation, functions

    def run(observation: Observation, regions: DataFrame) -> None:
        regions.observe(observation, functions.sum("amount").alias("total")).collect()
        driver.spark.table("sales").first()
        driver.make([("regions", observation.get["total"])], "name string, total double")

    for observation in (Observation("named"), Observation()):
        assert driver.lineage_of(lambda: run(observation, driver.spark.table("regions"))) == [  # noqa: B023
            f"out <= {REGIONS}",
            through(REGIONS, "values of it"),
        ]
        made = driver.lineage_of(lambda: driver.make([(observation.get["total"],)], "total double"))  # noqa: B023
        assert made[0] == f"out <= {REGIONS}"


@pytest.mark.parametrize(
    "rows",
    [
        lambda session, _: session.table("regions").rdd.map(lambda row: (row.id, row.name)).collect(),
        lambda _, frame: frame.rdd.map(lambda row: (row.id, row.name)).take(3),
    ],
    ids=["of its table", "of a frame that was there"],
)
def test_rows_of_an_rdd_belong_to_the_session_of_its_frame(
    driver: Watched, rows: Callable[[Any, Any], list[Any]]
) -> None:
    other = driver.spark.newSession()
    regions = other.table("regions")

    def run() -> None:
        driver.spark.table("sales").count()
        driver.write(other.createDataFrame(rows(other, regions), "id int, name string"))

    driver.forget()
    assert driver.lineage_of(run)[:2] == [f"out <= {REGIONS}", through(REGIONS, "values of it")]


def test_each_row_of_an_iterator_may_be_used_in_a_condition(driver: Watched) -> None:
    def loop() -> None:
        for row in driver.spark.table("regions").where("id = 2").toLocalIterator():
            driver.write(driver.spark.table("sales").where(f"region = '{row.name}'"))

    driver.forget()
    assert decided_by(REGIONS) in driver.lineage_of(loop)


def test_a_read_timestamp_is_recognised_in_any_time_zone(driver: Watched) -> None:
    from pyspark.sql import functions

    driver.spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        driver.spark.sql("create table control using parquet as select timestamp'2026-01-01 10:00:00.5' as since")
        driver.lineage_of()
        control = "table:spark_catalog.default.control"

        def load() -> None:
            since = driver.spark.table("control").first()["since"]
            driver.write(driver.spark.table("sales").where(functions.current_timestamp() > since))

        assert decided_by(control) in driver.lineage_of(load)
    finally:
        driver.spark.conf.unset("spark.sql.session.timeZone")


def test_frames_of_other_threads_are_known_and_combined_ones_have_a_gap(
    driver: Watched,
) -> None:
    driver.forget()
    thread = threading.Thread(target=lambda: frames.append(driver.spark.table("regions").toPandas()))
    frames: list[Any] = []
    thread.start()
    thread.join()
    assert driver.lineage_of(lambda: driver.make(frames[0]))[-1] == through(REGIONS, "the whole of it")

    def computed() -> None:
        sales, regions = driver.spark.table("sales").toPandas(), driver.spark.table("regions").toPandas()
        made = sales.merge(regions, left_on="region", right_on="name")[["name", "number"]]
        driver.make(made.assign(number=made.number * 1.19).rename(columns={"number": "gross"}))

    driver.forget()
    assert may_miss("default.sales") in driver.lineage_of(computed)


def test_rows_of_an_rdd_do_not_come_from_an_earlier_query(driver: Watched) -> None:
    numbers = driver.spark.sparkContext.parallelize([7_001, 7_002])
    for read in (numbers.collect, numbers.first, lambda: list(numbers.toLocalIterator())):

        def run(read: Callable[[], object] = read) -> None:
            driver.spark.table("sales").first()
            read()
            driver.make([(7_001.5,)], "total double")

        assert driver.lineage_of(run) == ["out <= -", "  total <- -"]


def test_a_table_of_arrow_carries_all_columns(driver: Watched) -> None:
    sales = driver.spark.table("sales")
    if not hasattr(sales, "toArrow"):
        pytest.skip("since Spark 4.0")
    assert driver.lineage_of(lambda: driver.make(sales.toArrow()))[-2:] == [
        f"  number <- {SALES} number identity",
        through(SALES, "the whole of it"),
    ]


def test_each_write_in_a_loop_over_rows_has_their_table_as_input(driver: Watched) -> None:
    def loop() -> None:
        for row in driver.spark.table("regions").collect():
            driver.make([(row.id, row.name)], "id int, name string")

    assert driver.lineage_of(loop) == 3 * [f"out <= {REGIONS}", through(REGIONS, "values of it")]


@pytest.mark.filterwarnings("ignore")  # advice of the pandas API
def test_the_pandas_api_goes_through_the_driver_and_back(driver: Watched) -> None:
    pytest.importorskip("pyspark.pandas", exc_type=Exception)
    import pyspark.pandas as ps

    made = driver.spark.createDataFrame([(4, 40.25), (5, 50.25)], "id int, size double")
    driver.lineage_of(lambda: made.write.saveAsTable("areas"))
    table, areas = "table:spark_catalog.default.areas", driver.spark.table("areas")

    def computed() -> DataFrame:
        frame = areas.pandas_api()
        frame["more"] = frame.id + 1
        return ps.from_pandas(frame.to_pandas()).to_spark()

    for back in (  # its own reads come first: nothing else has read their values
        computed,
        lambda: ps.DataFrame(areas.pandas_api().to_pandas()).to_spark(),
        lambda: ps.DataFrame({"size": areas.pandas_api()["size"].to_numpy()}).to_spark(),
        lambda: ps.from_pandas(areas.toPandas()).to_spark(),
    ):
        assert driver.lineage_of(lambda: driver.write(back())) == [f"out <= {table}", through(table, "values of it")]  # noqa: B023


def test_threads_do_not_mix_their_reads(driver: Watched) -> None:
    both_have_read = threading.Barrier(2)

    def work(table: str) -> None:
        rows = [(row[0], row[1], 0.0) for row in driver.spark.table(table).collect()]
        both_have_read.wait(60)
        columns = ["id", "name", "more"]
        driver.spark.createDataFrame(rows, columns).write.mode("overwrite").parquet(f"{driver.work}/of_{table}")

    def run() -> None:
        threads = [threading.Thread(target=work, args=(table,)) for table in ("regions", "sales")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    lineage = driver.lineage_of(run)
    assert sorted(zip(lineage[::2], lineage[1::2], strict=True)) == [
        (f"of_regions <= {REGIONS}", through(REGIONS, "values of it")),
        (f"of_sales <= {SALES}", through(SALES, "values of it")),
    ]


def test_sessions_do_not_mix_their_reads(driver: Watched) -> None:
    def run() -> None:
        driver.spark.table("regions").collect()
        driver.write(driver.spark.newSession().createDataFrame([(1, "north")], ["id", "name"]))

    assert driver.lineage_of(run) == ["out <= -", "  id <- -", "  name <- -"]


def test_an_exception_in_a_read_reaches_the_user(driver: Watched) -> None:
    from pyspark.errors import PySparkException

    wrong = driver.spark.range(1).selectExpr("raise_error('no')")
    with pytest.raises((PySparkException, Exception), match="no"):
        wrong.toPandas()
    with pytest.raises(Exception, match=r"(?i)schema|type|infer"):
        driver.spark.createDataFrame([object()])
    regions = driver.spark.table("regions")
    assert driver.lineage_of(lambda: driver.make(regions.collect()))[1:] == [through(REGIONS, "values of it")]


@pytest.fixture
def reading(driver: Watched) -> Iterator[Watched]:
    known = driver._actions
    driver._actions = Actions(APPLICATION, LineageOptions(reads=True))
    yield driver
    driver._actions = known


@pytest.mark.parametrize(
    "action",
    [
        lambda t: t.collect(),
        lambda t: t.count(),
        lambda t: t.show(),
        lambda t: t.toPandas(),
        lambda t: t.first(),
        lambda t: t.tail(1),
        lambda t: t.isEmpty(),
        lambda t: list(t.toLocalIterator()),
        lambda t: t.groupBy("name").count().collect(),
        lambda t: t.cache().count() and t.unpersist(),
        lambda t: t.sparkSession.sql("select max(id) from regions").first(),
    ],
)
def test_a_read_that_ends_in_the_driver_is_a_process_without_outputs(
    reading: Watched, action: Callable[[DataFrame], object]
) -> None:
    assert reading.lineage_of(lambda: action(reading.spark.table("regions"))) == [f" <= {REGIONS}"]


@pytest.mark.parametrize(
    "action",
    [
        lambda s: s.range(3).count(),
        lambda s: s.sql("show tables").collect(),
        lambda s: s.sql("describe table regions").show(),
        lambda s: s.table("regions").localCheckpoint(),
        lambda s: s.table("regions").createOrReplaceTempView("seen"),
        lambda s: s.sql("cache table kept as select * from regions"),
        lambda s: s.sql("analyze table regions compute statistics for all columns"),
    ],
    ids=["numbers", "tables", "description", "checkpoint", "view", "cache", "statistics"],
)
def test_other_actions_are_no_processes(reading: Watched, action: Callable[[SparkSession], object]) -> None:
    assert [line for line in reading.lineage_of(lambda: action(reading.spark)) if line.startswith(" <=")] == []


def test_a_write_and_the_result_of_a_command_are_no_reads(reading: Watched) -> None:
    def write() -> None:
        reading.spark.sql(
            f"insert overwrite directory '{reading.work}/out' using parquet select id from regions"
        ).collect()
        reading.spark.table("regions").write.mode("overwrite").saveAsTable("copied")

    assert [line for line in reading.lineage_of(write) if "<= " in line] == [
        f"out <= {REGIONS}",
        f"table:spark_catalog.default.copied <= {REGIONS}",
    ]


def test_a_read_that_fails_is_no_process(reading: Watched) -> None:
    def fail() -> None:
        with pytest.raises(Exception, match="no"):
            reading.spark.table("regions").selectExpr("raise_error('no')").collect()

    assert reading.lineage_of(fail) == []


def test_restored_calls_report_nothing(driver: Watched) -> None:
    from pyspark.sql import SparkSession

    def come_back() -> None:
        driver.make(driver.spark.table("regions").collect())

    watched_one = SparkSession.createDataFrame
    driver.calls.restore()
    try:
        assert SparkSession.createDataFrame is not watched_one
        text = driver.text_of(come_back)
        assert "DriverNote" not in text
        assert through(REGIONS, "values of it") not in driver.lines(text)
    finally:
        driver.forget()
    text = driver.text_of(come_back)
    assert "DriverNote" in text
    assert driver.lines(text) == [f"out <= {REGIONS}", through(REGIONS, "values of it")]
