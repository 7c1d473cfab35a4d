"""Models of Spark ML on a real server: what a job has told, from its recording, is there with its owners and in its lineage."""

from __future__ import annotations

import dataclasses
import json

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import messages
from sac_kafka.settings.content import Content
from sac_kafka.settings.names import Names
from tests.atlas.flows import APPLICATION, NOW
from tests.batches import BATCHES, owed
from tests.live import Capture
from tests.server.live_atlas import RunningAtlas

pytestmark = pytest.mark.atlas

WORK = "file:/work-of-the-case"
MODEL = f"{WORK}/models/forest@ml"
PIPELINE = f"{WORK}/models/forest_pipeline@ml"


def test_a_training_and_a_scoring_are_shown(atlas_server: RunningAtlas) -> None:
    """Twice, as from day to day: the model is the same."""
    mark = atlas_server.logs.mark()
    text = (BATCHES / owed()[1] / "ml_random_forest.txt").read_text("utf-8")
    context = context_of(APPLICATION, Names(namespace="ml"), Content())
    for _ in range(2):
        remembered = Remembered(max_age_ms=0)
        said = [
            json.loads(message.value)
            for process in Capture.processes_of(text)
            for message in messages(
                dataclasses.replace(process, application=APPLICATION),
                context=context,
                remembered=remembered,
                now_ms=NOW,
            )
        ]
        atlas_server.send(said)
    atlas_server.assert_no_complaints(mark)
    rest = atlas_server.rest
    assert rest.attributes("spark_ml_directory", MODEL)["uri"] == f"{WORK}/models/forest"
    assert rest.related("spark_ml_directory", MODEL, "model") == ["models/forest"]
    assert rest.related("spark_ml_directory", MODEL, "pipeline") == ["models/forest"]
    assert rest.related("spark_ml_model", MODEL, "directory") == ["/work-of-the-case/models/forest"]
    assert rest.attributes("spark_ml_model", MODEL)["extra"].startswith("PipelineModel PipelineModel_")
    trainings = rest.related("spark_ml_model", MODEL, "outputFromProcesses")
    assert trainings == ["daily load: models/forest_pipeline, cases.points -> models/forest/, models/forest"]
    users = rest.related("spark_ml_model", MODEL, "inputToProcesses")
    assert users == [
        "daily load: models/forest -> models/forest_copy/, models/forest_copy",
        "daily load: models/forest -> models/trees/, models/trees",
        "daily load: models/forest, cases.points -> out/ml_forest",
    ]
    assert rest.related("spark_ml_pipeline", PIPELINE, "inputToProcesses") == trainings
