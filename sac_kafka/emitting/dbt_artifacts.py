"""Read the artifacts of dbt's last run: each model and snapshot that it ran is a flow, as dbt's OpenLineage events state it.

Source: dbt's schemas of manifest.json (v4 to v12), run_results.json (v4 to v6) and catalog.json (v1).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sac_kafka.emitting.dbt_columns import query_lineage
from sac_kafka.emitting.dbt_names import ADAPTERS, DbtRun, attached_namespaces, namespace_of
from sac_kafka.emitting.stated_datasets import MAX_TEXT
from sac_kafka.emitting.stated_flows import StatingProcess, milliseconds
from sac_kafka.errors import FlowError
from sac_kafka.model import (
    APPENDED,
    REPLACED,
    Application,
    Column,
    Dataset,
    DatasetDescribed,
    Engine,
    Outcome,
    Process,
    RdbmsDataset,
    TableDataset,
)
from sac_kafka.model import Run as ProcessRun
from sac_kafka.names.jdbc_urls import name_parts
from sac_kafka.names.openlineage_names import LinkedName, dataset_of
from sac_kafka.openlineage.sql_text import mask_sql
from sac_kafka.settings.content import WORD
from sac_kafka.settings.declarations.choices import QueryText

_COMMANDS = frozenset({"build", "clone", "retry", "run", "snapshot"})
"""Commands whose results are runs of models. `docs generate` and `compile` write results of models that they do not run."""
_FLOWS = ("model", "snapshot")
_HAS_RELATION = ("model", "snapshot", "seed", "source")
_SUCCEEDED = ("success", "partial success")
_FAILED = ("error", "fail", "runtime error")
_REPLACED = ("table", "view")
_OF_SNAPSHOTS = ("dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to", "dbt_is_deleted")
MAX_BYTES = 512 * 1024 * 1024
_Json = Mapping[str, Any]


def read_project(
    directory: str,
    by: StatingProcess,
    skipped: Counter[str],
    namespace: str | None = None,
    profiles_dir: str | None = None,
) -> tuple[tuple[Outcome, ...], ...]:
    """Return the outcomes of each flow of dbt's last run.

    Args:
        directory: The directory of the artifacts.
        by: What states them.
        skipped: Counts what is no flow, by reason.
        namespace: The OpenLineage namespace of the database; None to derive it from profiles.yml.
        profiles_dir: The directory of profiles.yml; None for that of the run.

    Raises:
        FlowError: An artifact cannot be read, the last command ran no models, or the database is not known.
    """
    place = Path(directory)
    manifest, results = (_artifact(place / f"{name}.json") for name in ("manifest", "run_results"))
    catalog = _artifact(place / "catalog.json") if (place / "catalog.json").is_file() else {}
    arguments = _object(results.get("args"))
    command = str(arguments.get("which", ""))
    if command not in _COMMANDS:
        raise FlowError(
            f"{place / 'run_results.json'}: of dbt {command}, which runs no models; emit after dbt run, build or snapshot, "
            "before another command replaces the file"
        )
    adapter = str(_object(manifest.get("metadata")).get("adapter_type", ""))
    run = DbtRun(
        adapter=adapter,
        project=Path(str(arguments.get("project_dir") or place.absolute().parent)),
        profiles_dir=profiles_dir or str(arguments.get("profiles_dir") or ""),
        profile=str(arguments.get("profile") or ""),
        target=str(arguments.get("target") or ""),
    )
    attached = {} if namespace else attached_namespaces(run)
    project = _Project(manifest, catalog, namespace or namespace_of(run), attached, by)
    return tuple(_flows(project, results, skipped))


def _artifact(file: Path) -> _Json:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise FlowError(f"{file}: has more than {MAX_BYTES:,} bytes; check that it is an artifact of dbt")
        found = json.loads(file.read_bytes())
    except OSError as error:
        raise FlowError(f"{file}: {error.strerror}; run dbt, and name its target directory") from None
    except (ValueError, RecursionError):
        raise FlowError(f"{file}: not valid JSON; run dbt again") from None
    if not isinstance(found, dict) or not isinstance(found.get("metadata"), dict):
        raise FlowError(f"{file}: not an artifact of dbt; name dbt's target directory")
    return found


def _flows(project: _Project, results: _Json, skipped: Counter[str]) -> Iterator[tuple[Outcome, ...]]:
    for result in _objects(results.get("results")):
        node = str(result.get("unique_id", ""))
        kind, status = node.partition(".")[0], str(result.get("status", "")).lower()
        if kind not in _FLOWS:
            skipped[f"results of {kind}s, which are no flows"] += 1
        elif status not in (*_SUCCEEDED, *_FAILED):
            skipped[f"{kind}s {status or 'without a status'}"] += 1
        elif project.dataset(node) is None:
            skipped[f"{kind}s without a relation"] += 1
        else:
            yield (*project.descriptions(node), project.process(node, result, results))


class _Project:
    """The nodes of a project, as datasets and processes."""

    def __init__(
        self, manifest: _Json, catalog: _Json, namespace: str, attached: Mapping[str, str], by: StatingProcess
    ) -> None:
        self._nodes: dict[str, _Json] = {**_object(manifest.get("nodes")), **_object(manifest.get("sources"))}
        self._entries: dict[str, _Json] = {**_object(catalog.get("nodes")), **_object(catalog.get("sources"))}
        self._metadata = _object(manifest.get("metadata"))
        self._adapter = str(self._metadata.get("adapter_type", ""))
        self._dialect = ADAPTERS[self._adapter].dialect if self._adapter in ADAPTERS else ""
        self._namespace = namespace
        self._attached = attached
        self._by = by
        self._described: set[str] = set()
        self._datasets: dict[str, Dataset | None] = {}

    def dataset(self, node_id: str) -> Dataset | None:
        """Return the dataset of a node; None if it has no relation: tests, ephemeral models."""
        if node_id not in self._datasets:
            self._datasets[node_id] = self._dataset(node_id)
        return self._datasets[node_id]

    def _dataset(self, node_id: str) -> Dataset | None:
        node = self._nodes.get(node_id)
        if (
            node is None
            or node_id.partition(".")[0] not in _HAS_RELATION
            or _config(node, "materialized") == "ephemeral"
        ):
            return None
        table = node.get("identifier") or node.get("name") if node_id.startswith("source.") else node.get("alias")
        levels = [str(each) for each in (node.get("database"), node.get("schema"), table or node.get("name")) if each]
        found = self._named(levels, self.columns(node_id))
        if isinstance(found, (RdbmsDataset, TableDataset)):
            description, owner, _ = _description(node)
            return replace(found, comment=description or None, owner=owner or None)
        return found

    def _named(self, levels: list[str], columns: tuple[Column, ...] = ()) -> Dataset | None:
        namespace = self._namespace
        if len(levels) == 3 and (file := self._attached.get(levels[0].lower())) is not None:
            namespace, levels = file, levels[1:]
        name = ".".join(f'"{each}"' if "." in each else each for each in levels)
        return dataset_of(LinkedName(namespace, name), columns, self._by.patterns)

    def columns(self, node_id: str) -> tuple[Column, ...]:
        """Return the columns of a node, with the types of the catalog and the descriptions of the project."""
        columns = _object(self._entries.get(node_id, {}).get("columns"))
        listed = sorted(columns.values(), key=lambda each: int(each.get("index") or 0))
        stated = {name.lower(): each for name, each in _object(self._nodes[node_id].get("columns")).items()}
        names = [str(each["name"]) for each in listed] or [str(each.get("name", key)) for key, each in stated.items()]
        types = {str(each["name"]): str(each.get("type") or "") for each in listed}
        of = ((name, stated.get(name.lower(), {})) for name in names)
        return tuple(
            Column(
                name=name,
                type=types.get(name) or str(each.get("data_type") or ""),
                comment=str(each.get("description") or "")[:MAX_TEXT] or None,
            )
            for name, each in of
        )

    def inputs(self, node_id: str) -> dict[str, Dataset]:
        """Return the datasets that a node reads, by id; through ephemeral models."""
        found: dict[str, Dataset] = {}
        waiting, seen = [*_depends_on(self._nodes[node_id])], {node_id}
        while waiting:
            each = waiting.pop()
            if each in seen:
                continue
            seen.add(each)
            dataset = self.dataset(each)
            if dataset is not None:
                found[each] = dataset
            elif each in self._nodes:
                waiting += _depends_on(self._nodes[each])
        return found

    def descriptions(self, node_id: str) -> Iterator[Outcome]:
        """Yield the descriptions of a node and its inputs, each once."""
        for each in (*sorted(self.inputs(node_id)), node_id):
            dataset = self.dataset(each)
            description, owner, labels = _description(self._nodes[each])
            if each not in self._described and dataset is not None and (description or owner or labels):
                self._described.add(each)
                yield DatasetDescribed(dataset=dataset, description=description, owner=owner, labels=labels)

    def process(self, node_id: str, result: _Json, results: _Json) -> Process:
        """Return the process of a node that has run."""
        node, output, inputs = self._nodes[node_id], self.dataset(node_id), self.inputs(node_id)
        assert output is not None
        sql = (
            str(node.get("compiled_code") or node.get("compiled_sql") or "")
            if node.get("language", "sql") == "sql"
            else ""
        )
        by_name = {
            tuple(part.lower() for part in name_parts(_relation(self._nodes[each]))): d for each, d in inputs.items()
        }

        def table(name: str) -> Dataset | None:
            parts = tuple(part.lower() for part in name_parts(name))
            known = [d for own, d in by_name.items() if own[-len(parts) :] == parts]
            if len(known) == 1:
                return known[0]
            levels = len(name_parts(_relation(node)))
            return self._named([*name_parts(name)]) if not known and len(parts) == levels else None

        of_dbt = _config(node, "snapshot_meta_column_names") or {}
        meta = {*_OF_SNAPSHOTS, *map(str, of_dbt.values())} if node_id.startswith("snapshot.") else set()
        names = [each.name for each in self._catalog_columns(node_id) if each.name.lower() not in meta]
        lineage = query_lineage(sql, self._dialect, output, names, table)
        lineage = lineage.without(output.key)  # `this`: with it, the first run would be another process
        read = {each.key: each for each in (*lineage.tables, *inputs.values())}
        is_replaced = _config(node, "materialized") in _REPLACED and node_id.startswith("model.")
        row_level = {source for each in lineage.clauses for source in each.sources}
        return Process(
            application=self._application(node_id, results),
            run=self._run(result, sql),
            inputs=tuple(read[key] for key in sorted(read)),
            outputs=(output,),
            columns=lineage.columns,
            row_level=tuple(sorted(row_level, key=lambda each: (each.dataset, each.column, each.dependency.value))),
            clauses=lineage.clauses[:100],
            extent=REPLACED if is_replaced else APPENDED,
            gaps=lineage.gaps,
        )

    def _catalog_columns(self, node_id: str) -> tuple[Column, ...]:
        """Return the columns of a node if the catalog has them: a project may describe only some."""
        return self.columns(node_id) if node_id in self._entries else ()

    def _application(self, node_id: str, results: _Json) -> Application:
        metadata = _object(results.get("metadata"))
        invocation = str(metadata.get("invocation_id") or self._by.application_id)
        known = {
            "project": self._metadata.get("project_name"),
            "run_id": invocation,
            "dbt_node": node_id,
        }
        return Application(
            job=f"dbt {node_id}",
            application_id=invocation,
            name=f"dbt {node_id}",
            user=self._by.user,
            engine=Engine(name="dbt", version=str(metadata.get("dbt_version") or "")),
            facts=(*self._by.facts, *((name, str(text)) for name, text in known.items() if text)),
            is_job_chosen=True,
            labels=_description(self._nodes[node_id])[2],
        )

    def _run(self, result: _Json, sql: str) -> ProcessRun:
        timing = {str(each.get("name")): each for each in _objects(result.get("timing"))}
        executed = timing.get("execute", {})
        started, ended = (milliseconds(executed.get(key), key) for key in ("started_at", "completed_at"))
        rows = _object(result.get("adapter_response")).get("rows_affected")
        is_failed = str(result.get("status")).lower() in _FAILED
        if self._by.query_text is QueryText.MASKED and sql:
            sql = mask_sql(sql, self._dialect or self._adapter)
        return ProcessRun(
            execution_id=None,
            started_ms=started,
            ended_ms=ended,
            query_text=sql.strip() or None,
            failure="dbt error" if is_failed else None,
            rows_written=rows if isinstance(rows, int) and rows >= 0 else None,
        )


def _description(node: _Json) -> tuple[str, str, tuple[str, ...]]:
    """Return description, owner and labels of a node; a tag that is no word of Atlas is omitted."""
    owner = (_object(node.get("meta")) or _object(_config(node, "meta"))).get("owner") or ""
    owners = ", ".join(map(str, owner)) if isinstance(owner, list) else owner if isinstance(owner, str) else ""
    tags = node.get("tags") or ()
    labels = (str(each) for each in ([tags] if isinstance(tags, str) else tags) if re.fullmatch(WORD, str(each)))
    return str(node.get("description") or "")[:MAX_TEXT], owners[:MAX_TEXT], tuple(dict.fromkeys(labels))


def _relation(node: _Json) -> str:
    return str(node.get("relation_name") or "")


def _depends_on(node: _Json) -> list[str]:
    nodes = _object(node.get("depends_on")).get("nodes")
    return [str(each) for each in nodes] if isinstance(nodes, list) else []


def _config(node: _Json, key: str) -> Any:  # noqa: ANN401 a value of JSON
    return _object(node.get("config")).get(key)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> Iterator[_Json]:
    return (each for each in value if isinstance(each, dict)) if isinstance(value, list) else iter(())
