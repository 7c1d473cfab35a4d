"""The messages of a recorded batch, one a line: `python -m tools.replay FILE [KEY=VALUE …] | sac-kafka show -`.

FILE is what `atlas.hook.spark.record.path` wrote. No Spark and no Java take part, so the same file gives the same messages
until the code changes. KEY=VALUE are settings as in `atlas-application.properties`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from sac_kafka.errors import SacKafkaError
from sac_kafka.pipeline import read_recording, replay
from sac_kafka.settings import Settings

_GIVEN = {"atlas.client.type": "memory", "atlas.metadata.namespace": "replayed"}


def replayed(path: str, keys: Sequence[str] = ()) -> Iterator[str]:
    """The messages of a recorded batch under some settings, each `KEY=VALUE`.

    Raises:
        SacKafkaError: the file is no recorded batch, or a setting is wrong.
        OSError: the file cannot be read.
    """
    settings = Settings.read({**_GIVEN, **dict(key.split("=", 1) for key in keys)}, "the command line")
    for message in replay(read_recording(path), settings):
        yield message.value


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        for value in replayed(sys.argv[1], sys.argv[2:]):
            print(value)  # noqa: T201 # what the command is for
    except (SacKafkaError, OSError) as error:
        sys.exit(str(error))
