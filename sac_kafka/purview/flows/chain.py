"""Build the owners of a process: workspace → job and notebook → task → process, the path by which users find it.

Databricks types are built into every account, and a process without a task or notebook is hard to find there. Purview has no
such types for Synapse, Fabric and other platforms; there the name of a process is derived from the platform and the job.

Source: the types `databricks_*` as used by public solutions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from sac_kafka.atlas.datasets.description import UNKNOWN
from sac_kafka.atlas.limits import DATASET_LIMIT, PART_LIMIT, shorten
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, known
from sac_kafka.model import Application
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.naming_context import FABRIC_PORTAL, NamingContext
from sac_kafka.settings.declarations.choices import ProcessTypes

_DATABRICKS, _SYNAPSE, _FABRIC = "databricks", "synapse", "fabric"
APPLICATION = "sac_kafka_application"
_WITHOUT_OWNER = {
    "databricks_process": "azure_synapse_operation",
    "sac_kafka_databricks_process": "sac_kafka_process",
}
"""For process types that require an owner, the type to use without one."""


@dataclass(frozen=True, slots=True)
class Chain:
    """Type, name prefix and owners of the processes of an application.

    Attributes:
        stem: Prefix of the qualified names of processes.
        type_name: Type of the processes.
        entities: Owners, the topmost first; sent with the process.
        references: Reference attributes of the process to its owners.
    """

    stem: str
    type_name: str
    entities: tuple[AtlasEntity, ...] = ()
    references: Mapping[str, AtlasObjectId] = field(default_factory=dict)

    @property
    def has_plan(self) -> bool:
        """True if the built-in type has an attribute for the plan."""
        return self.type_name == "databricks_process"


def chain(application: Application, naming_context: NamingContext, types: ProcessTypes) -> Chain:
    """Return the chain of an application, as far as the driver knows its platform."""
    facts = dict(application.facts)
    is_own = types is ProcessTypes.OWN
    if naming_context.workspace_host and facts.get("platform") == _DATABRICKS:
        found = _databricks(application, facts, naming_context.workspace_host, is_own=is_own)
        if found is not None:
            return found
    stem = _stem(application, facts, naming_context)
    if not is_own:
        return Chain(stem, "azure_synapse_operation")
    job = _entity(
        APPLICATION,
        stem,
        application.job,
        platform=facts.get("platform"),
        workspace=facts.get("workspace"),
        notebook=facts.get("notebook"),
        user=application.user,
    )
    return Chain(stem, "sac_kafka_process", (job,), {"application": job.id})


def chain_of_view(chain: Chain, view: Asset) -> Chain:
    """Return the chain of a view's definition: the view itself, as the definition does not depend on who reads or creates it.

    It has no notebook or task, so a type that requires one is replaced.
    """
    return Chain(view.qualified_name, _WITHOUT_OWNER.get(chain.type_name, chain.type_name))


def _stem(application: Application, facts: Mapping[str, str], naming_context: NamingContext) -> str:
    """Return the name prefix without Databricks owners: the platform and the job name, which is stable across runs."""
    # surrogatepass: Java strings may contain unpaired surrogates, which must not raise an error.
    job = quote(shorten(application.job, PART_LIMIT), safe=" ()[],;@+$!'=&~.:-_", errors="surrogatepass")
    if naming_context.workspace_host and facts.get("platform") == _DATABRICKS:
        return f"databricks://{naming_context.workspace_host}/applications/{job}"
    if facts.get("platform") == _FABRIC and naming_context.fabric_workspace:
        return f"{FABRIC_PORTAL}/{naming_context.fabric_workspace}/spark/{job}"
    if facts.get("platform") == _SYNAPSE and (workspace := facts.get("workspace")):
        return f"https://{workspace.lower()}.dev.azuresynapse.net/spark/{job}"
    return f"spark://{naming_context.namespace}/{job}"


# ---- Databricks


def _databricks(application: Application, facts: Mapping[str, str], host: str, *, is_own: bool) -> Chain | None:
    """Return the chain on Databricks; None if neither job nor notebook is known, as its process type requires one."""
    process_type = "sac_kafka_databricks_process" if is_own else "databricks_process"
    workspace = _entity("databricks_workspace", f"databricks://{host}", host)
    notebook = _notebook(application, facts, workspace)
    notebooks = () if notebook is None else (notebook,)
    if facts.get("job_id"):
        job, task = _job_and_task(application, facts, workspace, notebook)
        return Chain(task.id.qualified_name, process_type, (workspace, *notebooks, job, task), {"task": task.id})
    if notebook is None:
        return None
    return Chain(notebook.id.qualified_name, process_type, (workspace, notebook), {"task": notebook.id})


def _notebook(application: Application, facts: Mapping[str, str], workspace: AtlasEntity) -> AtlasEntity | None:
    path = facts.get("notebook", "").strip("/")
    if not path:
        return None
    return _entity(
        "databricks_notebook",
        f"{workspace.id.qualified_name}/notebooks/{path}",
        path.rpartition("/")[2],
        {"workspace": workspace.id},
        clusterName=facts.get("cluster"),
        sparkVersion=application.engine.version,
        user=facts.get("platform_user") or application.user,
    )


def _job_and_task(
    application: Application, facts: Mapping[str, str], workspace: AtlasEntity, notebook: AtlasEntity | None
) -> tuple[AtlasEntity, AtlasEntity]:
    job_id = facts["job_id"]
    numeric_id = int(job_id) if job_id.isdecimal() else None
    # Data Factory submits a new job for each run, so only the name without the run is stable.
    job_name = application.job.partition("/")[0]
    key = job_id if facts.get("parent") != "adf" else _name(job_name)
    job = _entity(
        "databricks_job",
        f"{workspace.id.qualified_name}/jobs/{key}",
        job_name,
        {"workspace": workspace.id},
        jobId=numeric_id,
        creatorUserName=facts.get("platform_user"),
    )
    name = str(facts.get("task") or (notebook.attributes["name"] if notebook is not None else application.job))
    common = {"jobId": numeric_id, "clusterId": facts.get("cluster_id"), "sparkVersion": application.engine.version}
    stem = f"{job.id.qualified_name}/tasks/{_name(name)}"
    if notebook is not None:
        path = f"/{facts['notebook'].strip('/')}"
        references = {"job": job.id, "notebook": notebook.id}
        return job, _entity("databricks_notebook_task", stem, name, references, notebookPath=path, **common)
    python = {"pythonFile": facts.get("script") or UNKNOWN}
    return job, _entity("databricks_python_task", stem, name, {"job": job.id}, **python, **common)


def _name(text: str) -> str:
    return shorten(text, PART_LIMIT)


def _entity(
    type_name: str,
    qualified_name: str,
    name: str,
    owners: Mapping[str, AtlasObjectId] | None = None,
    **attributes: str | int | None,
) -> AtlasEntity:
    owners = owners or {}
    return AtlasEntity(
        id=AtlasObjectId(type_name, shorten(qualified_name, DATASET_LIMIT)),
        attributes={
            "name": _name(name),
            **known(**{key: _name(value) if isinstance(value, str) else value for key, value in attributes.items()}),
        },
        references=owners,
        # Purview resolves a relationship by its attribute; the names of its relationships are not documented.
        relationships=dict.fromkeys(owners, ""),
    )
