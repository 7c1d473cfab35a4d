"""State the flow of a Python function or of a block: when it began and ended, and whether it failed."""

from __future__ import annotations

import functools
import inspect
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from sac_kafka.emitting.configuration import Conf
from sac_kafka.emitting.emission import emit_flow
from sac_kafka.emitting.session import EmitSession, session_of
from sac_kafka.emitting.stated_datasets import list_datasets, reject_unknown
from sac_kafka.emitting.stated_flows import RUN_KEYS, read_flow
from sac_kafka.errors import FlowError
from sac_kafka.guard import describe
from sac_kafka.log import logger
from sac_kafka.stats import Flushed

_Function = TypeVar("_Function", bound=Callable[..., Any])
_OF_THE_BLOCK = ("started", "ended", "failure")


class Tracked:
    """A flow that is running. As a context manager it is sent at the end of the block; as a decorator, of each call.

    An exception marks it as failed, with its class, and passes unchanged. Use `sac_kafka.track` to make one.

    Attributes:
        result: What became of the message; None before the end, or if nothing was written.
    """

    def __init__(
        self,
        job: str | None,
        inputs: object = (),
        outputs: object = (),
        columns: Mapping[str, object] | None = None,
        conf: Conf = None,
        wait: float | None = 10.0,
        run: Mapping[str, object] | None = None,
    ) -> None:
        facts = dict(run or {})
        reject_unknown(
            facts, ("conditions", "datasets", *(key for key in RUN_KEYS if key not in _OF_THE_BLOCK)), "track"
        )
        self._job = job
        self._flow = facts
        stated = (("inputs", inputs), ("outputs", outputs))
        self._sides = {side: list_datasets(each, side) for side, each in stated}
        self._columns: dict[str, object] = {}
        self.columns({} if columns is None else columns)
        self._conf = conf
        self._wait = wait
        self._started = 0.0
        self._session: EmitSession | None = None
        self.result: Flushed | None = None

    def reads(self, *datasets: object, **by_alias: object) -> None:
        """Add inputs; the keyword of one is its alias in columns.

        Raises:
            FlowError: One is wrong.
        """
        self._sides["inputs"] += [*list_datasets(datasets, "reads"), *list_datasets(by_alias or None, "reads")]

    def writes(self, *datasets: object, **by_alias: object) -> None:
        """Add outputs; the keyword of one is its alias in columns.

        Raises:
            FlowError: One is wrong.
        """
        self._sides["outputs"] += [*list_datasets(datasets, "writes"), *list_datasets(by_alias or None, "writes")]

    def columns(self, columns: Mapping[str, object]) -> None:
        """Add the sources of columns, as in `emit`.

        Raises:
            FlowError: They are no mapping.
        """
        if not isinstance(columns, Mapping):
            raise FlowError(f'columns: a {type(columns).__name__}; state a dict: {{"output.column": ["input.column"]}}')
        self._columns.update(columns)

    def __enter__(self) -> Tracked:
        """Begin.

        Raises:
            ConfigurationError: The configuration is wrong.
            FlowError: There is no name of the job.
        """
        if not self._job:
            raise FlowError('track(job=…): a block needs the name of its job; write track(job="daily orders")')
        self._session = session_of(self._conf, "track")
        self._started = time.time()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        """Send the flow; nothing if nothing was written."""
        if error is None:
            self._send(None)
            return
        try:  # the exception of the block is the one that passes
            self._send(None if isinstance(error, SystemExit) and error.code in (None, 0) else error)
        except Exception as own:  # noqa: BLE001
            logger.warning("the flow of a failed block is not sent: %s", describe(own))

    def __call__(self, function: _Function) -> _Function:
        """Decorate a function, also an async one: each call is a run of the flow.

        Raises:
            FlowError: The flow is wrong, or the function is a generator.
        """
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise FlowError(f"track: {function.__qualname__} is a generator; use `with track(…)` within it")
        job = self._job or _name_of(function)
        read_flow(self._complete(job))

        @functools.wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 those of the function
            with self._run(job):
                return function(*arguments, **named)

        @functools.wraps(function)
        async def call_async(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 those of the function
            import asyncio

            run = self._run(job).__enter__()
            try:
                result = await function(*arguments, **named)
            except BaseException as error:
                await asyncio.to_thread(run.__exit__, type(error), error, error.__traceback__)
                raise
            await asyncio.to_thread(run.__exit__, None, None, None)  # `wait` holds no event loop
            return result

        return call_async if inspect.iscoroutinefunction(function) else call  # type: ignore[return-value]

    def _run(self, job: str) -> Tracked:
        """Return the flow of one call: several may run at the same time."""
        made = Tracked(job, conf=self._conf, wait=self._wait)
        made._flow = self._flow
        made._sides = {side: [*stated] for side, stated in self._sides.items()}
        made._columns = dict(self._columns)
        return made

    def _complete(self, job: str | None) -> dict[str, object]:
        return {**self._flow, **self._sides, "columns": self._columns or None, "job": job}

    def _send(self, error: BaseException | None) -> None:
        if not self._sides["outputs"]:
            logger.info("job %s has written nothing, so it is no flow; state what it writes: flow.writes(…)", self._job)
            return
        run = {"started": self._started, "ended": max(self._started, time.time()), "failure": error}
        self.result = emit_flow({**self._complete(self._job), **run}, self._conf, self._wait, "track", self._session)


def _name_of(function: Callable[..., object]) -> str:
    """Return the name of a function, the same in every run: `orders.load`; in a script, the script's name replaces `__main__`.

    Raises:
        FlowError: It is defined in a notebook or a console.
    """
    module = function.__module__
    if module == "__main__":
        file = getattr(sys.modules.get("__main__"), "__file__", None)
        if not file:
            raise FlowError(f"track: nothing names the job of {function.__qualname__} here; write track(job=…)")
        module = Path(file).stem
    return f"{module}.{function.__qualname__}".replace(".<locals>", "")
