"""Run a Python job in this process like the interpreter does: as `__main__`, with its own errors and exit status.

`runpy` removes the job's `__main__` when its main thread ends; threads and exit handlers then cannot pickle its classes.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import sac_kafka_auto
from sac_kafka.hook import exits
from sac_kafka.launch.programs import Program, is_path_safe

_OURS = (str(Path(__file__).parent), sac_kafka_auto.__file__)
_kept: list[ModuleType | None] = []


def run(program: Program, arguments: Sequence[str]) -> None:
    """Run a program. Its exceptions are not caught; tracebacks omit the frames of this package."""
    main = ModuleType("__main__")
    main.__dict__.update(program.names, __builtins__=builtins)
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    _kept.append(sys.modules.get("__main__"))  # other threads and exit handlers may still use its globals
    sys.modules["__main__"] = main
    sys.argv[:] = [program.argument, *arguments]
    if not is_path_safe():
        sys.path.insert(0, program.folder)
    try:
        exec(program.code(), main.__dict__)  # noqa: S102 the purpose of this function
    except SystemExit as end:
        exits.note_status(end.code)
        raise
    except BaseException:
        sys.excepthook = partial(_report_error, sys.excepthook)
        raise


def _report_error(
    hook: Any,  # noqa: ANN401 sys.excepthook
    kind: type[BaseException],
    error: BaseException,
    traceback: TracebackType | None,
) -> None:
    """Call the job's `sys.excepthook` with a traceback like that of a job started directly by Python."""
    sys.excepthook = hook
    own = _job_frames(traceback)
    error.__traceback__ = own
    hook(kind, error, own)


def _job_frames(traceback: TracebackType | None) -> TracebackType | None:
    """Return the frames of the job: those below `run` that are not in this package's launcher."""
    entries = []
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    starts = [i for i, entry in enumerate(entries) if entry.tb_frame.f_code is run.__code__]
    own = [e for e in entries[starts[-1] + 1 if starts else 0 :] if not e.tb_frame.f_code.co_filename.startswith(_OURS)]
    following: TracebackType | None = None
    for entry in reversed(own):
        entry.tb_next = following
        following = entry
    return following
