"""Who had a server run an execution: what Spark Connect, the Thrift server and Kyuubi say of it."""

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

_UUID = "[0-9A-Fa-f-]{36}"
_CONNECT_TAG = re.compile(
    rf"SparkConnect_OperationTag_User_(?P<user>.*)_Session_(?P<session_id>{_UUID})_Operation_(?P<operation_id>{_UUID})",
    re.DOTALL,
)


class Requesters:
    """Remembers the statements of servers until executions name them."""

    def __init__(self) -> None:
        self._by_group: Bounded[str, Requester] = Bounded(MAX_OPERATIONS)

    def add(self, event: SparkListenerThriftServerOperationStart) -> None:
        """A statement begins."""
        self._by_group[event.group_id] = Requester(
            user=event.user_name or "", server=THRIFT, session_id=event.session_id, operation_id=event.id
        )

    def of_execution(self, event: SparkListenerSQLExecutionStart) -> Requester | None:
        """Who asked for it; None where its start does not say."""
        for tag in event.job_tags:
            if found := _CONNECT_TAG.fullmatch(tag):
                return Requester(server=CONNECT, **found.groupdict())
        return self._by_group.get(event.job_group) if event.job_group is not None else None

    def of_job(self, event: SparkListenerJobStart) -> Requester | None:
        """Who asked for the execution that the job is of."""
        group, user = event.properties.get(JOB_GROUP), event.properties.get(KYUUBI_USER)
        if user:
            return Requester(user=user, server=KYUUBI, operation_id=group)
        return self._by_group.get(group) if group is not None else None
