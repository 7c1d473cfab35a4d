"""Models by hand-made events: order, failures, unknown models, missing ends. Whole jobs are cases (`cases_ml`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sac_kafka.lineage import ml
from sac_kafka.lineage.ml import MAX_COLUMNS, KnownModel, KnownModels
from sac_kafka.model import ModelDataset, Outcome, Process
from sac_kafka.model.gaps import gaps
from sac_kafka.names.model_places import place
from sac_kafka.plan.commands import InsertIntoHadoopFsRelationCommand
from sac_kafka.plan.driver_notes import ROWS_MADE, ROWS_READ, DriverNote
from sac_kafka.plan.execution import QueryExecution, SparkListenerSQLExecutionEnd, SparkListenerSQLExecutionStart
from sac_kafka.plan.expressions import Alias, Attribute, AttributeReference
from sac_kafka.plan.ml_events import (
    FitEnd,
    FitStart,
    LoadInstanceEnd,
    LoadInstanceStart,
    ModelNote,
    SaveInstanceEnd,
    SaveInstanceStart,
    TransformEnd,
    TransformStart,
)
from sac_kafka.plan.nodes import LogicalPlan
from sac_kafka.plan.operators import Project
from sac_kafka.plan.relations import HadoopFsRelation, LogicalRelation, RowsWithoutDataset
from tests.helpers.lineage_lines import lineage_lines
from tests.helpers.live_runs import APPLICATION
from tests.helpers.staged import Actions

X = Attribute(1, "x", "double", True)
PREDICTION = Attribute(9, "prediction", "double", True)
RUN = "0123456789abcdef0123456789abcdef"


def rows(path: str) -> LogicalRelation:
    return LogicalRelation(
        relation=HadoopFsRelation(root_paths=(path,), file_format="parquet"), catalog_table=None, output=(X,)
    )


def scored(path: str) -> Project:
    x = AttributeReference(expr_id=1)
    made = Alias(children=(x,), name="prediction", expr_id=9)
    return Project(children=(rows(path),), project_list=(made,))


def note(
    kind: str, path: str | None = None, plan: LogicalPlan | None = None, columns: Any = (), **fields: Any
) -> ModelNote:
    return ModelNote(kind=kind, text=json.dumps(fields), path=path, time=5, plan=plan, columns=tuple(columns))


def fitted(number: int = 1, uid: str = "lr_1", plan: LogicalPlan | None = None, started: int = 3) -> ModelNote:
    fields = {"number": number, "uids": [uid], "class": "Model", "estimator": "lr", "started": started}
    return note("fitted", plan=plan or rows("file:/train"), **fields)


def saved(path: str, number: int | None = 1, uid: str = "lr_1", **fields: Any) -> tuple[ModelNote, ModelNote]:
    known = {"class": "Model", "is_fitted": True, "is_model": True, **fields}
    return note("saving", path), note("saved", path, number=number, uid=uid, **known)


def used(number: int = 1, uid: str = "lr_1") -> ModelNote:
    return note("transformed", columns=[PREDICTION], number=number, uid=uid)


def written(query: LogicalPlan, path: str, number: int = 7) -> tuple[Any, Any]:
    command = InsertIntoHadoopFsRelationCommand(
        children=(query,),
        is_command=True,
        output_path=path,
        catalog_table=None,
        file_format="parquet",
        query=query,
        output_columns=(PREDICTION if isinstance(query, Project) else X,),
    )
    start = SparkListenerSQLExecutionStart(execution_id=number, root_execution_id=None, time=1)
    query_execution = QueryExecution(analyzed=command, mode="SKIP", sql_text=None)
    return start, SparkListenerSQLExecutionEnd(
        execution_id=number, time=2, failure=None, query_execution=query_execution
    )


def meant(*events: Any, actions: Actions | None = None) -> list[Outcome]:
    actions = actions or Actions(APPLICATION)
    return [outcome for event in events for outcome in actions.add(event)]


def headers(*events: Any, actions: Actions | None = None) -> list[str]:
    """Return the header lines of the outcomes of events."""
    return [line for line in lineage_lines(meant(*events, actions=actions), "/work") if not line.startswith("  ")]


def flow(path: str, *inputs: str) -> str:
    return f"model directory:{path}, model:{path} <= {', '.join(inputs) or '-'}"


def test_save_is_the_flow_from_the_training_data() -> None:
    (process,) = meant(fitted(), *saved("file:/m/churn/2026-11-23"))
    assert lineage_lines([process], "/work") == [flow("file:/m/churn", "path:file:/train")]
    assert (process.run.started_ms, process.run.ended_ms) == (3, 5)
    directory, model = process.outputs
    assert isinstance(model, ModelDataset)
    assert (model.uid, model.pipeline_uid, model.model_class) == ("lr_1", "lr", "Model")
    assert model.locations == directory.locations == ("file:/m/churn/2026-11-23",)


def test_a_model_of_rows_of_the_driver_may_have_another_input() -> None:
    """Fit a model to a frame of rows that were computed in the driver after it has read a dataset."""
    rows_of_driver = RowsWithoutDataset(class_name="LocalRelation", output=(X,))
    read = DriverNote(kind=ROWS_READ, text='{"read": 1}', plan=rows("file:/train"))
    frame = DriverNote(kind=ROWS_MADE, text='{"uses": [], "in_question": [1]}', plan=rows_of_driver)
    (process,) = meant(read, frame, fitted(plan=rows_of_driver), *saved("file:/m"))
    assert isinstance(process, Process)
    assert gaps(process) == ("inputs may be missing: rows of the driver (file:/train was read just before)",)


def test_a_model_is_known_by_its_fit_and_not_by_its_uid_alone() -> None:
    """Fit one estimator twice, which gives two models of one uid."""
    first, second = fitted(1), fitted(2, plan=rows("file:/other"))
    assert headers(first, second, *saved("file:/a", 1), *saved("file:/b", 2), *saved("file:/c", None)) == [
        flow("file:/a", "path:file:/train"),
        flow("file:/b", "path:file:/other"),
        flow("file:/c", "path:file:/other"),
    ]


def test_unsaved_model_stands_for_its_training_data_until_it_is_saved() -> None:
    first, second = written(scored("file:/in"), "file:/one"), written(scored("file:/in"), "file:/two", 8)
    assert headers(fitted(), used(), *first, *saved("file:/m"), *second) == [
        "path:file:/one <= path:file:/in, path:file:/train",
        flow("file:/m", "path:file:/train"),
        "path:file:/two <= model:file:/m, path:file:/in",
    ]


def test_other_columns_are_not_made_by_the_model() -> None:
    assert headers(fitted(), used(), *written(rows("file:/in"), "file:/one")) == ["path:file:/one <= path:file:/in"]


def test_a_model_that_scored_is_part_of_the_next_ones_training() -> None:
    second = fitted(2, "other", scored("file:/in"))
    assert headers(fitted(), *saved("file:/m"), used(), second, *saved("file:/n", 2, "other"))[1] == flow(
        "file:/n", "model:file:/m", "path:file:/in"
    )


def test_loaded_model_keeps_its_origin() -> None:
    events = (*loaded("file:/m"), *saved("file:/copy", 4), used(4))
    assert headers(*events, *written(scored("file:/in"), "file:/out")) == [
        flow("file:/copy", "model:file:/m"),
        "path:file:/out <= model:file:/m, path:file:/in",
    ]


def test_a_part_that_is_saved_is_not_the_whole() -> None:
    whole = fitted(1, "pipeline")
    events = (whole, *saved("file:/part", 1, "stage"), used(1, "pipeline"))
    assert headers(*events, *written(scored("file:/in"), "file:/out")) == [
        flow("file:/part", "path:file:/train"),
        "path:file:/out <= path:file:/in, path:file:/train",
    ]


def test_model_without_a_fit_has_its_origin() -> None:
    model, transformer = meant(*saved("file:/m", None), *saved("file:/t", None, "hash", is_model=False))
    assert (model.inputs, model.other_sources) == ((), ("a model whose fit was not seen",))
    assert (transformer.inputs, transformer.other_sources) == ((), ("a transformer that needs no fit",))


def test_a_pipeline_that_is_not_fitted_is_saved_without_a_flow() -> None:
    saving = saved("file:/p", None, "pipeline_1", is_fitted=False, is_model=False)
    assert meant(*saving) == []
    assert headers(fitted(), *saving, *saved("file:/m")) == [flow("file:/m", "path:file:/train")]


def test_writes_within_a_model_during_its_save_are_no_flows() -> None:
    actions = Actions(APPLICATION)
    began, ended = saved("file:/m")
    inside, elsewhere = (
        written(rows("file:/in"), "file:/m/stages/0_lr/data"),
        written(rows("file:/in"), "file:/mine", 8),
    )
    later = written(rows("file:/in"), "file:/m/data", 9)
    assert headers(fitted(), began, *inside, *elsewhere, ended, *later, actions=actions) == [
        "path:file:/mine <= path:file:/in",
        flow("file:/m", "path:file:/train"),
        "path:file:/m/data <= path:file:/in",
    ]
    assert actions.counts["part of a model that is saved or loaded"] == 1


def loaded(path: str, number: int = 4) -> tuple[ModelNote, ModelNote]:
    fields = {"uids": ["als_1"], "uid": "als_1", "class": "ALSModel", "is_fitted": True}
    return note("loading", path), note("loaded", path, number=number, **fields)


def test_read_in_the_directory_of_a_model_is_a_read_of_the_model() -> None:
    """Read the factors of an ALS model, which stay in its files until they are used."""
    actions = Actions(APPLICATION)
    events = *loaded("file:/m/als"), *saved("file:/m/whole")
    (_, recommended) = meant(*events, *written(rows("file:/m/als/userFactors"), "file:/out"), actions=actions)
    (in_stage,) = meant(*written(rows("file:/m/whole/stages/0_als/itemFactors"), "file:/more", 8), actions=actions)
    assert isinstance(recommended, Process)
    assert isinstance(in_stage, Process)
    assert [d.key for d in (*recommended.inputs, *in_stage.inputs)] == ["model:file:/m/als", "model:file:/m/whole"]
    assert [(c.column, c.sources) for c in recommended.columns] == [("x", ())]


def test_reads_next_to_a_model_or_of_an_overwritten_one_are_no_part_of_it() -> None:
    actions = Actions(APPLICATION)
    meant(*loaded("file:/m/als"), *loaded("file:/m/other", 5), actions=actions)
    overwritten = written(rows("file:/in"), "file:/m/other", 8)
    assert headers(*written(rows("file:/m/alsatian/x"), "file:/out"), *overwritten, actions=actions) == [
        "path:file:/out <= path:file:/m/alsatian/x",
        "path:file:/m/other <= path:file:/in",
    ]
    assert headers(*written(rows("file:/m/other/x"), "file:/out", 9), actions=actions) == [
        "path:file:/out <= path:file:/m/other/x"
    ]


def test_failed_save_has_no_outcome_and_is_over() -> None:
    began, _ = saved("file:/m")
    later = written(rows("file:/in"), "file:/m/data")
    assert headers(fitted(), began, note("failed", "file:/m"), *later) == ["path:file:/m/data <= path:file:/in"]


@pytest.mark.parametrize(
    ("location", "path", "uri"),
    [
        ("s3a://b/m/2026/11/23/", "s3a://b/m", ""),
        ("file:/tmp/tmpab12cd34/model", "file:/tmp/tmp{run}/model", ""),
        (
            f"dbfs:/databricks/mlflow-tracking/12/{RUN}/artifacts/churn/sparkml",
            "dbfs:/databricks/mlflow-tracking/12/{uuid}/artifacts/churn/sparkml",
            f"runs:/{RUN}/churn",
        ),
        (f"file:/mlruns/0/{RUN}/artifacts/a/b", "file:/mlruns/0/{uuid}/artifacts/a/b", f"runs:/{RUN}/a/b"),
        (
            f"file:/mlruns/0/models/m-{RUN}/artifacts/sparkml",
            "file:/mlruns/0/models/m-{uuid}/artifacts/sparkml",
            f"models:/m-{RUN}",
        ),
        ("file:/mlruns/0/mine/artifacts/a", "file:/mlruns/0/mine/artifacts/a", ""),
        ("file:/a b/ü%20@", "file:/a b/ü%20@", ""),
        ("models", "/models", ""),
    ],
)
def test_places(location: str, path: str, uri: str) -> None:
    found = place(location, ())
    assert found is not None
    assert (found.path, found.uri) == (path, uri)


def test_copy_by_mlflow_from_a_temporary_folder_is_counted() -> None:
    actions = Actions(APPLICATION)
    temporary = "dbfs:/tmp/mlflow/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f/sparkml"
    inside = written(rows("file:/in"), f"{temporary}/data")
    began, ended = saved(temporary)
    assert headers(fitted(), began, *inside, ended, actions=actions) == []
    assert actions.counts["model in a temporary folder of MLflow's"] == 1


# ---- the JVM's own events


def jvm_fit(uid: str, model: str, plan: LogicalPlan) -> tuple[FitStart, FitEnd]:
    return FitStart(uid=uid, plan=plan), FitEnd(uid=uid, model=model, model_class="PipelineModel")


def jvm_save(path: str, uid: str | None, kind: str | None = "org.apache.spark.ml.PipelineModel") -> tuple[Any, Any]:
    return SaveInstanceStart(path=path), SaveInstanceEnd(path=path, uid=uid, instance_class=kind)


def test_a_pipeline_of_the_jvm() -> None:
    start, end = jvm_save("file:/m", "p_1")
    stage = jvm_save("file:/m/stages/0_lr", "lr_1", "org.apache.spark.ml.classification.LogisticRegressionModel")
    transform = TransformStart(uid="p_1", columns=(X,)), TransformEnd(uid="p_1", columns=(X, PREDICTION))
    events = (*jvm_save("file:/p", "p_1", "org.apache.spark.ml.Pipeline"), *jvm_fit("p_1", "p_1", rows("file:/train")))
    assert headers(*events, start, *stage, end, *transform, *written(scored("file:/in"), "file:/out")) == [
        flow("file:/m", "path:file:/train", "pipeline:file:/p"),
        "path:file:/out <= model:file:/m, path:file:/in",
    ]


def test_a_pipeline_that_the_jvm_loads_is_one_model_with_its_stages() -> None:
    load = (
        LoadInstanceStart(path="file:/m", reader="1"),
        LoadInstanceStart(path="file:/m/stages/0_lr", reader="2"),
        LoadInstanceEnd(reader="2", uid="lr_1", instance_class="x.LogisticRegressionModel"),
        LoadInstanceEnd(reader="1", uid="p_1", instance_class="org.apache.spark.ml.PipelineModel"),
    )
    stage = TransformStart(uid="lr_1", columns=(X,)), TransformEnd(uid="lr_1", columns=(X, PREDICTION))
    assert headers(*load, *stage, *written(scored("file:/in"), "file:/out")) == [
        "path:file:/out <= model:file:/m, path:file:/in"
    ]


def test_save_reported_twice_is_one_outcome() -> None:
    began, ended = saved("file:/m")
    assert headers(fitted(), began, *jvm_save("file:/m", "lr_1"), ended) == [flow("file:/m", "path:file:/train")]


def test_end_without_a_start_has_no_outcome() -> None:
    alone = (
        FitEnd(uid="p", model="p", model_class="M"),
        TransformEnd(uid="p", columns=(PREDICTION,)),
        SaveInstanceEnd(path="file:/m", uid="p", instance_class="M"),
        LoadInstanceEnd(reader="9", uid="p", instance_class="M"),
        note("failed", "file:/m"),
        used(),
    )
    assert headers(*alone, *written(scored("file:/in"), "file:/out")) == ["path:file:/out <= path:file:/in"]


def test_saved_model_without_a_noted_fit_has_an_unknown_source() -> None:
    (process,) = meant(*jvm_save("file:/m", None, None))
    assert process.other_sources == ("a model whose fit was not seen",)


def test_a_note_of_another_kind_is_counted() -> None:
    actions = Actions(APPLICATION)
    assert headers(note("guessed"), actions=actions) == []
    assert actions.counts["note about a model not understood: guessed"] == 1


def test_memories_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ml, "MAX_MODELS", 3)
    memory = KnownModels()
    for number in range(1, 9):
        memory.add(KnownModel(uid=f"m{number}"), number, ())
    assert [number for number in range(1, 9) if memory.find(number, "")] == [6, 7, 8]
    actions = Actions(APPLICATION)
    columns = [Attribute(i, "p", "double", True) for i in range(MAX_COLUMNS + 5)]
    headers(fitted(), note("transformed", columns=columns, number=1, uid="lr_1"), actions=actions)
    assert len(actions._context.origins.models.columns) == MAX_COLUMNS
    for i in range(ml.MAX_STARTED + 5):
        headers(FitStart(uid=str(i), plan=rows("file:/train")), actions=actions)
    assert len(actions._context.origins.models._fits) == ml.MAX_STARTED
