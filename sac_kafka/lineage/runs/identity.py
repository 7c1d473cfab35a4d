"""Which job this is, as the platform that runs it says: a name that stays the same, and the facts of this run.

Pure: Spark's configuration and the environment go in. The rows are in `platforms`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from string import Formatter

from sac_kafka.config.secrets import mask_text
from sac_kafka.lineage.datasets.paths import without_run
from sac_kafka.lineage.runs.job import without_parts_of_a_run
from sac_kafka.lineage.runs.parents import PARENTS
from sac_kafka.lineage.runs.platforms import PLATFORMS, Lookup, Platform

_LONGEST = 2_000
"""Characters of a value; a longer one, but for what a row reads itself, is nobody's name."""
_LONGEST_FACT = 200
_ENVIRONMENT = "env:"
_UNSAYABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""What steers a terminal, and what Python makes of a variable's bytes that are no UTF-8."""
_CLEANED = frozenset({"job", "task"})
"""Facts that some schedulers end with the id of a run."""
_UNTOLD = "job"
_BY_NUMBER = (
    "the job is called by its number, and what is submitted for one run has a new one each time; name it: "
    "attach(spark, job_name='daily_orders'), or atlas.hook.spark.job.name"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a platform says of a job.

    `job` is None where it does not name it; `facts` are those of this run, by their names; `doubts` are sentences about what
    could not be read.
    """

    job: str | None = None
    facts: tuple[tuple[str, str], ...] = ()
    doubts: tuple[str, ...] = ()


def identity_of(conf: Mapping[str, str], environment: Mapping[str, str]) -> Identity:
    """The identity of a job.

    Args:
        conf: Spark's configuration, and over it what the driver's thread says of its jobs.
        environment: Variables of the driver.

    >>> identity_of({"spark.glue.JOB_NAME": "orders", "spark.glue.JOB_RUN_ID": "jr_1"}, {})
    Identity(job='orders', facts=(('platform', 'glue'), ('run_id', 'jr_1')), doubts=())
    >>> identity_of({}, {"AIRFLOW_CTX_DAG_ID": "sales", "AIRFLOW_CTX_TASK_ID": "load"}).job
    'sales.load'
    """

    def value(key: str) -> str:
        is_variable = key.startswith(_ENVIRONMENT)
        found = environment.get(key[len(_ENVIRONMENT) :]) if is_variable else conf.get(key)
        return (found or "").strip()

    doubts: list[str] = []
    platform = _recognised(PLATFORMS, value)
    told = _facts(platform, value, doubts) if platform else {}
    parent, above = None, {}
    for each in PARENTS if "parent" not in told else ():
        if _is_recognised(each, value) and (above := _facts(each, value, doubts)):
            parent = each
            break
    names = (_name(each, facts) for each, facts in ((platform, told), (parent, above)) if each)
    name = next((each for each in names if each), None)
    if name and "{job_id}" in name:
        doubts.append(_BY_NUMBER)
    facts = {
        **({"platform": platform.name} if platform else {}),
        **told,
        **({"parent": parent.name} if parent else {}),
        **{name: text for name, text in above.items() if name not in told},
    }
    return Identity(
        job=_filled(name, {**above, **told}) if name else None,
        facts=tuple((name, _bounded(text)) for name, text in facts.items() if name != _UNTOLD),
        doubts=tuple(doubts),
    )


def _recognised(rows: tuple[Platform, ...], value: Lookup) -> Platform | None:
    return next((each for each in rows if _is_recognised(each, value)), None)


def _is_recognised(row: Platform, value: Lookup) -> bool:
    return any(value(key) for key in row.signs)


def _facts(row: Platform, value: Lookup, doubts: list[str]) -> dict[str, str]:
    """The facts that are known, in the order of the row."""
    said = {name: next((text for key in keys if (text := value(key))), "") for name, keys in row.facts.items()}
    try:
        read = row.read(value)
    except ValueError as error:
        read = {}
        doubts.append(
            f"the job's name is made without {error}, which cannot be read; if it is not what you want, set "
            "atlas.hook.spark.job.name"
        )
    found = {name: said.get(name) or read.get(name, "") for name in (*said, *read)}
    clean = ((name, _cleaned(name, text)) for name, text in found.items())
    return {name: text for name, text in clean if text}


def _cleaned(name: str, text: str) -> str:
    """The text in one line, without secrets and what no message can carry; "" for what names nothing."""
    text = " ".join(_UNSAYABLE.sub(" ", text).split())
    if len(text) > _LONGEST or ("{{" in text and "}}" in text):  # a reference that the platform did not fill in
        return ""
    text = mask_text(text)
    return without_parts_of_a_run(text) if name in _CLEANED and without_run(text) != text else text


def _name(row: Platform, facts: Mapping[str, str]) -> str | None:
    """How the job is called, as the row has it; a name that would say the same twice is passed over."""
    for name in row.names:
        parts = [facts.get(part, "") for part in _parts(name)]
        if all(parts) and len(set(parts)) == len(parts):
            return name
    return None


def _filled(name: str, facts: Mapping[str, str]) -> str:
    return name.format_map(facts).replace("//", "/")  # a notebook's path begins with a slash


def _parts(name: str) -> Iterator[str]:
    return (part for _, part, _, _ in Formatter().parse(name) if part is not None)


def _bounded(text: str) -> str:
    return text if len(text) <= _LONGEST_FACT else f"{text[: _LONGEST_FACT - 1]}…"
