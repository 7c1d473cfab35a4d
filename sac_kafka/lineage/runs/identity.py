"""Identify the job as its platform does: by a name that stays the same from run to run, and facts of this run.

Pure: takes Spark's configuration and the environment. The platforms are in `platforms`. A name that unrelated jobs share, or
that changes from run to run and so creates new flows each time, is warned about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter

from sac_kafka.lineage.runs.platforms import PLATFORMS, YARN_TAGS, Lookup, Platform, tag_of
from sac_kafka.masking import mask_text
from sac_kafka.names.job_names import without_run_specifics
from sac_kafka.names.paths import without_run
from sac_kafka.plan.job_properties import JOB_GROUP, note_of

SHARED = (
    "pyspark-shell",
    "pysparkshell",
    "spark-shell",
    "spark shell",
    "sparkr",
    "sparkr-shell",
    "spark-sql",
    "databricks shell",
    "databricks-connect",
    "zeppelin",
    "jupyter",
    "ipython",
    "notebook",
    "livy",
    "thrift jdbc/odbc server",
    "spark connect server",
)
"""Default application names of shells, notebooks and servers, in lower case; a number or an id may follow."""

_NUMBERED = re.compile(r"(?:^|[\W_])(?:run|attempt|build|batch|try|execution)[ _.:#=-]{0,2}\d+(?!\d)", re.IGNORECASE)
SET_A_NAME = (
    "set a name: --conf spark.atlas.hook.spark.job.name=daily_orders, "
    "or in Python attach(spark, job_name='daily_orders')"
)
"""What to do about a job name, for every kind of driver."""


def job_name_warning(job: str) -> str | None:
    """Return a warning about a job name that was derived from the application's name; None if the name is usable.

    >>> job_name_warning("runs2024"), job_name_warning("trial 3"), job_name_warning("zeppelin_orders")
    (None, None, None)
    """
    stem = re.sub(r"(?:[ _-]?(?:session)?[ _-]?\d*)\Z", "", job.strip().lower()[:100])
    if stem in SHARED:
        return f"the job's name {job} is a default that unrelated jobs share, so their flows are mixed; {SET_A_NAME}"
    if _NUMBERED.search(job[:1000]):
        return f"the job's name {job} seems to change from run to run, so every run creates new flows; {SET_A_NAME}"
    return None


def configured_name_warning(job: str) -> str | None:
    """Return a warning about a configured job name that contains an unresolved reference; None if the name is usable.

    >>> configured_name_warning("build 7")
    """
    begun = job.find("{{")
    if begun < 0 or job.find("}}", begun) < 0:
        return None
    return (
        f"the job's name {job} contains an unresolved reference, so that all jobs share it; write the name out (Databricks "
        "resolves references in parameters of tasks only)"
    )


def _airflow_keys(variable: str, label: str = "") -> tuple[str, ...]:
    """Return the keys of an Airflow variable: in the environment of a client, or passed on to a driver elsewhere."""
    passed_on = (f"spark.yarn.appMasterEnv.{variable}", f"spark.kubernetes.driverEnv.{variable}")
    return (f"env:{variable}", *passed_on, *((f"spark.kubernetes.driver.label.{label}",) if label else ()))


AIRFLOW = Platform(
    name="airflow",
    documented=(
        "airflow.apache.org, airflow.utils.operator_helpers (AIRFLOW_CTX_*, of BashOperator and of every task's process)",
        "airflow.apache.org, cncf.kubernetes provider (labels dag_id, task_id, run_id, try_number of pods)",
    ),
    signs=_airflow_keys("AIRFLOW_CTX_DAG_ID", "dag_id"),
    facts={
        "parent_job": _airflow_keys("AIRFLOW_CTX_DAG_ID", "dag_id"),
        "parent_task": _airflow_keys("AIRFLOW_CTX_TASK_ID", "task_id"),
        "parent_run_id": _airflow_keys("AIRFLOW_CTX_DAG_RUN_ID", "run_id"),
        "parent_attempt": _airflow_keys("AIRFLOW_CTX_TRY_NUMBER", "try_number"),
    },
    names=("{parent_job}.{parent_task}", "{parent_job}"),
)

OPENLINEAGE = Platform(
    name="openlineage",
    documented=("openlineage.io, Spark configuration (parentJobName, parentRunId: Airflow's provider adds them)",),
    signs=("spark.openlineage.parentJobName",),
    facts={
        "parent_job": ("spark.openlineage.parentJobName",),
        "parent_run_id": ("spark.openlineage.parentRunId",),
    },
    names=("{parent_job}",),
)


ZEPPELIN = Platform(
    name="zeppelin",
    documented=("no documentation: apache/zeppelin, Utils.buildJobGroupId",),
    signs=(JOB_GROUP,),
    facts={},
    names=("note {parent_job}",),
    reads=(JOB_GROUP,),
    read=lambda value: {"parent_job": note_of({JOB_GROUP: value(JOB_GROUP)})},
)

_ACTION = "spark.oozie.action.id"


def _oozie(value: Lookup) -> Mapping[str, str]:
    """Return the action's name: its id is `<id of the workflow's run>@<action>`."""
    return {"parent_task": value(_ACTION).partition("@")[2]}


OOZIE = Platform(
    name="oozie",
    documented=("oozie.apache.org, Spark action (oozie.* reaches the application as spark.oozie.*)",),
    signs=("spark.oozie.job.id", _ACTION),
    facts={"parent_run_id": ("spark.oozie.job.id",)},
    reads=(_ACTION,),
    read=_oozie,
)


def _livy(value: Lookup) -> Mapping[str, str]:
    """Return the id by which Livy tags its applications: `livy-batch-<number>-<random>`."""
    for kind in ("livy-session-", "livy-batch-"):
        if tag := tag_of(value(YARN_TAGS), kind):
            return {"parent_run_id": f"{kind}{tag}"}
    return {}


LIVY = Platform(
    name="livy",
    documented=("livy.apache.org, BatchSession and SparkYarnApp (the tag in spark.yarn.tags)",),
    signs=(YARN_TAGS,),
    facts={},
    reads=(YARN_TAGS,),
    read=_livy,
)

PARENTS = (AIRFLOW, OPENLINEAGE, OOZIE, ZEPPELIN, LIVY)
"""Schedulers in order of precedence: the first with any fact is used."""


_MAX_CHARACTERS = 2_000
"""Length of a value; a longer one is ignored, except for values that a platform parses itself."""
_MAX_FACT_CHARACTERS = 200
"""Length of a reported fact; a longer one is cut."""
_ENVIRONMENT = "env:"
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters, and surrogates by which Python represents bytes of a variable that are not UTF-8."""
_CLEANED = frozenset({"job", "task"})
"""Facts to which some schedulers append the id of a run."""
_NOT_A_FACT = "job"
_BY_NUMBER = (
    f"the job is named by its number, which is new for each one-time run, so every run creates new flows; {SET_A_NAME}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The job as its platform describes it.

    Attributes:
        job: The name of the job; None if the platform does not name it.
        facts: Names and values of facts of this run.
        warnings: Sentences about values that could not be used.
    """

    job: str | None = None
    facts: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()


def identity_of(conf: Mapping[str, str], environment: Mapping[str, str]) -> Identity:
    """Return the identity of a job.

    Args:
        conf: Spark's configuration, overridden by the local properties of the driver's thread.
        environment: Environment variables of the driver.

    >>> identity_of({"spark.glue.JOB_NAME": "orders", "spark.glue.JOB_RUN_ID": "jr_1"}, {})
    Identity(job='orders', facts=(('platform', 'glue'), ('run_id', 'jr_1')), warnings=())
    >>> identity_of({}, {"AIRFLOW_CTX_DAG_ID": "sales", "AIRFLOW_CTX_TASK_ID": "load"}).job
    'sales.load'
    """

    def value(key: str) -> str:
        is_variable = key.startswith(_ENVIRONMENT)
        raw = environment.get(key[len(_ENVIRONMENT) :]) if is_variable else conf.get(key)
        return (raw or "").strip()

    warnings: list[str] = []
    platform = next((row for row in PLATFORMS if _is_recognised(row, value)), None)
    stated = _facts(platform, value, warnings) if platform else {}
    parent, parent_facts = None, {}
    for row in PARENTS if "parent" not in stated else ():
        if _is_recognised(row, value) and (parent_facts := _facts(row, value, warnings)):
            parent = row
            break
    names = (_name(row, facts) for row, facts in ((platform, stated), (parent, parent_facts)) if row)
    name = next((template for template in names if template), None)
    if name and "{job_id}" in name:
        warnings.append(_BY_NUMBER)
    facts = {
        **({"platform": platform.name} if platform else {}),
        **stated,
        **({"parent": parent.name} if parent else {}),
        **{name: text for name, text in parent_facts.items() if name not in stated},
    }
    return Identity(
        # A notebook's path begins with a slash.
        job=name.format_map({**parent_facts, **stated}).replace("//", "/") if name else None,
        facts=tuple((name, _truncate(text)) for name, text in facts.items() if name != _NOT_A_FACT),
        warnings=tuple(warnings),
    )


def known(conf: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return what any platform or scheduler reads of a configuration and an environment, by its keys."""
    keys = sorted({key for row in (*PLATFORMS, *PARENTS) for key in row.keys})
    values = {**conf, **{f"{_ENVIRONMENT}{name}": value for name, value in environment.items()}}
    return {key: values[key] for key in keys if values.get(key)}


def identity_of_known(known: Mapping[str, str]) -> Identity:
    """Return the identity of a job from the keys that `known` returns."""
    return identity_of(
        known, {key.removeprefix(_ENVIRONMENT): known[key] for key in known if key.startswith(_ENVIRONMENT)}
    )


def _is_recognised(row: Platform, value: Lookup) -> bool:
    return any(value(key) for key in row.signs)


def _facts(row: Platform, value: Lookup, warnings: list[str]) -> dict[str, str]:
    """Return the known facts, in the order of the platform's table."""
    direct = {name: next((text for key in keys if (text := value(key))), "") for name, keys in row.facts.items()}
    try:
        read = row.read(value)
    except ValueError as error:
        read = {}
        warnings.append(
            f"{error} cannot be parsed, so the job's name is derived without it; to choose another name, set "
            "atlas.hook.spark.job.name"
        )
    facts = {name: direct.get(name) or read.get(name, "") for name in (*direct, *read)}
    clean = ((name, _clean(name, text)) for name, text in facts.items())
    return {name: text for name, text in clean if text}


def _clean(name: str, text: str) -> str:
    """Return a text in one line, without secrets and unprintable characters; "" if it names nothing."""
    text = " ".join(_UNPRINTABLE.sub(" ", text).split())
    if len(text) > _MAX_CHARACTERS or ("{{" in text and "}}" in text):  # a reference that the platform did not resolve
        return ""
    text = mask_text(text)
    return without_run_specifics(text) if name in _CLEANED and without_run(text) != text else text


def _name(row: Platform, facts: Mapping[str, str]) -> str | None:
    """Return the first name template of a platform whose facts are all known and differ from each other."""
    for name in row.names:
        parts = [facts.get(part, "") for part in _parts(name)]
        if all(parts) and len(set(parts)) == len(parts):
            return name
    return None


def _parts(name: str) -> Iterator[str]:
    return (part for _, part, _, _ in Formatter().parse(name) if part is not None)


def _truncate(text: str) -> str:
    return text if len(text) <= _MAX_FACT_CHARACTERS else f"{text[: _MAX_FACT_CHARACTERS - 1]}…"
