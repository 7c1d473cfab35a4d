"""Messages of Spark ML models: training and scoring replayed from the recording of a real job."""

from __future__ import annotations

import json
from typing import Any

from sac_kafka.model import ModelDataset, Process
from sac_kafka.settings.declarations.choices import Compat
from tests.cases.batches import BATCHES, owed
from tests.cases.namings import naming_of
from tests.helpers.live_runs import Capture
from tests.unit.atlas.flows import CONTEXT, entities, messages_for, name, of_type, path, process

OLDEST, NEWEST = owed()
MODEL = "file:/work-of-the-case/models/texts@prod"
AT = "hdfs://nn1/models/churn"
TRAINING = path("hdfs://nn1/training", "x")
CHURN = ModelDataset(path=AT, model_class="PipelineModel", uid="pipeline_1", pipeline_uid="pipeline_1")
DIRECTORY = ModelDataset(
    path=AT, is_directory=True, model_class="PipelineModel", uid="pipeline_1", pipeline_uid="pipeline_1"
)


def _ends(entity: dict[str, Any], side: str) -> set[tuple[str, str]]:
    return {(end["typeName"], name(end)) for end in entity["relationshipAttributes"][side]}


def _processes(version: str) -> list[Process]:
    return Capture.processes_of((BATCHES / version / "ml_pipeline.txt").read_text("utf-8"))


def test_a_training_and_a_scoring_are_flows_over_one_model() -> None:
    for version in (OLDEST, NEWEST):
        training, scoring = (of_type(messages_for(each), "spark_process")[0] for each in _processes(version))
        assert _ends(training, "inputs") == {("spark_table", "cases.texts@prod")}
        assert _ends(training, "outputs") == {("spark_ml_model", MODEL), ("spark_ml_directory", MODEL)}
        assert training["attributes"]["name"] == "test: cases.texts -> models/texts/, models/texts"
        assert ("spark_ml_model", MODEL) in _ends(scoring, "inputs")


def test_a_directory_names_both_of_its_owners_by_the_right_relationships() -> None:
    sent = messages_for(process([TRAINING], [DIRECTORY, CHURN]))
    (directory,) = of_type(sent, "spark_ml_directory")
    ends = directory["relationshipAttributes"]
    assert {side: (end["typeName"], end["relationshipType"]) for side, end in ends.items()} == {
        "model": ("spark_ml_model", "spark_ml_model_ml_directory"),
        "pipeline": ("spark_ml_pipeline", "spark_ml_pipeline_ml_directory"),
    }
    assert len(of_type(sent, "spark_ml_model")) == 1
    assert [e["attributes"]["extra"] for e in of_type(sent, "spark_ml_model", "spark_ml_pipeline")] == [
        "PipelineModel pipeline_1",
        "pipeline_1",
    ]


def test_training_again_is_the_same_flow_and_the_same_model() -> None:
    again = ModelDataset(path=AT, uid="pipeline_2"), ModelDataset(path=AT, uid="pipeline_2", is_directory=True)
    first, second = (
        {(each["typeName"], name(each)) for each in entities(messages_for(process([TRAINING], outputs)))}
        for outputs in ((CHURN, DIRECTORY), again)
    )
    assert first == second


def test_the_names_of_the_spark_atlas_connector() -> None:
    naming = naming_of(compat=Compat.SAC, sac_prefix="application_1_0042")
    sent = messages_for(process([TRAINING], [CHURN, DIRECTORY]), naming=naming, message_form=CONTEXT.form)
    assert {(each["typeName"], name(each)) for each in entities(sent)} >= {
        ("spark_ml_model", "model_1"),
        ("spark_ml_pipeline", "pipeline_1"),
        ("spark_ml_directory", "hdfs://nn1./models/churn"),
    }


def test_no_secret_and_no_row_is_in_a_recording_of_a_training() -> None:
    for version in (OLDEST, NEWEST):
        text = (BATCHES / version / "ml_pipeline.txt").read_text("utf-8")
        assert "hadoop mapreduce" not in text
        assert "regParam" not in text
        assert all(json.loads(line) for line in text.splitlines() if line)
