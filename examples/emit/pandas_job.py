"""A job without Spark that states its flow: ATLAS_CONF=/etc/atlas python pandas_job.py orders.csv revenue.csv."""

import sys
from pathlib import Path

import pandas

import sac_kafka

source, target = map(Path, sys.argv[1:])
with sac_kafka.track(job="daily revenue") as flow:
    flow.reads(o=source)
    flow.writes(r=target)
    orders = pandas.read_csv(source)
    orders[orders.amount > 1].groupby("country", as_index=False).amount.sum().to_csv(target, index=False)
    flow.columns(
        {
            "r.country": {"direct": ["o.country"]},
            "r.amount": {"aggregation": ["o.amount"], "text": "sum(amount)"},
        }
    )
