"""Small programs of users: what each gives, prints, raises and leaves behind must not depend on the hook.

The tables `regions` (id, name, amount) and `sales` (id, region, number) are there; `work` is a folder of the run. Programs are
run in the order of this file, in one driver.
"""

from __future__ import annotations

import inspect
import pickle
import pydoc
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Program = Callable[["SparkSession", str], object]
PROGRAMS: dict[str, Program] = {}
FIRST: list[str] = []
"""The programs that CI runs: one of each kind of what could differ."""


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


def first(function: Program) -> Program:
    FIRST.append(function.__name__)
    return program(function)


def regions(spark: SparkSession) -> DataFrame:
    return spark.table("regions").orderBy("id")


# ---- rows that come to the driver: Spark names their jobs by the user's line


@first
def collect(spark: SparkSession, work: str) -> object:
    return regions(spark).collect()


@first
def to_pandas(spark: SparkSession, work: str) -> object:
    return regions(spark).toPandas().to_dict("records")


@program
def to_pandas_by_arrow(spark: SparkSession, work: str) -> object:
    spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")
    frame = regions(spark).toPandas()
    spark.conf.unset("spark.sql.execution.arrow.pyspark.enabled")
    return frame.to_dict("records")


@program
def to_arrow(spark: SparkSession, work: str) -> object:
    frame = regions(spark)
    return frame.toArrow().to_pylist() if hasattr(frame, "toArrow") else None


@program
def to_local_iterator(spark: SparkSession, work: str) -> object:
    rows = regions(spark).toLocalIterator()
    return [type(rows).__name__, next(iter(rows)), *rows]


@program
def a_local_iterator_that_is_left(spark: SparkSession, work: str) -> object:
    rows = regions(spark).toLocalIterator(prefetchPartitions=True)
    return next(iter(rows))


@program
def tail_and_head(spark: SparkSession, work: str) -> object:
    frame = regions(spark)
    return [frame.tail(1), frame.head(), frame.first(), frame.take(2), frame.head(1), frame.limit(1).collect()]


@program
def counted(spark: SparkSession, work: str) -> object:
    frame = regions(spark)
    return [frame.count(), frame.isEmpty(), frame.agg({"amount": "sum"}).collect()[0][0]]


@program
def for_each(spark: SparkSession, work: str) -> object:
    return [regions(spark).foreach(print), regions(spark).foreachPartition(list)]


@program
def shown(spark: SparkSession, work: str) -> object:
    return [regions(spark).show(), regions(spark).show(1, vertical=True), regions(spark).printSchema()]


@program
def rdd_collect(spark: SparkSession, work: str) -> object:
    return regions(spark).rdd.collect()


@first
def rows_of_rdds(spark: SparkSession, work: str) -> object:
    rdd = regions(spark).rdd.map(lambda row: (row.id, row.name))
    return [
        rdd.collectAsMap(),
        rdd.take(1),
        rdd.first(),
        list(rdd.toLocalIterator()),
        rdd.keys().sum(),
        rdd.keys().reduce(max),
        rdd.countByKey(),
        rdd.top(1),
        rdd.glom().map(len).collect(),
    ]


@program
def rdds_without_a_query(spark: SparkSession, work: str) -> object:
    numbers = spark.sparkContext.parallelize([3, 1, 2], 2)
    numbers.saveAsTextFile(f"{work}/numbers")
    return [
        numbers.collect(),
        numbers.sortBy(lambda n: n).collect(),
        spark.sparkContext.textFile(f"{work}/numbers").count(),
    ]


@program
def an_rdd_computed_twice(spark: SparkSession, work: str) -> object:
    frame = regions(spark)
    return [frame.rdd is frame.rdd, frame.rdd.getNumPartitions(), frame.toJSON().collect()]


@program
def rdds_that_are_cut_off(spark: SparkSession, work: str) -> object:
    rdd = regions(spark).rdd.map(tuple)
    rdd.localCheckpoint()
    return [rdd.count(), rdd.isCheckpointed(), rdd.collect()]


# ---- data that goes back


@program
def rows_made(spark: SparkSession, work: str) -> object:
    return spark.createDataFrame(regions(spark).collect()).collect()


@program
def rows_of_dicts(spark: SparkSession, work: str) -> object:
    return spark.createDataFrame([{"a": 1, "b": "x"}]).collect()


