"""Declare events that show for whom a server within a driver runs an execution."""

from __future__ import annotations

from collections.abc import Mapping

from sac_kafka.plan.declaration import accessor, spark_class

EXECUTION, ROOT_EXECUTION = "spark.sql.execution.id", "spark.sql.execution.root.id"
JOB_GROUP = "spark.jobGroup.id"
KYUUBI_USER = "kyuubi.session.user"


@spark_class("org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServerOperationStart")
class SparkListenerThriftServerOperationStart:
    """The Thrift server starts a statement of a user; its executions are in the job group `group_id`."""

    id: str
    session_id: str
    group_id: str
    user_name: str | None


@spark_class("org.apache.spark.scheduler.SparkListenerJobStart")
class SparkListenerJobStart:
    """The first job of an execution whose properties name a requester, if the start event did not (`spark/java/Requests`)."""

    properties: Mapping[str, str] = accessor("properties", keys=(EXECUTION, ROOT_EXECUTION, JOB_GROUP, KYUUBI_USER))


ServerEvent = SparkListenerThriftServerOperationStart | SparkListenerJobStart
