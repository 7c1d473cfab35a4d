"""Run a program of `programs.py` in a driver of its own, with or without the hook.

    job.py WORK PROGRAM OPTIONS      SAC_KAFKA_TEST_HOOK=0: without the hook

OPTIONS are JSON: `conf` of Spark, `settings` of the hook, `sessions`, the last of which runs the program.

Standard output is what a user sees; WORK/memory.json has the peak memory of Python and of its JVM, in MB.
"""

from __future__ import annotations

import os
import sys

if sys.argv[2].startswith("gevent"):
    from gevent import monkey

    monkey.patch_all()

import json
import re
from pathlib import Path

from tests.helpers.sessions import PATIENT, local_session
from tests.live.conditions.programs import PROGRAMS


def peak_mb(pid: int | str) -> int:
    """Return the peak of a process' resident memory in MB, 0 if it is unknown."""
    try:
        m = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(m[1]) // 1024 if m else 0


work, (run, _) = Path(sys.argv[1]), PROGRAMS[sys.argv[2]]
options = json.loads(sys.argv[3])
sessions = options["sessions"]
settings = {f"atlas.{key.replace('_', '.')}": value for key, value in PATIENT.items()}
settings |= {
    "atlas.client.type": "file",
    "atlas.client.file.path": str(work / "messages"),
    "atlas.metadata.namespace": "test",
}
settings |= options["settings"]
for i in range(sessions):
    spark = local_session("conditions", str(work / "warehouse"), options["conf"])
    if os.environ.get("SAC_KAFKA_TEST_HOOK") != "0":
        import sac_kafka

        hook = sac_kafka.attach(spark, **settings)
    if i < sessions - 1:
        spark.range(2).write.mode("overwrite").parquet(str(work / "sessions" / f"s{i}x"))
        spark.stop()
try:
    print("result", run(spark, work))
except Exception as error:  # noqa: BLE001 whatever a program raises is compared
    print("error", type(error).__qualname__)
java = spark.sparkContext._gateway.proc.pid
spark.stop()
(work / "memory.json").write_text(json.dumps({"python": peak_mb("self"), "java": peak_mb(java)}))
print("end", flush=True)
sys.exit(3)
