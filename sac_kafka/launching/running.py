"""Runs a Python job in this process as the interpreter itself would: as `__main__`, with its own errors and status."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

import sac_kafka_auto
from sac_kafka.launching.programs import Program, is_path_safe

_OURS = (str(Path(__file__).parent), sac_kafka_auto.__file__)
_kept: list[ModuleType | None] = []


def run(program: Program, arguments: Sequence[str]) -> None:
    """Run it; what it raises passes, and is shown without this file and those that have called it."""
    main = ModuleType("__main__")
    main.__dict__.update(program.names, __builtins__=builtins)
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    _kept.append(sys.modules.get("__main__"))  # whose names other threads and exit handlers may still need
    sys.modules["__main__"] = main
    sys.argv[:] = [program.argument, *arguments]
    if not is_path_safe():
        sys.path.insert(0, program.folder)
    try:
        exec(program.code(), main.__dict__)  # noqa: S102 what this is for
    except BaseException:
        sys.excepthook = partial(_show, sys.excepthook)
        raise


def _show(hook: Any, kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:  # noqa: ANN401 sys.excepthook
    """Show an error as the job's `sys.excepthook` shows those of a job that was started without this."""
    sys.excepthook = hook
    own = _own(where)
    error.__traceback__ = own
    hook(kind, error, own)


def _own(where: TracebackType | None) -> TracebackType | None:
    """The frames of the job: those below `run`, without ours between them."""
    entries = []
    while where is not None:
        entries.append(where)
        where = where.tb_next
    starts = [i for i, entry in enumerate(entries) if entry.tb_frame.f_code is run.__code__]
    own = [e for e in entries[starts[-1] + 1 if starts else 0 :] if not e.tb_frame.f_code.co_filename.startswith(_OURS)]
    following: TracebackType | None = None
    for entry in reversed(own):
        entry.tb_next = following
        following = entry
    return following
