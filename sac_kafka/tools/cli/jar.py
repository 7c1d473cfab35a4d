"""`sac-kafka jar`: print or copy the jar for drivers that start no Python, and the name of its listener."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from sac_kafka.errors import SacKafkaError
from sac_kafka.spark.java_classes import driver_archive
from sac_kafka.tools.cli.arguments import add, add_command
from sac_kafka.tools.cli.output import print_masked, print_masked_json

LISTENER = "sackafka.driver.LineageListener"
"""The value of `spark.extraListeners` (`spark/java/driver/LineageListener.java`)."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    command = add_command(
        commands,
        run,
        "print the jar for drivers that start no Python",
        "jar",
        "jar --key",
        "jar --copy /shared/jars",
    )
    add(command, "--key", "print the value of spark.extraListeners instead")
    add(command, "--copy DIR", "copy the jar to a folder and print its path there", type=Path)
    add(command, "--json", "print the path and the listener as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the path of the jar, or the name of its listener."""
    if arguments.key and not arguments.json:
        print_masked(LISTENER)
        return 0
    path = driver_archive()
    if arguments.copy is not None:
        try:
            path = Path(shutil.copy(path, arguments.copy / path.name))
        except OSError as error:
            raise SacKafkaError(f"{arguments.copy}: the jar cannot be copied there: {error.strerror}") from error
    if arguments.json:
        print_masked_json({"path": str(path), "listener": LISTENER})
    else:
        print_masked(str(path))
    return 0