@first
def a_frame_goes_back_and_is_written(spark: SparkSession, work: str) -> object:
    frame = regions(spark).toPandas()
    spark.createDataFrame(frame[frame.amount > 15]).write.parquet(f"{work}/back")
    return spark.read.parquet(f"{work}/back").orderBy("id").collect()


@program
def rows_of_a_generator(spark: SparkSession, work: str) -> object:
    def rows() -> Iterator[tuple[int, list[str]]]:
        yield 1, sorted({frame.filename.rpartition("/")[2] for frame in traceback.extract_stack()})

    return spark.createDataFrame(rows(), "id int, files array<string>").collect()


# ---- statements and writes


@program
def tables_written(spark: SparkSession, work: str) -> object:
    regions(spark).write.saveAsTable("copied")
    regions(spark).write.insertInto("copied")
    regions(spark).write.mode("overwrite").csv(f"{work}/csv")
    regions(spark).write.format("json").save(f"{work}/json")
    return [spark.table("copied").count(), spark.read.csv(f"{work}/csv").count(), spark.catalog.tableExists("copied")]


@program
def statements(spark: SparkSession, work: str) -> object:
    spark.sql("create table made using parquet as select id, name from regions")
    spark.sql("insert into made values (9, 'nine')")
    return [
        spark.sql("select * from made order by id").collect(),
        spark.sql("select :a as a", args={"a": 1}).collect(),
        spark.sql("select * from {frame} order by id", frame=regions(spark)).collect(),
        spark.sql("drop table made").collect(),
        spark.sql("show tables").count(),
    ]


@first
def statements_of_what_was_read(spark: SparkSession, work: str) -> object:
    for row in regions(spark).collect():
        spark.table("sales").where(f"region = '{row.name}'").write.mode("append").parquet(f"{work}/of_regions")
    return [spark.read.parquet(f"{work}/of_regions").count(), tags(spark)]


@program
def views(spark: SparkSession, work: str) -> object:
    regions(spark).createOrReplaceTempView("seen")
    spark.sql("cache table kept as select * from seen")
    found = spark.table("kept").collect()
    spark.sql("uncache table kept")
    return [found, spark.catalog.dropTempView("seen")]


@program
def caches_and_checkpoints(spark: SparkSession, work: str) -> object:
    kept = regions(spark).cache()
    found = [kept.count(), kept.collect(), kept.localCheckpoint().collect()]
    kept.unpersist()
    return found


@program
def a_frame_of_a_loop(spark: SparkSession, work: str) -> object:
    frame = regions(spark)
    for name in "abc":
        frame = frame.withColumn(name, frame.amount * 2)
    return frame.collect()


@program
def explained(spark: SparkSession, work: str) -> object:
    frame = regions(spark).join(spark.table("sales"), "id").groupBy("name").count()
    return [frame.explain(mode="extended"), frame.explain(mode="formatted"), frame.collect(), frame.explain()]


@program
def observed(spark: SparkSession, work: str) -> object:
    from pyspark.sql import Observation, functions

    observation = Observation("seen")
    regions(spark).observe(observation, functions.count("*").alias("rows")).collect()
    return [observation.get, observation.get]


@program
def other_sessions(spark: SparkSession, work: str) -> object:
    other = spark.newSession()
    other.conf.set("spark.sql.shuffle.partitions", "2")
    return [other.table("regions").count(), spark.conf.get("spark.sql.shuffle.partitions")]


# ---- groups, descriptions, tags, threads


def tags(spark: SparkSession) -> list[str]:
    job_tags = getattr(spark.sparkContext, "getJobTags", None)
    return [] if job_tags is None else sorted(job_tags())


@first
def groups_and_tags(spark: SparkSession, work: str) -> object:
    context = spark.sparkContext
    context.setJobGroup("nightly", "the load", interruptOnCancel=True)
    if hasattr(context, "addJobTag"):
        context.addJobTag("mine")
    regions(spark).collect()
    spark.table("regions").write.mode("overwrite").parquet(f"{work}/tagged")
    found = [context.getLocalProperty(f"spark.job{each}") for each in (".description", "Group.id")] + tags(spark)
    if hasattr(context, "addJobTag"):
        context.clearJobTags()
    for each in ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"):
        context.setLocalProperty(each, None)  # type: ignore[arg-type] # takes it away
    return [found, tags(spark)]


