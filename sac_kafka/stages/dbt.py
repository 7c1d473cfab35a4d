"""Find the dbt model in the comment that dbt puts before each statement.

Source: docs.getdbt.com, query-comment (`/* {"app": "dbt", …, "node_id": "model.project.name"} */`). Where statements are masked,
the listener keeps `/* dbt model.project.name */` of it.
"""

from __future__ import annotations

import re

_REMARK = re.compile(
    r"\s{0,99}/\*\s{0,9}(?:dbt (?P<kept>[A-Za-z0-9_.]{1,300}) \*/"
    r'|\{"app": "dbt",[^*]{0,999}"node_id": "(?P<whole>[A-Za-z0-9_.]{1,300})")'
)


def dbt_node(statement: str) -> str | None:
    """Return the dbt node that a statement is run for; None if no comment names one.

    >>> dbt_node('/* {"app": "dbt", "dbt_version": "1.8.7", "node_id": "model.sales.orders"} */ create table t as select 1')
    'model.sales.orders'
    >>> dbt_node("/* dbt model.sales.orders */ create table t as select 1")
    'model.sales.orders'
    """
    match = _REMARK.match(statement)
    return match["kept"] or match["whole"] if match else None
