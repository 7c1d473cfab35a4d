"""List the platforms that run jobs, with the keys under which each describes the job. For what starts jobs, see `parents`.

A key is a Spark property or, with the prefix `env:`, an environment variable of the driver. Only keys listed here are ever
read, so that nothing else can be published. The source of the keys is given with each platform. The project has not been
tested on any of these platforms; facts that are missing are simply not reported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sac_kafka.plan.job_properties import (
    DATABRICKS_JOB,
    DATABRICKS_NOTEBOOK,
    DATABRICKS_RUN,
    DATABRICKS_TASK,
    DATABRICKS_TASK_RUN,
    DATABRICKS_USER,
    FABRIC_ITEM,
    FABRIC_ITEM_NAME,
    JOB_GROUP,
    SYNAPSE_ACTIVITY,
    SYNAPSE_ACTIVITY_RUN,
    SYNAPSE_NOTEBOOK,
    SYNAPSE_PIPELINE_RUN,
    SYNAPSE_RUN,
)

Lookup = Callable[[str], str]
"""Return the value of a key, "" if it has none."""
ReadFacts = Callable[[Lookup], Mapping[str, str]]
"""Return facts that no key holds by itself; raise ValueError with the key if a value cannot be parsed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """A platform, or a scheduler above it.

    Attributes:
        name: Its name in messages.
        documented: The pages that document the keys.
        signs: Keys of which any identifies the platform.
        facts: For each fact the keys that may hold it; the first with a value is used.
        names: Templates of job names, best first; the first whose facts are all known is used. Without templates, the
            application's own name is used.
        reads: Keys that `read` uses.
        read: Returns further facts.
    """

    name: str
    documented: tuple[str, ...]
    signs: tuple[str, ...]
    facts: Mapping[str, tuple[str, ...]]
    names: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    read: ReadFacts = field(default=lambda _: {})

    @property
    def keys(self) -> frozenset[str]:
        """All keys that are ever read."""
        return frozenset((*self.signs, *self.reads, *(key for keys in self.facts.values() for key in keys)))


# ---- Databricks

_TAGS = "spark.databricks.clusterUsageTags.clusterAllTags"
_CLUSTER = "spark.databricks.clusterUsageTags.clusterName"
_MAX_TAGS_CHARACTERS = 200_000
_JOB_CLUSTER = re.compile(r"job-(?P<job_id>\d{1,20})-run-(?P<run_id>\d{1,20})(?:-|\Z)")
_JOB_GROUP = re.compile(r"_job-(?P<job_id>\d{1,20})-run-(?P<task_run_id>\d{1,20})-action-")
_OF_DATA_FACTORY = re.compile(
    r"ADF_.{1,300}_(?P<run>[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})"
)


def _databricks(value: Lookup) -> Mapping[str, str]:
    tags = _tags(value(_TAGS))
    by_cluster = _JOB_CLUSTER.match(value(_CLUSTER) or tags.get("ClusterName", ""))
    by_group = _JOB_GROUP.search(value(JOB_GROUP)[:1000])
    of_data_factory = _OF_DATA_FACTORY.fullmatch(tags.get("RunName", ""))
    return {
        "job": tags.get("RunName", ""),
        "job_id": tags.get("JobId", ""),
        "cluster_id": tags.get("ClusterId", ""),
        **(by_group.groupdict() if by_group else {}),
        **(by_cluster.groupdict() if by_cluster else {}),
        **({"parent": "adf", "parent_run_id": of_data_factory["run"]} if of_data_factory else {}),
    }


def _tags(text: str) -> Mapping[str, str]:
    """Return the tags of a cluster: a JSON list of objects with a key and a value.

    Raises:
        ValueError: The text has another form or is too long.
    """
    if not text:
        return {}
    try:
        tags = json.loads(text) if len(text) <= _MAX_TAGS_CHARACTERS else None
    except (ValueError, RecursionError):
        tags = None
    if not isinstance(tags, list):
        raise ValueError(_TAGS)
    pairs = (tag for tag in tags if isinstance(tag, dict))
    return {pair["key"]: pair["value"] for pair in pairs if _is_text(pair.get("key")) and _is_text(pair.get("value"))}


def _is_text(value: object) -> bool:
    return isinstance(value, str)