@program
def threads(spark: SparkSession, work: str) -> object:
    from pyspark import inheritable_thread_target

    found: list[object] = []

    def read() -> None:
        found.append((regions(spark).collect(), spark.sparkContext.getLocalProperty("mine")))

    spark.sparkContext.setLocalProperty("mine", "kept")
    thread = threading.Thread(target=inheritable_thread_target(read))
    thread.start()
    thread.join()
    spark.sparkContext.setLocalProperty("mine", None)  # type: ignore[arg-type] # takes it away
    return found


@program
def a_stream(spark: SparkSession, work: str) -> object:
    found: list[object] = []

    def each(batch: DataFrame, number: int) -> None:
        found.append((number, batch.orderBy("id").collect(), tags(spark)))
        batch.write.mode("append").parquet(f"{work}/streamed")

    spark.table("regions").write.mode("overwrite").parquet(f"{work}/arrived")
    stream = spark.readStream.schema(spark.table("regions").schema).parquet(f"{work}/arrived")
    started = stream.writeStream.foreachBatch(each).option("checkpointLocation", f"{work}/state")
    query = started.trigger(availableNow=True).start()
    query.awaitTermination()
    return [found, query.exception()]


# ---- models


@program
def a_pipeline(spark: SparkSession, work: str) -> object:
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.feature import Binarizer, StringIndexer

    stages = [
        StringIndexer(inputCol="name", outputCol="i"),
        Binarizer(threshold=15.0, inputCol="amount", outputCol="b"),
    ]
    model = Pipeline(stages=stages).fit(regions(spark))
    model.write().overwrite().save(f"{work}/model")
    return PipelineModel.load(f"{work}/model").transform(regions(spark)).collect()


@program
def a_fit_that_fails(spark: SparkSession, work: str) -> object:
    from pyspark.ml.feature import StringIndexer

    return StringIndexer(inputCol="nowhere", outputCol="i").fit(regions(spark))


@program
def a_model_that_is_not_there(spark: SparkSession, work: str) -> object:
    from pyspark.ml import PipelineModel

    return PipelineModel.load(f"{work}/no model")


# ---- what fails


@first
def a_statement_that_is_not_analyzed(spark: SparkSession, work: str) -> object:
    return spark.sql("select nowhere from regions")


@program
def a_statement_that_is_not_parsed(spark: SparkSession, work: str) -> object:
    return spark.sql("selec 1 from")


@program
def a_table_that_is_not_there(spark: SparkSession, work: str) -> object:
    return spark.table("nothing")


@program
def an_insert_that_is_not_analyzed(spark: SparkSession, work: str) -> object:
    return spark.sql("insert into copied select id from regions")


@program
def an_insert_into_nothing(spark: SparkSession, work: str) -> object:
    return spark.sql("insert into nothing values (1)")


@program
def a_column_that_is_not_there(spark: SparkSession, work: str) -> object:
    return regions(spark).select("nowhere")


@program
def a_condition_that_is_not_analyzed(spark: SparkSession, work: str) -> object:
    return regions(spark).where("nowhere > 1")


@program
def a_path_that_is_not_there(spark: SparkSession, work: str) -> object:
    return spark.read.parquet(f"{work}/nowhere")


@program
def a_target_that_is_there(spark: SparkSession, work: str) -> object:
    return [regions(spark).write.parquet(f"{work}/there") for _ in range(2)]


@first
def rows_that_fail(spark: SparkSession, work: str) -> object:
    return regions(spark).selectExpr("raise_error(concat('no ', name))").collect()


@program
def a_frame_that_fails(spark: SparkSession, work: str) -> object:
    return regions(spark).selectExpr("cast(name as int) / 0 as x", "raise_error('no')").toPandas()


@program
def an_iterator_that_fails(spark: SparkSession, work: str) -> object:
    return list(regions(spark).selectExpr("raise_error('no')").toLocalIterator())


@first
def a_write_that_fails(spark: SparkSession, work: str) -> object:
    return regions(spark).selectExpr("raise_error('no') as x").write.parquet(f"{work}/failed")


@program
def a_statement_that_fails(spark: SparkSession, work: str) -> object:
    return spark.sql("insert overwrite table copied select raise_error('no'), name, amount from regions")


@program
def several_writes_of_which_one_fails(spark: SparkSession, work: str) -> object:
    for name in ("one", "two"):
        spark.sql(f"create table {name} (id int) using parquet")
    return spark.sql("from regions insert into one select id insert into two select raise_error('no')")


