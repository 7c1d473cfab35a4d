"""Which model of dbt a statement belongs to: dbt says it in a remark before each statement.

Source: docs.getdbt.com, query-comment (`/* {"app": "dbt", …, "node_id": "model.project.name"} */`). The listener leaves
`/* dbt model.project.name */` of it where statements are masked.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sac_kafka.lineage.model import Process

_REMARK = re.compile(
    r"\s{0,99}/\*\s{0,9}(?:dbt (?P<kept>[A-Za-z0-9_.]{1,300}) \*/"
    r'|\{"app": "dbt",[^*]{0,999}"node_id": "(?P<whole>[A-Za-z0-9_.]{1,300})")'
)


def node_of(statement: str | None) -> str | None:
    """The node of dbt's that a statement is run for; None where dbt does not say so.

    >>> node_of('/* {"app": "dbt", "dbt_version": "1.8.7", "node_id": "model.sales.orders"} */ create table t as select 1')
    'model.sales.orders'
    >>> node_of("/* dbt model.sales.orders */ create table t as select 1")
    'model.sales.orders'
    """
    found = _REMARK.match(statement or "")
    return found["kept"] or found["whole"] if found else None


def named_by_dbt(process: Process) -> Process:
    """The process under the name of its model: of a server that many models share each is a job of its own."""
    node = node_of(process.run.query_text)
    if node is None:
        return process
    application = process.application
    facts = (*application.facts, ("dbt_node", node))
    return replace(process, application=replace(application, job=f"dbt {node}", facts=facts))
