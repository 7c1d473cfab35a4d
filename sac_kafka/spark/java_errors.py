"""Summarize errors raised through Py4J in one line, and recognize those of drivers that forbid the hook, with the fix."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sac_kafka.errors import AttachError

DEDICATED = "use compute whose access mode is Dedicated, neither Standard nor serverless"
_MAX_LENGTH = 500
_MAX_ERROR_LENGTH = 10_000
_WRAPPER = "java.lang.reflect.InvocationTargetException"  # wraps the exception of a constructor


def brief(error: BaseException) -> str:
    """Return an error as one line: for a Java exception its class and message, without the stack trace."""
    java = getattr(error, "java_exception", None)
    if java is not None:
        try:
            text = str(java.toString())
            if text.startswith(_WRAPPER) and (cause := java.getCause()) is not None:
                text = str(cause.toString())
            return text.splitlines()[0][:_MAX_LENGTH]
        except Exception:  # noqa: BLE001 the JVM ended meanwhile
            return type(error).__name__
    text = str(error)[:_MAX_ERROR_LENGTH]
    # A refusal by Py4J itself has no Java object, only a text with the exception on its second line.
    refused = next(filter(_names_a_class, text.splitlines()[1:]), None) if _is_of_py4j(error) else None
    return (refused or f"{type(error).__name__}: {text}".splitlines()[0])[:_MAX_LENGTH]


def _names_a_class(line: str) -> bool:
    """Return whether a line starts like a Java exception: `package.Class: message`, or without the message."""
    *packages, name = line.partition(":")[0].replace("$", "_").split(".")
    return bool(packages) and name[:1].isupper() and all(part.isidentifier() for part in (*packages, name))


def _is_of_py4j(error: BaseException) -> bool:
    return any(each.__name__.startswith("Py4J") for each in type(error).__mro__)


def _allow_list(text: str) -> str:
    """Return the message for Databricks' shared compute, where Py4J only allows listed methods and constructors."""
    refused = text.partition("(")[0].split()[-1]
    return f"{DEDICATED}: this one does not let Python access the driver's JVM ({refused} is not allowed there)"


def _no_compiler(text: str) -> str:
    return (
        "put janino-*.jar and commons-compiler-*.jar of Spark's folder jars, in Spark's own versions, on the driver's class "
        f"path: the compiler that Spark includes is missing ({text})"
    )


def _security_manager(text: str) -> str:
    return (
        "start the driver without -Djava.security.manager, or grant java.security.AllPermission to Spark's jars and to "
        f"generated code (a grant without codeBase): its SecurityManager forbids the hook ({text})"
    )


_REFUSALS: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = (
    (re.compile(r"py4j\.security\.Py4JSecurityException\b"), _allow_list),
    (
        re.compile(r"java\.lang\.(?:ClassNotFound|NoClassDefFound|NoSuch|Incompatible)\w+: .*org[./]codehaus[./]"),
        _no_compiler,
    ),
    (re.compile(r"java\.(?:lang\.SecurityException|security\.AccessControlException)\b"), _security_manager),
)
"""Patterns of errors, and the function that builds the message, the fix first."""


def refusal(error: BaseException) -> AttachError | None:
    """Return the error for a driver that forbids or lacks something the hook needs; None for any other error."""
    text = brief(error) if _is_of_py4j(error) else ""
    return next((AttachError(sentence(text)) for known, sentence in _REFUSALS if known.match(text)), None)


_LOGGERS = tuple(map(logging.getLogger, ("py4j.clientserver", "py4j.java_gateway")))


class _Filter(logging.Filter):
    """Drops what the threads log that are within `suspend_logging`, but for warnings."""

    def __init__(self) -> None:
        super().__init__()
        self.here = threading.local()

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or getattr(self.here, "depth", 0) == 0


_FILTER = _Filter()


@contextmanager
def suspend_logging() -> Iterator[None]:
    """Let Py4J log no calls of this thread; other threads' are logged as before. May be nested."""
    for logger in _LOGGERS:
        logger.addFilter(_FILTER)  # stays, once only: taking it away could cost another thread its protection
    here = _FILTER.here
    here.depth = getattr(here, "depth", 0) + 1
    try:
        yield
    finally:
        here.depth -= 1
