"""Track nested calls: what a pipeline or a parameter search calls internally is not a call of the user."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class OpenCall:
    """A call in progress; `threads` work for it, `uids` are the estimators that it fits."""

    threads: set[int]
    uids: frozenset[str]


class OpenCalls:
    """The outermost calls in progress.

    A parameter search fits estimators in separate threads. A thread that fits an estimator of a call belongs to that call,
    with everything that it does until the call ends.
    """

    def __init__(self) -> None:
        self._open: list[OpenCall] = []
        self._lock = threading.Lock()

    def begin(self, uid: str = "", uids: frozenset[str] = frozenset()) -> OpenCall | None:
        """Begin a call; `uid` is that of the estimator if it is a fit. Return None if it is nested in another call."""
        thread = threading.get_ident()
        with self._lock:
            for each in self._open:
                if thread in each.threads:
                    return None
                if uid in each.uids:
                    each.threads.add(thread)
                    return None
            made = OpenCall({thread}, uids)
            self._open.append(made)
            return made

    def end(self, call: OpenCall) -> None:
        """End a call. Idempotent."""
        with self._lock:
            if call in self._open:
                self._open.remove(call)
