"""Errors that come through Py4J, in one line; and those by which a driver refuses what the hook is made of, with the cure."""

from __future__ import annotations

import re
from collections.abc import Callable

from sac_kafka.errors import AttachError

DEDICATED = "use compute whose access mode is Dedicated, neither Standard nor serverless"
_LONGEST = 500
_LONGEST_ERROR = 10_000
_WRAPPER = "java.lang.reflect.InvocationTargetException"  # of what a constructor throws: it says nothing itself


def brief(error: BaseException) -> str:
    """The error in one line: of a Java error its class and message, not its stack."""
    java = getattr(error, "java_exception", None)
    if java is not None:
        try:
            said = str(java.toString())
            if said.startswith(_WRAPPER) and (cause := java.getCause()) is not None:
                said = str(cause.toString())
            return said.splitlines()[0][:_LONGEST]
        except Exception:  # noqa: BLE001 the JVM went away while it was asked
            return type(error).__name__
    text = str(error)[:_LONGEST_ERROR]
    # Of what Py4J itself refuses there is no Java object, only the text: below a line of its own.
    told = next(filter(_names_a_class, text.splitlines()[1:]), None) if _is_of_py4j(error) else None
    return (told or f"{type(error).__name__}: {text}".splitlines()[0])[:_LONGEST]


def _names_a_class(line: str) -> bool:
    """Whether a line begins as Java shows an error: `package.Class: message`, or without a message."""
    *packages, name = line.partition(":")[0].replace("$", "_").split(".")
    return bool(packages) and name[:1].isupper() and all(part.isidentifier() for part in (*packages, name))


def refusal(error: BaseException) -> AttachError | None:
    """What an error says that comes of a driver which forbids or lacks what the hook is made of; None for all others."""
    said = brief(error) if _is_of_py4j(error) else ""
    return next((AttachError(sentence(said)) for known, sentence in _REFUSALS if known.match(said)), None)


def _is_of_py4j(error: BaseException) -> bool:
    return any(each.__name__.startswith("Py4J") for each in type(error).__mro__)


def _allow_list(said: str) -> str:
    """Databricks' shared compute has Py4J refuse every method and constructor that is not on its list."""
    refused = said.partition("(")[0].split()[-1]
    return f"{DEDICATED}: this one keeps Python from the driver's JVM ({refused} is not allowed there)"


def _no_compiler(said: str) -> str:
    return (
        "put janino-*.jar and commons-compiler-*.jar of Spark's folder jars, in Spark's own versions, on the driver's class "
        f"path: the compiler that Spark carries is not there ({said})"
    )


def _security_manager(said: str) -> str:
    return (
        "start the driver without -Djava.security.manager, or grant java.security.AllPermission to Spark's jars and to "
        f"generated code (a grant without codeBase): its SecurityManager forbids the hook ({said})"
    )


_REFUSALS: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = (
    (re.compile(r"py4j\.security\.Py4JSecurityException\b"), _allow_list),
    (
        re.compile(r"java\.lang\.(?:ClassNotFound|NoClassDefFound|NoSuch|Incompatible)\w+: .*org[./]codehaus[./]"),
        _no_compiler,
    ),
    (re.compile(r"java\.(?:lang\.SecurityException|security\.AccessControlException)\b"), _security_manager),
)
"""What an error is known by, and the sentence about it, the cure first."""