DATABRICKS = Platform(
    name="databricks",
    documented=(
        "docs.databricks.com, Use tags to attribute and track usage (RunName, JobId, ClusterId, ClusterName)",
        "docs.databricks.com, Init scripts, environment variables (DB_*, DATABRICKS_RUNTIME_VERSION)",
        "OpenLineage, DatabricksEnvironmentFacetBuilder (notebook.path, job.id, job.runId, user: properties of a thread's jobs)",
        "dd-trace-java, AbstractDatadogSparkListener (job.parentRunId, spark.jobGroup.id, job-<id>-run-<id> of job clusters)",
        "no documentation: spark.databricks.job.taskKey, seen in public code",
    ),
    signs=("spark.databricks.workspaceUrl", _TAGS, _CLUSTER, "env:DATABRICKS_RUNTIME_VERSION"),
    facts={
        "workspace": ("spark.databricks.workspaceUrl",),
        "workspace_id": (
            "spark.databricks.clusterUsageTags.clusterOwnerOrgId",
            "spark.databricks.clusterUsageTags.orgId",
        ),
        "job_id": (DATABRICKS_JOB,),
        "run_id": (DATABRICKS_RUN,),
        "task": (DATABRICKS_TASK,),
        "task_run_id": (DATABRICKS_TASK_RUN,),
        "notebook": (DATABRICKS_NOTEBOOK,),
        "cluster": (_CLUSTER, "env:DB_CLUSTER_NAME"),
        "cluster_id": ("spark.databricks.clusterUsageTags.clusterId", "env:DB_CLUSTER_ID"),
        "runtime": ("env:DATABRICKS_RUNTIME_VERSION",),
        "platform_user": (DATABRICKS_USER,),
    },
    # A job's number comes last: each one-time run has a new job number.
    names=("{job}/{task}", "{job}/{notebook}", "{job}", "{notebook}", "job {job_id}/{task}", "job {job_id}"),
    reads=(_TAGS, _CLUSTER, JOB_GROUP),
    read=_databricks,
)

# ---- Microsoft

_POOL, _APPLICATION = "spark.synapse.pool.name", "spark.app.name"
_OF_A_PIPELINE = {
    "parent_run_id": (SYNAPSE_PIPELINE_RUN,),
    "parent_task": (SYNAPSE_ACTIVITY,),
    "task_run_id": (SYNAPSE_ACTIVITY_RUN,),
}


def _fabric(value: Lookup) -> Mapping[str, str]:
    return {"parent": "pipeline"} if value(SYNAPSE_PIPELINE_RUN) else {}


def _synapse(value: Lookup) -> Mapping[str, str]:
    """Return facts of Synapse, where Studio names an application `<notebook or job definition>_<pool>_<session number>`."""
    pool, name = value(_POOL), value(_APPLICATION)
    called, separator, number = name.rpartition(f"_{pool}_") if pool else ("", "", "")
    return {**_fabric(value), "job": called if separator and number.isdecimal() else ""}


FABRIC = Platform(
    name="fabric",
    documented=(
        "learn.microsoft.com, NotebookUtils runtime utilities (the same facts; the keys are those of public notebooks)",
        "DataHub, fabricNotebookFlowNames (trident.artifact.id, trident.artifact.name, <notebook>_<session> as application)",
    ),
    signs=(
        "trident.workspace.id",
        FABRIC_ITEM,
        "trident.artifact.workspace.id",
        "spark.hadoop.trident.workspace.id",
    ),
    facts={
        "workspace": ("trident.workspace.name",),
        "workspace_id": (
            "trident.artifact.workspace.id",
            "trident.workspace.id",
            "spark.hadoop.trident.workspace.id",
        ),
        "job": (FABRIC_ITEM_NAME,),
        "job_id": (FABRIC_ITEM,),
        "notebook": (SYNAPSE_NOTEBOOK,),
        "lakehouse": ("trident.lakehouse.name",),
        "lakehouse_id": ("trident.lakehouse.id",),
        **_OF_A_PIPELINE,
    },
    names=("{job}", "{notebook}"),
    reads=(SYNAPSE_PIPELINE_RUN,),
    read=_fabric,
)

SYNAPSE = Platform(
    name="synapse",
    documented=(
        "learn.microsoft.com, Microsoft Spark Utilities, runtime context (the same facts)",
        "synapse-spark job definitions, public samples (spark.synapse.pool.name, spark.synapse.workspace.name)",
        "no documentation: spark.synapse.context.*, set by pipelines and seen in the sessions' own listing (Livy)",
    ),
    signs=("spark.synapse.workspace.name", _POOL),
    facts={
        "workspace": ("spark.synapse.workspace.name",),
        "cluster": (_POOL,),
        "notebook": (SYNAPSE_NOTEBOOK,),
        "run_id": (SYNAPSE_RUN,),
        **_OF_A_PIPELINE,
    },
    names=("{notebook}", "{job}"),
    reads=(_POOL, _APPLICATION, SYNAPSE_PIPELINE_RUN),
    read=_synapse,
)

# ---- Amazon

