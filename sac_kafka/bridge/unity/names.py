"""Find out which job, notebook, pipeline, query or dashboard has run a statement, and name it as the hook does.

A name that cannot be read, for want of a right or because its bearer is gone, is replaced by the id, and counted once.
Sources: docs.databricks.com, REST interfaces of jobs (2.2), clusters, workspace, pipelines, queries and dashboards; Lineage
system tables reference (entity_metadata).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from sac_kafka.bridge.unity.workspace import DatabricksWorkspace, WorkspaceError
from sac_kafka.lineage.runs.identity import identity_of
from sac_kafka.masking import mask_text
from sac_kafka.model import Application
from sac_kafka.model.bounds import Bounded
from sac_kafka.plan.job_properties import (
    DATABRICKS_JOB,
    DATABRICKS_NOTEBOOK,
    DATABRICKS_RUN,
    DATABRICKS_TASK,
    DATABRICKS_USER,
)
from sac_kafka.unity.queries import LineageRow

NOT_NAMED = "named by the id, as the name cannot be read: "
STATEMENTS = "Databricks SQL"
"""The job of statements that belong to nothing, such as those of an editor or over JDBC."""
MAX_NAMES = 20_000
"""Identities that are remembered."""
_MAX_ANSWERS = 1_000
"""Answers that are remembered; one may describe a hundred tasks of a job."""
_MAX_PAGES = 20
_MAX_DIRECTORIES = 100
"""Directories that are listed to find the path of one notebook."""
_NOT_FOUND = frozenset({400, 403, 404})
"""Statuses of answers about something that is gone, or that the identity must not see."""
_HOOK = ("SAC_KAFKA_AUTO", "SAC_KAFKA_JAR")
_WITHOUT_JVM = frozenset({"USER_ISOLATION", "DATA_SECURITY_MODE_STANDARD"})
"""Access modes of clusters in which the hook cannot attach."""

_Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Runner:
    """What has run a statement. `has_hook`: on compute whose settings attach the hook, which reports the statement itself."""

    application: Application
    has_hook: bool = False


class _Entity(NamedTuple):
    """A kind of thing with a name: where it is read, and under which key."""

    kind: str
    path: str
    key: str


_PIPELINE = _Entity("pipeline", "/api/2.0/pipelines/", "name")
_QUERY = _Entity("query", "/api/2.0/sql/queries/", "display_name")
_DASHBOARD = _Entity("dashboard", "/api/2.0/lakeview/dashboards/", "display_name")
_OLD_DASHBOARD = _Entity("dashboard", "/api/2.0/preview/sql/dashboards/", "name")
_ENTITIES: tuple[tuple[_Entity, tuple[str, ...], str], ...] = (
    (_QUERY, ("sql_query_id",), "DBSQL_QUERY"),
    (_DASHBOARD, ("dashboard_id",), "DASHBOARD_V3"),
    (_OLD_DASHBOARD, ("legacy_dashboard_id",), "DBSQL_DASHBOARD"),
)


class WorkspaceNames:
    """The names of a workspace. Not thread-safe.

    Args:
        workspace: The workspace.
        workspace_id: Its id.
        counts: Counts what is named by its id.
    """

    def __init__(self, workspace: DatabricksWorkspace, workspace_id: str, counts: Counter[str]) -> None:
        self._workspace = workspace
        self._id = workspace_id
        self._counts = counts
        self._answers: Bounded[str, _Json | None] = Bounded(_MAX_ANSWERS)
        self._directories: Bounded[str, tuple[str, ...]] = Bounded(MAX_NAMES)
        self._notebooks: Bounded[str, str] = Bounded(MAX_NAMES)
        self._counted: Bounded[str, None] = Bounded(MAX_NAMES)

    def forget(self) -> None:
        """Forget all names, which may have changed."""
        self._answers.clear()
        self._notebooks.clear()
        self._directories.clear()

    def runner(self, row: LineageRow) -> Runner:
        """Return what has run the statement of a row.

        Raises:
            SacKafkaError: The workspace cannot be reached.
        """
        metadata = _object(row.metadata)
        pipeline = _text(metadata, "dlt_pipeline_info", "dlt_pipeline_id") or _of_type(row, "PIPELINE")
        if pipeline:
            return self._name_as(row, self._name(_PIPELINE, pipeline))
        job = _text(metadata, "job_info", "job_id") or _of_type(row, "JOB")
        notebook = _text(metadata, "notebook_id") or _of_type(row, "NOTEBOOK")
        if job:
            return self._job(row, job, _text(metadata, "job_info", "job_run_id"), notebook)
        if notebook:
            path = self._path_of_notebook(notebook, row.created_by)
            return self._by_platform(row, {DATABRICKS_NOTEBOOK: path}, f"notebook {notebook}")
        for entity, keys, kind in _ENTITIES:
            found = _text(metadata, *keys) or _of_type(row, kind)
            if found:
                return self._name_as(row, self._name(entity, found))
        return self._name_as(row, STATEMENTS)

    def ask(self, path: str) -> _Json | None:
        """Return the answer to a request; None if it is refused, or finds nothing. Raises as `runner` does."""
        try:
            return self._workspace.get(path)
        except WorkspaceError as error:
            if error.status not in _NOT_FOUND:
                raise
        return None

    def _get(self, path: str) -> _Json | None:
        """Return the answer to a request, which is remembered; otherwise as `ask`."""
        if path not in self._answers:
            self._answers[path] = self.ask(path)
        return self._answers[path]

    # ---- jobs

    def _job(self, row: LineageRow, job: str, run: str, notebook: str) -> Runner:
        """Return a task of a job: that of its notebook, or the only one."""
        settings = self._settings_of_job(job)
        if settings is None:
            name, tasks = self._name_of_run(run), []
            if not name:
                self._count("job", job)
        else:
            name, tasks = str(settings.get("name") or ""), [*_objects(settings.get("tasks"))]
        task, path = self._task(tasks, notebook)
        known = {
            DATABRICKS_JOB: job,
            DATABRICKS_RUN: run,
            DATABRICKS_TASK: _text(task, "task_key"),
            DATABRICKS_NOTEBOOK: path,
        }
        if name:
            known["spark.databricks.clusterUsageTags.clusterAllTags"] = json.dumps([{"key": "RunName", "value": name}])
        runner = self._by_platform(row, known, f"job {job}")
        used = [task] if task else tasks
        is_hooked = not row.statement_id and bool(used) and all(self._has_hook(each, settings or {}) for each in used)
        return replace(runner, has_hook=is_hooked)

    def _settings_of_job(self, job: str) -> _Json | None:
        """Return the settings of a job with the tasks of all pages."""
        query, pages = {"job_id": job}, []
        for _ in range(_MAX_PAGES):
            answer = self._get(f"/api/2.2/jobs/get?{urlencode(query)}")
            if answer is None:
                return None
            pages.append(answer)
            if not _text(answer, "next_page_token"):
                break
            query = {"job_id": job, "page_token": _text(answer, "next_page_token")}
        lists = {
            key: [each for page in pages for each in _objects((page.get("settings") or {}).get(key))]
            for key in ("tasks", "job_clusters")
        }
        return {**(pages[0].get("settings") or {}), **lists}

    def _name_of_run(self, run: str) -> str:
        """Return the name of a one-time run, which has no job."""
        answer = self._get(f"/api/2.2/jobs/runs/get?{urlencode({'run_id': run})}") if run else None
        return _text(answer or {}, "run_name")

    def _task(self, tasks: list[_Json], notebook: str) -> tuple[_Json, str]:
        """Return the task that has run a notebook, with its path, or the only task of the job; {} if that is not known."""
        for task in tasks if notebook else ():
            path = _text(task, "notebook_task", "notebook_path")
            if path.startswith("/"):
                status = self._get(f"/api/2.0/workspace/get-status?{urlencode({'path': path})}")
                if status is not None and str(status.get("object_id")) == notebook:
                    return task, path.removeprefix("/Workspace")
        return (tasks[0] if len(tasks) == 1 else {}), ""

    def _has_hook(self, task: _Json, settings: _Json) -> bool:
        """Return whether the cluster of a task attaches the hook, as `sac-kafka databricks` sets it up."""
        cluster: _Json | None = task.get("new_cluster")
        if key := _text(task, "job_cluster_key"):
            clusters = _objects(settings.get("job_clusters"))
            cluster = next((each.get("new_cluster") for each in clusters if each.get("job_cluster_key") == key), None)
        elif existing := _text(task, "existing_cluster_id"):
            cluster = self._get(f"/api/2.1/clusters/get?{urlencode({'cluster_id': existing})}")
        if not isinstance(cluster, Mapping) or cluster.get("data_security_mode") in _WITHOUT_JVM:
            return False
        variables = cluster.get("spark_env_vars") or {}
        return any(str(variables.get(name)) == "1" for name in _HOOK)

    # ---- others

    def _path_of_notebook(self, notebook: str, user: str) -> str:
        """Return the path of a notebook, which no interface returns: the user's directories and the shared ones are listed."""
        waiting = [*([f"/Users/{user}"] if "@" in user else []), "/Shared"]
        for _ in range(_MAX_DIRECTORIES):
            if notebook in self._notebooks or not waiting:
                break
            waiting += self._list(waiting.pop(0))
        if notebook not in self._notebooks:
            self._count("notebook", notebook)
        return self._notebooks.get(notebook, "")

    def _list(self, directory: str) -> tuple[str, ...]:
        """Note the notebooks in a directory; return the directories in it."""
        if directory not in self._directories:
            answer = self.ask(f"/api/2.0/workspace/list?{urlencode({'path': directory})}") or {}
            objects = [*_objects(answer.get("objects"))]
            for each in objects:
                if each.get("object_type") == "NOTEBOOK":
                    self._notebooks[str(each.get("object_id"))] = _text(each, "path")
            below = (_text(each, "path") for each in objects if each.get("object_type") in {"DIRECTORY", "REPO"})
            self._directories[directory] = tuple(below)
        return self._directories[directory]

    def _name(self, entity: _Entity, identity: str) -> str:
        name = _text(self._get(entity.path + quote(identity, safe="")) or {}, entity.key)
        if not name:
            self._count(entity.kind, identity)
        return f"{entity.kind} {name or identity}"

    def _count(self, kind: str, identity: str) -> None:
        if (seen := f"{kind} {identity}") not in self._counted:
            self._counted[seen] = None
            self._counts[f"{NOT_NAMED}{kind}"] += 1

    # ---- applications

    def _by_platform(self, row: LineageRow, known: Mapping[str, str], otherwise: str) -> Runner:
        """Return the application that the hook derives from the properties that Databricks sets in a driver."""
        identity = identity_of({**known, **self._of_all(row)}, {})
        return Runner(_application(row, identity.job or otherwise, identity.facts))

    def _name_as(self, row: LineageRow, job: str) -> Runner:
        return Runner(_application(row, mask_text(job), identity_of(self._of_all(row), {}).facts))

    def _of_all(self, row: LineageRow) -> Mapping[str, str]:
        return {
            "spark.databricks.workspaceUrl": self._workspace.host,
            "spark.databricks.clusterUsageTags.clusterOwnerOrgId": self._id,
            DATABRICKS_USER: row.created_by,
        }


def _application(row: LineageRow, job: str, facts: tuple[tuple[str, str], ...]) -> Application:
    run = () if "run_id" in dict(facts) or not row.entity_run_id else (("run_id", row.entity_run_id),)
    return Application(
        job=job,
        application_id=row.entity_run_id or row.flow_key,
        name=job,
        user=row.created_by,
        facts=(*facts, *run),
        is_job_chosen=True,
    )


def _of_type(row: LineageRow, kind: str) -> str:
    return row.entity_id if row.entity_type == kind else ""


def _object(text: str) -> _Json:
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _objects(value: object) -> Iterator[_Json]:
    yield from (each for each in value if isinstance(each, dict)) if isinstance(value, list) else ()


def _text(value: _Json, *path: str) -> str:
    found: object = value
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return str(found).strip() if isinstance(found, (str, int)) else ""