@first
def several_writes_that_are_not_planned(spark: SparkSession, work: str) -> object:
    for name in ("three", "four"):
        spark.sql(f"create table {name} (id int) using parquet")
    spark.conf.set("spark.sql.adaptive.customCostEvaluatorClass", "nowhere.Evaluator")  # read by the last step
    try:
        grouped = "(select id, count(*) as n from regions group by id) r"
        return spark.sql(f"from {grouped} insert into three select id insert into four select n")
    finally:
        spark.conf.unset("spark.sql.adaptive.customCostEvaluatorClass")


@program
def a_plan_that_cannot_be_made(spark: SparkSession, work: str) -> object:
    return spark.sql("select id from sales where id = (select id from regions)").collect()


@program
def a_python_function_that_fails(spark: SparkSession, work: str) -> object:
    from pyspark.sql import functions

    broken = functions.udf(lambda number: 1 // (number - number), "int")
    return regions(spark).select(broken("id")).collect()


@program
def an_rdd_that_fails(spark: SparkSession, work: str) -> object:
    return spark.sparkContext.parallelize([1]).map(lambda n: n // 0).collect()


@program
def a_stream_that_fails(spark: SparkSession, work: str) -> object:
    def each(_batch: DataFrame, _number: int) -> None:
        raise ValueError("the user's own")

    stream = spark.readStream.schema(spark.table("regions").schema).parquet(f"{work}/arrived")
    query = stream.writeStream.foreachBatch(each).trigger(availableNow=True).start()
    try:
        query.awaitTermination()
    except Exception as error:  # noqa: BLE001 whatever a stream ends by
        return str(error).partition("\n")[0]
    return None


@program
def calls_with_wrong_arguments(spark: SparkSession, work: str) -> object:
    from pyspark.sql import DataFrame

    def error_of(call: Callable[[], object]) -> str:
        try:
            return repr(call())
        except TypeError:
            return traceback.format_exc()

    frame: Any = regions(spark)
    wrong: list[Callable[[], object]] = [
        lambda: frame.collect(1),
        lambda: frame.tail(),
        lambda: DataFrame.collect(),  # type: ignore[call-arg]
        lambda: frame.toPandas(no=1),
        lambda: type(frame).collect(self=frame),
        lambda: spark.createDataFrame(),  # type: ignore[call-overload]
    ]
    return [error_of(each) for each in wrong]


@program
def rows_that_have_no_type(spark: SparkSession, work: str) -> object:
    return spark.createDataFrame([object()])


@program
def an_error_that_is_held(spark: SparkSession, work: str) -> object:
    try:
        regions(spark).selectExpr("raise_error('no')").collect()
    except Exception as error:
        raise RuntimeError("the job gives up") from error
    return None


@program
def an_error_that_is_swallowed(spark: SparkSession, work: str) -> object:
    for _ in range(3):
        try:
            spark.sql("select nowhere")
        except Exception:  # noqa: BLE001, PERF203 as users do
            continue
    return regions(spark).count()


# ---- warnings, and what methods are


@program
def warnings_are_errors(spark: SparkSession, work: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return [
            regions(spark).collect(),
            spark.sql("select 1").collect(),
            spark.createDataFrame([(1,)], "a int").collect(),
        ]


@program
def a_warning_of_pyspark(spark: SparkSession, work: str) -> object:
    return spark.createDataFrame([{"a": 1}]).rdd.mapPartitionsWithSplit(lambda _, rows: rows).count()


@first
def what_methods_are(spark: SparkSession, work: str) -> object:
    from pyspark.sql import DataFrameWriter

    methods = [
        type(regions(spark)).collect,
        type(regions(spark)).toPandas,
        type(spark).sql,
        type(spark).createDataFrame,
        DataFrameWriter.parquet,
    ]
    return [
        (
            str(inspect.signature(method)),
            inspect.getsource(method),
            pydoc.render_doc(method),
            method.__qualname__,
            method.__module__,
            method.__doc__,
            method.__code__.co_filename,
            method.__code__.co_name,
            method.__code__.co_firstlineno,
            pickle.loads(pickle.dumps(method)) is method,
        )
        for method in methods
    ]


@program
def what_properties_are(spark: SparkSession, work: str) -> object:
    from pyspark.sql import Observation

    kinds = {
        name: inspect.getattr_static(kind, name) for kind, name in ((type(regions(spark)), "rdd"), (Observation, "get"))
    }
    return {name: (type(kind).__name__, kind.__doc__) for name, kind in kinds.items()}
