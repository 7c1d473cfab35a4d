"""One run, sent by OpenLineage's own Python client."""

from __future__ import annotations

from typing import Any

import pytest

TRANSPORTS: dict[str, dict[str, Any]] = {
    "http": {"type": "http"},
    "http, compressed": {"type": "http", "compression": "gzip", "endpoint": "base/api/v1/lineage"},
    "async_http": {"type": "async_http", "compression": "gzip"},
}
LABEL = "loaders/copy: raw.a -> mart.b"


def send(transport: dict[str, Any]) -> None:
    """Send both events of a run."""
    pytest.importorskip("openlineage.client")
    from openlineage.client import OpenLineageClient
    from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
    from openlineage.client.uuid import generate_new_uuid

    client = OpenLineageClient(config={"transport": transport})
    run, job = Run(runId=str(generate_new_uuid())), Job(namespace="loaders", name="copy")
    table = "hive://meta:9083"
    for state, time in ((RunState.START, "2026-11-20T06:00:00Z"), (RunState.COMPLETE, "2026-11-20T06:01:00Z")):
        outputs = [OutputDataset(namespace=table, name="mart.b")] if state is RunState.COMPLETE else []
        inputs = [InputDataset(namespace=table, name="raw.a")]
        client.emit(
            RunEvent(eventType=state, eventTime=time, run=run, job=job, producer="https://example.org/loader",
                     inputs=inputs, outputs=outputs)
        )  # fmt: skip
    client.close()
