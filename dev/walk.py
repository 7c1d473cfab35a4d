"""Count the named functions of sac_kafka that an INSERT of two columns passes: `python -m dev.walk [--list]`.

From its lines of the listener to its record in the hands of the transport, in a hook without a JVM.
The first INSERT builds the pipeline; the second one, of other tables, does not.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import threading
from pathlib import Path
from types import CodeType, FrameType

import sac_kafka
from sac_kafka import guard
from sac_kafka.hook.assembly import assemble
from sac_kafka.settings import Settings
from sac_kafka.transport.sinks.memory import MemoryTransport
from tests.helpers.fake_driver import FakeDriver, FakeListener

_PACKAGE = Path(sac_kafka.__file__).parent
_INSERT = (_PACKAGE.parent / "tests/fixtures/batches/4.3.0/insert_by_name.txt").read_text("utf-8").strip()
_FIRST = _INSERT.replace("orders", "earlier_orders").replace("sink", "earlier_sink").replace('"160"', '"159"')


class _Walks(FakeListener):
    """A listener that notes, for each of its texts, the code that runs from its poll to the transport."""

    def __init__(self, *texts: str) -> None:
        super().__init__(*texts)
        self.walks: list[dict[CodeType, None]] = []

    def poll(self, wait_ms: int) -> str | None:
        text = super().poll(wait_ms)
        if self.texts:
            self.walks.append({})
            threading.setprofile(self._note)  # of the threads that start from here
            sys.setprofile(self._note)
        return text

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if frame.f_code is MemoryTransport.send.__code__:
            threading.setprofile(None)
            sys.setprofile(None)
        elif event == "call":
            self.walks[-1][frame.f_code] = None


def main(arguments: list[str] | None = None) -> int:
    """Print files and functions of both walks."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--list", action="store_true", help="print the functions of the second one by room, in order of first call"
    )
    options = parser.parse_args(arguments)
    _walks()  # loads the modules
    first, second = map(_named, _walks())
    if options.list:
        for room in dict.fromkeys(name.partition("/")[0] for name in second):
            names = [name for name in second if name.partition("/")[0] == room]
            sys.stdout.write("\n".join([f"{room}: {len(names)}", *(f"  {name}" for name in names)]) + "\n")
    for what, names in ("the first INSERT, which builds the pipeline", first), ("a later one", second):
        files = {name.partition(" ")[0] for name in names}
        sys.stdout.write(f"{len(names)} functions in {len(files)} files: {what}\n")
    return 0


def _walks() -> list[dict[CodeType, None]]:
    """Run a hook over both, and return the code of each in order of its first call."""
    listener = _Walks(_FIRST, _INSERT)
    logging.disable()
    guard.on_error = _fail
    with tempfile.TemporaryDirectory() as folder:
        keys = {
            "atlas.metadata.namespace": "test",
            "atlas.client.type": "memory",
            "atlas.hook.spark.spool.dir": folder,
        }
        assemble(FakeDriver(listener=listener), Settings.read(keys, "dev.walk"), guard.Guard()).worker.run()
    return listener.walks


def _fail(stage: str, error: Exception) -> None:
    raise SystemExit(f"{stage}: {error!r}")


def _named(walk: dict[CodeType, None]) -> list[str]:
    """Return `file function` of the named functions of sac_kafka; the ways through a lambda or a comprehension have no name."""
    files = {code: Path(code.co_filename) for code in walk if "<" not in code.co_name}
    return [
        f"{file.relative_to(_PACKAGE)} {getattr(c, 'co_qualname', c.co_name)}"
        for c, file in files.items()
        if _PACKAGE in file.parents
    ]


if __name__ == "__main__":
    sys.exit(main())
