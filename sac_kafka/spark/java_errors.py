"""Errors that come through Py4J, in one line."""

from __future__ import annotations


def brief(error: Exception) -> str:
    """The error in one line: of a Java error its class and message, not its stack."""
    java = getattr(error, "java_exception", None)
    if java is not None:
        try:
            return str(java.toString()).splitlines()[0][:500]
        except Exception:  # noqa: BLE001 the JVM went away while it was asked
            return type(error).__name__
    return f"{type(error).__name__}: {error}".splitlines()[0][:500]
