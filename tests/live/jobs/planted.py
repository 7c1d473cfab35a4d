"""The stages of the hook fail one after the other, in one driver: statements and their results go on as ever.

planted.py WORK         prints `result <stage> …` lines, the same with SAC_KAFKA_TEST_HOOK=0
"""

from __future__ import annotations

import json
import logging
import os
import sys
from functools import partial
from pathlib import Path

import sac_kafka
from sac_kafka.atlas import dialect, output
from sac_kafka.hook import listener_source, session_settings
from sac_kafka.lineage import executions
from sac_kafka.plan import wire
from sac_kafka.spark import listener, session
from sac_kafka.stages import joined_runs
from sac_kafka.transport.spool import outcomes, spool
from tests.helpers.sessions import atlas_conf, local_session
from tests.helpers.waiting import LONG_SECONDS, until

work = sys.argv[1]
logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
with_hook = os.environ.get("SAC_KAFKA_TEST_HOOK") != "0"


class PlantedError(Exception):
    pass


def boom(*args: object, **kwargs: object) -> object:
    raise PlantedError("planted, password=hunter2")


STAGES = {
    "none": None,
    "session": (session, "read_session"),
    "settings": (session_settings, "read_settings"),
    "listener start": (listener.Listener, "start"),
    "poll": (listener.Listener, "_call"),
    "decode": (wire, "read_line"),
    "actions": (executions, "extract"),
    "earlier runs": (joined_runs.JoinedRuns, "join"),
    "messages": (output, "messages"),
    "statement": (dialect, "entity_bundle"),
    "record": (listener_source.Polling, "_record"),
    "send": (spool.Spool, "send"),
    "settle": (outcomes.Outcomes, "_on_delivery"),
    "service": (spool.Spool, "service"),
    "close": (spool.Spool, "close"),
}
AT_THE_END = ("none", "close")
"""What becomes of these is known once the hook has ended, which may take its time; of the others before. Some of those cannot
end in order: they are given up after `EXIT_SECONDS`."""
EXIT_SECONDS = 2


def seen(attached: sac_kafka.Hook) -> dict[str, object]:
    """Return what the hook says of errors."""
    stats = attached.stats()
    return {"errors": stats["errors"], "disabled": stats["disabled"], "undelivered": stats["undelivered"]}


def is_seen(attached: sac_kafka.Hook) -> bool:
    """Return whether it says anything of the planted one."""
    return any(word in json.dumps(seen(attached)) for word in ("PlantedError", "Gone"))


spark = local_session(
    "planted",
    f"{work}/warehouse",
    atlas_conf(
        client_type="file",
        client_file_path=f"{work}/messages.jsonl",
        metadata_namespace="test",
        hook_spool_dir=f"{work}/spool",
        hook_spark_record_path=f"{work}/recorded.txt",
        hook_spark_attach_timeout_seconds="300",
    ),
)
errors: dict[str, object] = {}
for stage, place in STAGES.items():
    original = place and vars(place[0])[place[1]]
    if place and with_hook:
        setattr(*place, boom)
    exit_seconds = LONG_SECONDS if stage in AT_THE_END else EXIT_SECONDS
    attached = sac_kafka.attach(spark, exit_timeout_seconds=exit_seconds) if with_hook else None
    df = spark.range(5).selectExpr("id", "id % 2 as m")
    df.write.mode("overwrite").parquet(f"{work}/{stage.replace(' ', '-')}")
    print("result", stage, sorted(tuple(r) for r in df.groupBy("m").count().collect()), flush=True)
    if attached is not None:
        if stage in AT_THE_END:
            attached.flush(LONG_SECONDS)
        else:
            until(partial(is_seen, attached), partial(seen, attached))
            attached.flush(1)
        attached.detach()
        if place:
            setattr(*place, original)
        errors[stage] = seen(attached)
if with_hook:
    Path(f"{work}/errors.json").write_text(json.dumps(errors))
spark.stop()
