"""Lineage in a small form, for tests of users' jobs."""

from __future__ import annotations

from dataclasses import replace

from sac_kafka.config.choices import MessageForm
from sac_kafka.lineage.model import ColumnSource, Dependency
from sac_kafka.readable.flows import Flow, flows
from tests.atlas.flows import copies, process, say, table

ORDERS, REPORT = table("orders", "amount", "status"), table("report", "amount", "status")


def test_flows_say_datasets_columns_and_what_decides_them_in_either_form() -> None:
    amount, status = copies(ORDERS, REPORT)
    deciding = ColumnSource(ORDERS.key, "status", Dependency.CONDITIONAL)
    flow = process([ORDERS], [REPORT], [replace(amount, sources=(*amount.sources, deciding)), status])
    expected = Flow(
        inputs=("sales.orders",),
        outputs=("sales.report",),
        columns={
            "sales.report.amount": ("sales.orders.amount",),
            "sales.report.status": ("sales.orders.status",),
        },
        influences={"sales.report.amount": ("sales.orders.status",)},
    )
    for form in MessageForm:
        values = [message.value.encode() for message in say(flow, message_form=form)]
        assert flows(values) == (expected,)
        assert flows([*values, *values]) == (expected,)  # a re-run updates its flow


def test_what_is_no_message_is_passed_over() -> None:
    assert flows([b"{}", b"no json"]) == ()
