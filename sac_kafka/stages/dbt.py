"""Name a job by the dbt model in the comment that dbt puts before each statement."""

from __future__ import annotations

import dataclasses
import re

from sac_kafka.model import Process

_REMARK = re.compile(
    r"\s{0,99}/\*\s{0,9}(?:dbt (?P<kept>[A-Za-z0-9_.]{1,300}) \*/"
    r'|\{"app": "dbt",[^*]{0,999}"node_id": "(?P<whole>[A-Za-z0-9_.]{1,300})")'
)


def dbt_node(statement: str | None) -> str | None:
    """Return the dbt node that a statement is run for; None if no comment names one.

    >>> dbt_node('/* {"app": "dbt", "dbt_version": "1.8.7", "node_id": "model.sales.orders"} */ create table t as select 1')
    'model.sales.orders'
    >>> dbt_node("/* dbt model.sales.orders */ create table t as select 1")
    'model.sales.orders'
    """
    found = _REMARK.match(statement or "")
    return found["kept"] or found["whole"] if found else None


def with_dbt_job(process: Process) -> Process:
    """Return a process under the name of its dbt model: on a shared server, each model is a separate job."""
    node = dbt_node(process.run.query_text)
    if node is None:
        return process
    application = process.application
    facts = (*application.facts, ("dbt_node", node))
    return dataclasses.replace(process, application=dataclasses.replace(application, job=f"dbt {node}", facts=facts))
