"""What a process belongs to: the chain that a user of Purview walks down, workspace → job and notebook → task → process.

Databricks' own types are built into every account, and a process without a task or notebook is hard to find there. What
Synapse, Fabric and others have is no chain of types that could be joined; their processes are named by what the platform
says of the job.

Source: the types `databricks_*` as public solutions fill them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from sac_kafka.atlas.datasets.description import UNKNOWN
from sac_kafka.atlas.limits import DATASET_LIMIT, PART_LIMIT, shortened
from sac_kafka.atlas.model import AtlasEntity, AtlasObjectId, known
from sac_kafka.config.choices import ProcessTypes
from sac_kafka.lineage.model import Application
from sac_kafka.purview.asset import Asset
from sac_kafka.purview.naming_context import NamingContext

_DATABRICKS, _SYNAPSE, _FABRIC = "databricks", "synapse", "fabric"
APPLICATION = "sac_kafka_application"
_WITHOUT_OWNER = {
    "databricks_process": "azure_synapse_operation",
    "sac_kafka_databricks_process": "sac_kafka_process",
}
"""Types of processes that need belong to nothing, for those that must."""


@dataclass(frozen=True, slots=True)
class Chain:
    """What a process of an application belongs to.

    `entities` are sent with it, owners first. `stem` is what its name begins with, `type_name` its type, `references` are
    how it names what it belongs to.
    """

    stem: str
    type_name: str
    entities: tuple[AtlasEntity, ...] = ()
    references: Mapping[str, AtlasObjectId] = field(default_factory=dict)

    @property
    def has_plan(self) -> bool:
        """True where the type, a built-in one, has an attribute for the plan."""
        return self.type_name == "databricks_process"


def chain(application: Application, naming_context: NamingContext, types: ProcessTypes) -> Chain:
    """The chain of an application, as far as its driver knows it."""
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


def of_view(of: Chain, view: Asset) -> Chain:
    """What the definition of a view belongs to: the view, as it is the same whoever reads or makes it.

    So it has no notebook and no task, and not the type of a process that must have one.
    """
    return Chain(view.qualified_name, _WITHOUT_OWNER.get(of.type_name, of.type_name))


def _stem(application: Application, facts: Mapping[str, str], naming_context: NamingContext) -> str:
    """What names the job outside of Databricks: where it runs, and its name, which stays the same from run to run."""
    # surrogatepass: Java's strings may hold half a pair, and a name must never be the reason of an error.
    job = quote(shortened(application.job, PART_LIMIT), safe=" ()[],;@+$!'=&~.:-_", errors="surrogatepass")
    if naming_context.workspace_host and facts.get("platform") == _DATABRICKS:
        return f"databricks://{naming_context.workspace_host}/applications/{job}"
    if facts.get("platform") == _FABRIC and naming_context.fabric_workspace:
        return f"https://app.fabric.microsoft.com/groups/{naming_context.fabric_workspace}/spark/{job}"
    if facts.get("platform") == _SYNAPSE and (workspace := facts.get("workspace")):
        return f"https://{workspace.lower()}.dev.azuresynapse.net/spark/{job}"
    return f"spark://{naming_context.namespace}/{job}"


# ---- Databricks


def _databricks(application: Application, facts: Mapping[str, str], host: str, *, is_own: bool) -> Chain | None:
    """None where neither job nor notebook is known: Databricks' process must belong to one of them."""
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
        sparkVersion=application.spark_version,
        user=facts.get("platform_user") or application.user,
    )


def _job_and_task(
    application: Application, facts: Mapping[str, str], workspace: AtlasEntity, notebook: AtlasEntity | None
) -> tuple[AtlasEntity, AtlasEntity]:
    job_id = facts["job_id"]
    number_of = int(job_id) if job_id.isdecimal() else None
    # A job of Data Factory is submitted for one run and has a new number each time; its name, without the run, stays.
    called = application.job.partition("/")[0]
    number = job_id if facts.get("parent") != "adf" else _name(called)
    job = _entity(
        "databricks_job",
        f"{workspace.id.qualified_name}/jobs/{number}",
        called,
        {"workspace": workspace.id},
        jobId=number_of,
        creatorUserName=facts.get("platform_user"),
    )
    key = facts.get("task") or (notebook.attributes["name"] if notebook is not None else application.job)
    name = str(key)
    common = {"jobId": number_of, "clusterId": facts.get("cluster_id"), "sparkVersion": application.spark_version}
    stem = f"{job.id.qualified_name}/tasks/{_name(name)}"
    if notebook is not None:
        path = f"/{facts['notebook'].strip('/')}"
        references = {"job": job.id, "notebook": notebook.id}
        return job, _entity("databricks_notebook_task", stem, name, references, notebookPath=path, **common)
    python = {"pythonFile": facts.get("script") or UNKNOWN}
    return job, _entity("databricks_python_task", stem, name, {"job": job.id}, **python, **common)


def _name(text: str) -> str:
    return shortened(text, PART_LIMIT)


def _entity(
    type_name: str,
    qualified_name: str,
    name: str,
    owners: Mapping[str, AtlasObjectId] | None = None,
    **attributes: str | int | None,
) -> AtlasEntity:
    owners = owners or {}
    return AtlasEntity(
        id=AtlasObjectId(type_name, shortened(qualified_name, DATASET_LIMIT)),
        attributes={
            "name": _name(name),
            **known(**{key: _name(value) if isinstance(value, str) else value for key, value in attributes.items()}),
        },
        references=owners,
        # The account knows its own relationships by the attribute; their names are nowhere documented.
        relationships=dict.fromkeys(owners, ""),
    )
