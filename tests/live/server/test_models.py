"""Models of Spark ML on a real server: there with their owners, and between what they were fitted to and what they score."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from pathlib import Path

import pytest

from sac_kafka.atlas.context import context_of
from sac_kafka.atlas.memory import Remembered
from sac_kafka.atlas.messages import messages
from sac_kafka.settings.content import Content
from sac_kafka.settings.declarations.choices import Compat
from sac_kafka.settings.names import Names
from tests.cases.batches import BATCHES, owed
from tests.helpers.live_runs import Capture
from tests.helpers.staged import scheduler_of
from tests.live.server.live_atlas import RunningAtlas
from tests.live.server.server_job import ServerJob
from tests.live.server.test_acceptance import Shown
from tests.live.server.test_lakes import NEEDS_PYTHON, PYTHON
from tests.unit.atlas.flows import APPLICATION, NOW

pytestmark = [pytest.mark.atlas, pytest.mark.exhaustive]

WORK = "file:/work-of-the-case"
MODEL = f"{WORK}/models/forest@ml"
PIPELINE = f"{WORK}/models/forest_pipeline@ml"

OTHER, SAME = str(PYTHON), sys.executable
FEW, ALL = ("texts", "means"), ("texts", "forest", "trees", "means", "searched", "line")
RUNS = [
    pytest.param(FEW, [(SAME, "train,score")], id="few"),
    pytest.param(ALL, [(SAME, "train,score")], marks=pytest.mark.nightly, id="newest"),
    pytest.param(ALL, [(OTHER, "train,score")], marks=[NEEDS_PYTHON, pytest.mark.nightly], id="oldest"),
    pytest.param(ALL, [(OTHER, "train"), (SAME, "score")], marks=[NEEDS_PYTHON, pytest.mark.nightly], id="both"),
]
"""Models, and Pythons, whose Sparks differ, with what the driver of each does."""

TRAINING = {
    "texts": {"pipeline", "default.texts"},
    "forest": {"default.points"},
    "trees": {"default.points"},
    "means": {"default.points"},
    "searched": {"default.texts"},
    "line": {"default.points"},
}
"""Model → what it was fitted to; a pipeline that was saved before that, too."""
SCORED = {
    "texts": "in/texts.json",
    "forest": "in/points.json",
    "trees": "in/points.json",
    "means": "in/points.json",
    "searched": "in/texts.json",
    "line": "in/points.json",
}
"""Model → what it scores."""


def test_a_training_and_a_scoring_have_lineage(atlas_server: RunningAtlas) -> None:
    """Twice, as from day to day: the model is the same."""
    mark = atlas_server.logs.mark()
    text = (BATCHES / owed()[1] / "ml_random_forest.txt").read_text("utf-8")
    context = context_of(APPLICATION, Names(namespace="ml"), Content())
    for _ in range(2):
        remembered = Remembered(max_age_ms=0)
        sent = [
            json.loads(message.value)
            for process in Capture.processes_of(text)
            for message in messages(
                dataclasses.replace(process, application=APPLICATION),
                context=context,
                remembered=remembered,
                now_ms=NOW,
            )
        ]
        atlas_server.send(sent)
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


def test_the_names_and_the_older_form_of_the_spark_atlas_connector_have_lineage(atlas_server: RunningAtlas) -> None:
    """Models by Spark's ids of them, and one process for all of the application."""
    mark = atlas_server.logs.mark()
    application = dataclasses.replace(APPLICATION, application_id=f"application_{time.time_ns()}_0001")
    context = context_of(application, Names(namespace="ml", compat=Compat.SAC), Content())
    steps, remembered = scheduler_of(context), Remembered(max_age_ms=0)
    text = (BATCHES / owed()[1] / "ml_random_forest.txt").read_text("utf-8")
    sent = [
        json.loads(message.value)
        for process in Capture.processes_of(text)
        for step in steps.schedule((dataclasses.replace(process, application=application),), NOW)
        for message in messages(step.outcome, context=context, remembered=remembered, now_ms=NOW, defined=step.defined)
    ]
    assert {each["message"]["type"] for each in sent} == {"ENTITY_CREATE"}
    atlas_server.send(sent)
    atlas_server.assert_no_complaints(mark)
    rest, directory = atlas_server.rest, "file:./work-of-the-case/models/forest"
    assert rest.attributes("spark_ml_directory", directory)["uri"] == f"{WORK}/models/forest"
    assert rest.related("spark_ml_directory", directory, "model") == ["models/forest"]
    assert rest.related("spark_ml_directory", directory, "pipeline") == ["models/forest_pipeline"]
    # The older form cannot distinguish two associations: the server takes either.
    trees = rest.entity("spark_ml_model", "RandomForestClassifier_771739486e8d")
    assert trees is not None
    ends = [trees["relationshipAttributes"].get(each) for each in ("directory", "dataset")]
    assert {each["displayText"] for each in ends if each} == {"/work-of-the-case/models/trees"}
    outputs = rest.related("spark_process", application.application_id, "outputs")
    directories = [f"/work-of-the-case/models/{name}" for name in ("forest", "forest_copy", "trees")]
    models = ["models/forest", "models/forest_pipeline", "models/trees"]
    assert outputs == [*directories, "/work-of-the-case/out/ml_forest", *models]
    inputs = rest.related("spark_process", application.application_id, "inputs")
    assert inputs == ["models/forest", "models/forest_pipeline", "points"]


class ShownModels(Shown):
    """With models by the last part of their names."""

    def short(self, qualified_name: str) -> str:
        return super().short(qualified_name).removeprefix("models/")


@pytest.mark.parametrize(("models", "drivers"), RUNS)
def test_the_pipelines_of_sparks_guide_have_lineage(
    atlas_server: RunningAtlas,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    models: tuple[str, ...],
    drivers: list[tuple[str, str]],
) -> None:
    """Training data → the saved model → what it has scored, also where another driver, and another Spark, has trained it."""
    namespace = f"models_{request.node.callspec.id}"
    mark = atlas_server.logs.mark()
    job = ServerJob(server=atlas_server, work=tmp_path, namespace=namespace)
    for python, steps in drivers:
        job.run("models.py", steps, ",".join(models), python=python)
    atlas_server.assert_no_complaints(mark)
    shown = ShownModels(job)
    trained = {model: TRAINING[model] for model in models}
    scored = {f"scored/{model}": {model, SCORED[model]} for model in models}
    assert shown.flows("spark_process") == {**trained, **scored}
    assert [n for n in shown.rest.shells() if n.endswith(f"@{job.namespace}")] == []
    assert len(shown.own("spark_ml_directory")) == len(models)
    for model in models:
        name = job.file(f"models/{model}")
        assert TRAINING[model] <= shown.upstream("spark_ml_model", name)
        assert f"scored/{model}" in shown.downstream("spark_ml_model", name)
        assert not (set(models) - {model}) & shown.upstream("spark_ml_model", name)