_STEP = re.compile(r"/steps/(s-[0-9A-Z]{8,30})(?:/|\Z)")


def _emr(value: Lookup) -> Mapping[str, str]:
    """Return the step of EMR whose directory `/mnt/var/lib/hadoop/steps/s-…` the driver runs in."""
    step = _STEP.search(value("env:PWD")[-500:])
    return {"run_id": step[1]} if step else {}


GLUE = Platform(
    name="glue",
    documented=(
        "docs.aws.amazon.com/glue, data lineage in SageMaker (spark.glue.JOB_NAME, GLUE_VERSION)",
        "docs.datadoghq.com, AWS Glue (spark.glue.JOB_RUN_ID)",
    ),
    signs=("spark.glue.JOB_NAME", "spark.glue.JOB_RUN_ID", "env:GLUE_VERSION"),
    facts={
        "job": ("spark.glue.JOB_NAME",),
        "run_id": ("spark.glue.JOB_RUN_ID",),
        "runtime": ("env:GLUE_VERSION",),
    },
    names=("{job}",),
)

EMR_SERVERLESS = Platform(
    name="emr-serverless",
    documented=("opensearch-spark and datadog, which read them (SERVERLESS_EMR_*); no key has a job run's name",),
    signs=("env:SERVERLESS_EMR_JOB_ID", "env:SERVERLESS_EMR_VIRTUAL_CLUSTER_ID"),
    facts={"run_id": ("env:SERVERLESS_EMR_JOB_ID",), "cluster_id": ("env:SERVERLESS_EMR_VIRTUAL_CLUSTER_ID",)},
)

_EKS = "spark.kubernetes.driver.label.emr-containers.amazonaws.com"

EMR_ON_EKS = Platform(
    name="emr-on-eks",
    documented=("docs.aws.amazon.com/emr, EMR on EKS, cost allocation (labels emr-containers.amazonaws.com/…)",),
    signs=(f"{_EKS}/job.id", f"{_EKS}/virtual-cluster-id"),
    facts={"run_id": (f"{_EKS}/job.id",), "cluster_id": (f"{_EKS}/virtual-cluster-id",)},
)

EMR = Platform(
    name="emr",
    documented=(
        "EMR 7, spark-env.sh (EMR_CLUSTER_ID, EMR_RELEASE_LABEL)",
        "OpenLineage users, the directory of a step",
    ),
    signs=("env:EMR_CLUSTER_ID", "env:EMR_STEP_ID"),
    facts={
        "run_id": ("env:EMR_STEP_ID",),
        "cluster_id": ("env:EMR_CLUSTER_ID",),
        "runtime": ("env:EMR_RELEASE_LABEL",),
    },
    reads=("env:PWD",),
    read=_emr,
)

# ---- Google, Cloudera

YARN_TAGS = "spark.yarn.tags"
"""Key of the YARN tags, to which those who submit jobs add an id."""


def tag_of(tags: str, prefix: str) -> str:
    """Return what follows a prefix in one of YARN's tags."""
    named = (tag.strip() for tag in tags[:10_000].split(","))
    return next((tag.removeprefix(prefix) for tag in named if tag.startswith(prefix)), "")


DATAPROC = Platform(
    name="dataproc",
    documented=(
        "OpenLineage, GCPUtils (dataproc_job_… in spark.yarn.tags; batches and sessions are known to the metadata server "
        "only, which is never queried)",
        "google-cloud-dataproc, Spark Connect client (DATAPROC_WORKLOAD_TYPE), images (DATAPROC_IMAGE_VERSION)",
    ),
    signs=("env:DATAPROC_IMAGE_VERSION", "env:DATAPROC_WORKLOAD_TYPE"),
    facts={"runtime": ("env:DATAPROC_IMAGE_VERSION",), "workload": ("env:DATAPROC_WORKLOAD_TYPE",)},
    reads=(YARN_TAGS,),
    read=lambda value: {"run_id": tag_of(value(YARN_TAGS), "dataproc_job_")},
)

CLOUDERA = Platform(
    name="cloudera",
    documented=("docs.cloudera.com/machine-learning, Engine environment variables (Data Engineering documents none)",),
    signs=("env:CDSW_ENGINE_ID", "env:CDSW_PROJECT"),
    facts={
        "workspace": ("env:CDSW_DOMAIN",),
        "project": ("env:CDSW_PROJECT",),
        "run_id": ("env:CDSW_ENGINE_ID",),
    },
)

PLATFORMS = (DATABRICKS, FABRIC, SYNAPSE, GLUE, EMR_SERVERLESS, EMR_ON_EKS, EMR, DATAPROC, CLOUDERA)
"""Platforms in order of precedence: Fabric also sets some of Synapse's keys."""
