"""Which calls are within another one: what a pipeline, or a search for parameters, calls for itself the user does not."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class OpenCall:
    """A call that has not come back; `threads` work for it, `uids` are the estimators that it fits itself."""

    threads: set[int]
    uids: frozenset[str]


class OpenCalls:
    """The outermost calls that are under way.

    A search for parameters fits in threads of its own: whoever there fits an estimator that a call has within it works
    for that call, and so does all else that this thread does until the call is over.
    """

    def __init__(self) -> None:
        self._open: list[OpenCall] = []
        self._lock = threading.Lock()

    def begin(self, uid: str = "", uids: frozenset[str] = frozenset()) -> OpenCall | None:
        """Begin a call, of an estimator with this `uid` where it is a fit; None where it is within another one."""
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
        """A call is over. Idempotent."""
        with self._lock:
            if call in self._open:
                self._open.remove(call)
