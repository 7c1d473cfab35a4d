"""The pipelines of Spark's guide to its machine learning, in the folder WORK: `models.py WORK train,score texts,forest`.

`train` fits models to tables and saves them, `score` loads them from where that put them and writes what they predict.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.classification import GBTClassifier, LogisticRegression, RandomForestClassifier
from pyspark.ml.clustering import KMeans, KMeansModel
from pyspark.ml.evaluation import BinaryClassificationEvaluator, RegressionEvaluator
from pyspark.ml.feature import HashingTF, IndexToString, StringIndexer, Tokenizer, VectorAssembler, VectorIndexer
from pyspark.ml.regression import LinearRegression
from pyspark.ml.tuning import (
    CrossValidator,
    CrossValidatorModel,
    ParamGridBuilder,
    TrainValidationSplit,
    TrainValidationSplitModel,
)
from pyspark.sql import SparkSession

import sac_kafka

work, steps, models = sys.argv[1:]
spark = SparkSession.builder.appName("models").getOrCreate()
hook = sac_kafka.attach(spark)
assembler = VectorAssembler(inputCols=["x", "y"], outputCol="features")


def texts_pipeline() -> Pipeline:
    """Words of a text, hashed, and a logistic regression."""
    tokenizer = Tokenizer(inputCol="text", outputCol="words")
    hashing = HashingTF(inputCol="words", outputCol="features", numFeatures=16)
    return Pipeline(stages=[tokenizer, hashing, LogisticRegression(maxIter=2, regParam=0.001)])


def points_pipeline(classifier: object, *after: object) -> Pipeline:
    """Indexes of labels and features, and trees."""
    return Pipeline(
        stages=[
            StringIndexer(inputCol="kind", outputCol="indexed"),
            VectorAssembler(inputCols=["x", "y"], outputCol="assembled"),
            VectorIndexer(inputCol="assembled", outputCol="features", maxCategories=4),
            classifier,
            *after,
        ]
    )


def texts() -> object:
    """Return a pipeline that is saved before it is fitted."""
    pipeline = texts_pipeline()
    pipeline.write().overwrite().save(f"{work}/models/pipeline")
    return pipeline.fit(spark.table("texts"))


def forest() -> object:
    """Random forests, and the names of what they predict."""
    classifier = RandomForestClassifier(labelCol="indexed", numTrees=2, maxDepth=2, seed=1)
    names = IndexToString(inputCol="prediction", outputCol="predicted", labels=["a", "b"])
    return points_pipeline(classifier, names).fit(spark.table("points"))


def trees() -> object:
    """Gradient-boosted trees."""
    return points_pipeline(GBTClassifier(labelCol="indexed", maxIter=1, maxDepth=2)).fit(spark.table("points"))


def means() -> object:
    """Return a model by itself, in no pipeline."""
    return KMeans(k=2, seed=1, maxIter=2).fit(assembler.transform(spark.table("points")))


def searched() -> object:
    """Cross-validation of a pipeline, in two threads."""
    pipeline = texts_pipeline()
    grid = ParamGridBuilder().addGrid(pipeline.getStages()[2].regParam, [0.1, 0.01]).build()
    evaluator = BinaryClassificationEvaluator()
    search = CrossValidator(
        estimator=pipeline, estimatorParamMaps=grid, evaluator=evaluator, numFolds=2, parallelism=2, seed=1
    )
    return search.fit(spark.table("texts"))


def line() -> object:
    """Return a split into training and validation."""
    regression = LinearRegression(maxIter=2)
    grid = ParamGridBuilder().addGrid(regression.regParam, [0.1, 0.01]).build()
    evaluator = RegressionEvaluator()
    split = TrainValidationSplit(estimator=regression, estimatorParamMaps=grid, evaluator=evaluator, seed=1)
    return split.fit(assembler.transform(spark.table("points")))


FITS = {each.__name__: each for each in (texts, forest, trees, means, searched, line)}
READERS = {
    "texts": PipelineModel,
    "forest": PipelineModel,
    "trees": PipelineModel,
    "means": KMeansModel,
    "searched": CrossValidatorModel,
    "line": TrainValidationSplitModel,
}


def train(names: list[str]) -> None:
    """Fit each to a table, and save it."""
    rows = [(n, word, float(n % 2)) for n, word in enumerate(("spark a", "b d", "spark f", "hadoop g") * 4)]
    spark.createDataFrame(rows, "id bigint, text string, label double").write.saveAsTable("texts")
    points = [(float(n), float(n % 3), "ab"[n % 2], float(n)) for n in range(16)]
    spark.createDataFrame(points, "x double, y double, kind string, label double").write.saveAsTable("points")
    for name in names:
        FITS[name]().write().overwrite().save(f"{work}/models/{name}")  # type: ignore[attr-defined]


def score(names: list[str]) -> None:
    """Load each, and write its predictions for new rows."""
    new = Path(work, "in")
    new.mkdir()
    (new / "texts.json").write_text('{"id": 1, "text": "spark i"}\n{"id": 2, "text": "l m"}\n')
    (new / "points.json").write_text('{"x": 1.0, "y": 2.0, "kind": "a"}\n{"x": 3.0, "y": 0.0, "kind": "b"}\n')
    new_texts = spark.read.schema("id bigint, text string").json(f"{work}/in/texts.json")
    points = spark.read.schema("x double, y double, kind string").json(f"{work}/in/points.json")
    rows = {"texts": new_texts, "searched": new_texts, "forest": points, "trees": points}
    for name in names:
        scored = rows.get(name) or assembler.transform(points)
        predicted = READERS[name].load(f"{work}/models/{name}").transform(scored)
        predicted.select(scored.columns[0], "prediction").write.parquet(f"{work}/scored/{name}")


for step in steps.split(","):
    {"train": train, "score": score}[step](models.split(","))
assert hook.flush(600), hook.stats()
assert hook.stats()["errors"] == {}, hook.stats()
spark.stop()
