"""Expected messages of the smoke job, the same everywhere."""

from __future__ import annotations

import getpass
import json
import re
from pathlib import Path

EXPECTED: list[object] = json.loads(
    (Path(__file__).resolve().parents[2] / "fixtures" / "smoke.json").read_text("utf-8")
)

_VARIES = (
    (r"\blocal-\d{13}\b", "local-ID"),
    (r"\b1[789]\d{11}\b", "0"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z?", "TIME"),
    (r'(duration_seconds|bytes_written|execution_id)(\\*": ?\\*"?)[\d.]+', r"\1\g<2>0"),
    (r'(job_ids\\*": ?\\*")[\d -]+', r"\g<1>0"),
    (r"\bbytes=\d+", "bytes=0"),
    (r'("executionId": ?)\d+', r"\g<1>0"),  # Spark 4 counts more of them
)


def messages_below(work: Path, spark: str) -> list[object]:
    """Return the messages in `work` without ids, times, places, sizes of files and the version of Spark."""
    text = (
        (work / "messages.jsonl")
        .read_text("utf-8")
        .replace(str(work), "/WORK")
        .replace(spark, "VERSION")
        .replace(f'"{getpass.getuser()}"', '"USER"')
    )
    for pattern, instead in _VARIES:
        text = re.sub(pattern, instead, text)
    return [json.loads(line) for line in text.splitlines()]
