"""Tells how a stack in the background is doing: does Kafka answer, does Atlas serve, has it read what was sent."""

from __future__ import annotations

import sys
import time
import urllib.error
from dataclasses import dataclass

from stack import topics
from stack.atlas import TOPICS
from stack.atlas_settings import HOOK_GROUP
from stack.background import State
from stack.errors import StackError
from stack.rest import get_json

ANSWER_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Health:
    """The findings, by what they are about; `healthy` only if every server answers."""

    rows: dict[str, str]
    healthy: bool


def examine(state: State) -> Health:
    """Ask the servers of a stack that runs; takes at most some seconds, raises nothing."""
    rows = {"process": f"{state.pid}, since {time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(state.since))}"}
    if not state.ready:
        return Health({**rows, "state": "starting"}, healthy=False)
    kafka, kafka_answers = _kafka(state.bootstrap)
    atlas, atlas_serves = examine_atlas(state.rows["Atlas"])
    return Health({**rows, "Kafka is": kafka, "Atlas is": atlas, **state.rows}, kafka_answers and atlas_serves)


def _kafka(bootstrap: str) -> tuple[str, bool]:
    try:
        topics.wait_until_answers(bootstrap, ANSWER_SECONDS)
        read, end = topics.progress(bootstrap, TOPICS[0], HOOK_GROUP, ANSWER_SECONDS)
    except StackError as error:
        return f"not answering: {error}", False
    return f"answering; Atlas has read {read} of {end} messages of {TOPICS[0]}", True


def examine_atlas(url: str) -> tuple[str, bool]:
    """Return the state that an Atlas reports, or why it does not answer, and whether it serves."""
    try:
        status = str(get_json(url, "/admin/status", ANSWER_SECONDS)["Status"])
    except (OSError, ValueError, KeyError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        return f"not answering: {error}", False
    return status, status == "ACTIVE"


def main() -> int:
    """Print how the Atlas at the address given is; exit status 0 only if it serves: the container's health check."""
    status, serves = examine_atlas(sys.argv[1])
    print(status)
    return 0 if serves else 1


if __name__ == "__main__":
    sys.exit(main())
