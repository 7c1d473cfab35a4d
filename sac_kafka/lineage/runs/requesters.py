"""Find the user for whom a server runs an execution, as reported by Spark Connect, the Thrift server and Kyuubi."""

from __future__ import annotations

import re

from sac_kafka.lineage.bounded import Bounded
from sac_kafka.lineage.model import Requester
from sac_kafka.plan.execution import SparkListenerSQLExecutionStart
from sac_kafka.plan.servers import (
    JOB_GROUP,
    KYUUBI_USER,
    SparkListenerJobStart,
    SparkListenerThriftServerOperationStart,
)

CONNECT, THRIFT, KYUUBI = "Spark Connect", "Spark Thrift server", "Kyuubi"
MAX_OPERATIONS = 10_000
"""Statements that are remembered; the oldest is evicted first."""

_UUID = "[0-9A-Fa-f-]{36}"
_CONNECT_TAG = re.compile(
    rf"SparkConnect_OperationTag_User_(?P<user>.*)_Session_(?P<session_id>{_UUID})_Operation_(?P<operation_id>{_UUID})",
    re.DOTALL,
)


class Requesters:
    """The statements of servers, until executions refer to them."""

    def __init__(self) -> None:
        self._by_group: Bounded[str, Requester] = Bounded(MAX_OPERATIONS)

    def add(self, event: SparkListenerThriftServerOperationStart) -> None:
        """Add a statement that has started."""
        self._by_group[event.group_id] = Requester(
            user=event.user_name or "", server=THRIFT, session_id=event.session_id, operation_id=event.id
        )

    def of_execution(self, event: SparkListenerSQLExecutionStart) -> Requester | None:
        """Return the requester of an execution; None if its start event does not name one."""
        for tag in event.job_tags:
            if found := _CONNECT_TAG.fullmatch(tag):
                return Requester(server=CONNECT, **found.groupdict())
        return self._by_group.get(event.job_group) if event.job_group is not None else None

    def of_job(self, event: SparkListenerJobStart) -> Requester | None:
        """Return the requester that the properties of a job name for its execution."""
        group, user = event.properties.get(JOB_GROUP), event.properties.get(KYUUBI_USER)
        if user:
            return Requester(user=user, server=KYUUBI, operation_id=group)
        return self._by_group.get(group) if group is not None else None
