"""A driver without Spark: messages go through the spool to Kafka, configured by a file; see `test_spool_broker`.

spooling_driver.py FILE NAME     reads `send COUNT` and `serve TURNS`, answers each with the counts as JSON
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from sac_kafka.settings import Settings
from sac_kafka.settings.files.properties import load_properties
from sac_kafka.transport.base import Record
from sac_kafka.transport.factory import make_transport
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool

file, name = sys.argv[1:3]
settings = Settings.read(load_properties(Path(file), {}).values, file)
spool = Spool(make_transport(settings), options_of(settings), name)
sent = 0
for line in sys.stdin:
    word, number = line.split()
    if word == "send":
        for _ in range(int(number)):
            value = json.dumps({"version": {"version": "1.0.0"}, "spooled": False, "message": f"{name} {sent}"})
            record = Record(settings.sink.topic, name.encode(), (value.encode(),), created_ms=int(time.time() * 1000))
            spool.send(record, lambda failure: None)
            sent += 1
        spool.service(0)
    else:
        for _ in range(int(number)):
            spool.service(0.02)
            time.sleep(0.005)
    print(json.dumps(dict(spool.counts)), flush=True)
spool.flush(5)
spool.close(1)
