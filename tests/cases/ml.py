"""Cases over models of Spark ML: those of Spark's own guide, fitted, saved, loaded and scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.all_cases import PREPARATIONS, case, not_on

if TYPE_CHECKING:
    from pyspark.ml import Pipeline
    from pyspark.sql import DataFrame, SparkSession


def _prepare(spark: SparkSession, work: str) -> None:
    texts = [(0, "a b c d e spark", 1.0), (1, "b d", 0.0), (2, "spark f g h", 1.0), (3, "hadoop mapreduce", 0.0)]
    spark.createDataFrame(texts, "id bigint, text string, label double").write.mode("overwrite").saveAsTable("texts")
    new = [(4, "spark i j k"), (5, "l m n")]
    spark.createDataFrame(new, "id bigint, text string").write.mode("overwrite").parquet(f"{work}/in/new_texts")
    points = [(float(i), float(i % 3), "ab"[i % 2], float(i % 2)) for i in range(12)]
    df = spark.createDataFrame(points, "x double, y double, kind string, label double")
    df.write.mode("overwrite").parquet(f"{work}/in/points")
    df.write.mode("overwrite").saveAsTable("points")


PREPARATIONS.append(_prepare)


def _texts_pipeline() -> Pipeline:
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.feature import HashingTF, Tokenizer

    tokenizer = Tokenizer(inputCol="text", outputCol="words")
    hashing = HashingTF(inputCol="words", outputCol="features", numFeatures=16)
    return Pipeline(stages=[tokenizer, hashing, LogisticRegression(maxIter=2, regParam=0.001)])


def _points(df: DataFrame) -> DataFrame:
    from pyspark.ml.feature import VectorAssembler

    return VectorAssembler(inputCols=["x", "y"], outputCol="features").transform(df)


@case
def ml_pipeline(spark: SparkSession, work: str) -> object:
    """Trained, saved, loaded, scored, each as a separate job would."""
    from pyspark.ml import PipelineModel

    model = _texts_pipeline().fit(spark.table("texts").filter("id < 100"))
    model.write().overwrite().save(f"{work}/models/texts")
    loaded = PipelineModel.load(f"{work}/models/texts")
    scored = loaded.transform(spark.read.parquet(f"{work}/in/new_texts"))
    scored.select("id", "text", "prediction").write.mode("overwrite").parquet(f"{work}/out/ml_pipeline")


@not_on("4.0", "4.1")  # once a session has observed anything, no model with a summary can be serialized there
@case
def ml_cross_validator(spark: SparkSession, work: str) -> object:
    """Many fits, in separate threads, are one; the pipeline that was saved is what it was fitted by."""
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.ml.tuning import CrossValidator, CrossValidatorModel, ParamGridBuilder

    pipeline = _texts_pipeline()
    grid = ParamGridBuilder().addGrid(pipeline.getStages()[2].regParam, [0.1]).build()
    validator = CrossValidator(
        estimator=pipeline,
        estimatorParamMaps=grid,
        evaluator=BinaryClassificationEvaluator(),
        numFolds=2,
        parallelism=2,
        foldCol="fold",
    )
    validator.write().overwrite().save(f"{work}/models/search")
    df = spark.sql("select *, cast(id div 2 as int) fold from texts")
    model = validator.fit(df.selectExpr("id", "text", "cast(id % 2 as double) label", "fold"))
    model.write().overwrite().save(f"{work}/models/searched")
    best = CrossValidatorModel.load(f"{work}/models/searched").bestModel
    best.transform(spark.read.parquet(f"{work}/in/new_texts")).select("id", "prediction").write.mode(
        "overwrite"
    ).saveAsTable("searched_texts")


@case
def ml_single_estimators(spark: SparkSession, work: str) -> object:
    """KMeans, saved before it scores what it was fitted to; LinearRegression, never saved: its training data was read."""
    from pyspark.ml.clustering import KMeans
    from pyspark.ml.regression import LinearRegression

    points = _points(spark.read.parquet(f"{work}/in/points"))
    means = KMeans(k=2, seed=1, maxIter=2).fit(points)
    means.save(f"{work}/models/means/2026-11-23")
    means.transform(points).select("x", "prediction").write.mode("overwrite").parquet(f"{work}/out/ml_means")
    line = LinearRegression(maxIter=2, regParam=0.3).fit(_points(spark.table("points")))
    line.transform(points).select("x", "prediction").write.mode("overwrite").parquet(f"{work}/out/ml_line")


@case
def ml_random_forest(spark: SparkSession, work: str) -> object:
    """A pipeline within a pipeline, one that was loaded; a model that is copied; a part of a model, saved by itself."""
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.classification import RandomForestClassifier
    from pyspark.ml.feature import StringIndexer, VectorAssembler

    indexing = Pipeline(
        stages=[
            StringIndexer(inputCol="kind", outputCol="kind_index"),
            VectorAssembler(inputCols=["x", "y", "kind_index"], outputCol="features"),
        ]
    )
    pipeline = Pipeline(stages=[indexing, RandomForestClassifier(numTrees=2, maxDepth=2, seed=1)])
    pipeline.write().overwrite().save(f"{work}/models/forest_pipeline")
    model = Pipeline.load(f"{work}/models/forest_pipeline").fit(spark.table("points"))
    model.write().overwrite().save(f"{work}/models/forest")
    copy = PipelineModel.load(f"{work}/models/forest")
    copy.write().overwrite().save(f"{work}/models/forest_copy")
    copy.stages[1].write().overwrite().save(f"{work}/models/trees")
    copy.transform(spark.table("points")).groupBy("prediction").count().write.mode("overwrite").parquet(
        f"{work}/out/ml_forest"
    )


@case
def ml_train_validation_split(spark: SparkSession, work: str) -> object:
    """Fitted to what another model has made; where MLflow keeps it."""
    from pyspark.ml.evaluation import RegressionEvaluator
    from pyspark.ml.feature import StandardScaler
    from pyspark.ml.regression import LinearRegression
    from pyspark.ml.tuning import ParamGridBuilder, TrainValidationSplit

    points = _points(spark.table("points"))
    scaler = StandardScaler(inputCol="features", outputCol="scaled").fit(points)
    scaler.write().overwrite().save(f"{work}/models/scaler")
    line = LinearRegression(featuresCol="scaled", maxIter=2)
    grid = ParamGridBuilder().addGrid(line.regParam, [0.1, 0.01]).build()
    split = TrainValidationSplit(
        estimator=line, estimatorParamMaps=grid, evaluator=RegressionEvaluator(), trainRatio=0.75, seed=1
    )
    model = split.fit(scaler.transform(points))
    run = f"{work}/mlruns/7/0a1b2c3d4e5f60718293a4b5c6d7e8f9/artifacts/line/sparkml"
    model.bestModel.write().overwrite().save(run)


@case
def ml_fails(spark: SparkSession, work: str) -> object:
    """A fit that fails, a save that fails; what is written to the same place later is no model."""
    from pyspark.ml.regression import LinearRegression

    points = _points(spark.table("points"))
    _fails(lambda: LinearRegression(featuresCol="missing").fit(points))
    points.select("x").write.mode("overwrite").parquet(f"{work}/models/taken/data")
    line = LinearRegression(maxIter=1).fit(points)
    _fails(lambda: line.save(f"{work}/models/taken"))
    points.select("y").write.mode("overwrite").parquet(f"{work}/models/taken/data")


@case
def ml_pipeline_of_the_jvm(spark: SparkSession, work: str) -> object:
    """As a job in Scala has it: Spark's own events suffice."""
    jvm, gateway = spark._jvm, spark.sparkContext._gateway
    ml = jvm.org.apache.spark.ml
    tokenizer = ml.feature.Tokenizer().setInputCol("text").setOutputCol("words")
    hashing = ml.feature.HashingTF().setInputCol("words").setOutputCol("features").setNumFeatures(16)
    stages = gateway.new_array(ml.PipelineStage, 3)
    for i, stage in enumerate((tokenizer, hashing, ml.classification.LogisticRegression().setMaxIter(2))):
        stages[i] = stage
    pipeline = ml.Pipeline().setStages(stages)
    pipeline.write().overwrite().save(f"{work}/models/jvm_pipeline")
    model = pipeline.fit(spark.table("texts")._jdf)
    model.write().overwrite().save(f"{work}/models/jvm_texts")
    new = spark.read.parquet(f"{work}/in/new_texts")
    for name, each in (("fitted", model), ("loaded", ml.PipelineModel.load(f"{work}/models/jvm_texts"))):
        each.transform(new._jdf).select("id", gateway.new_array(jvm.String, 0)).write().mode("overwrite").parquet(
            f"{work}/out/ml_jvm_{name}"
        )


def _fails(call: object) -> None:
    try:
        call()  # type: ignore[operator]
    except Exception:  # noqa: BLE001 whatever it raises
        return
    raise AssertionError("it was to fail")
