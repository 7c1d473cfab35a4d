"""Runs programs that fetch something, such as pip and Maven, to their end."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from stack.errors import FetchError


def run(command: Sequence[str], name: str, timeout_seconds: float, shown_lines: slice) -> None:
    """Run a program and wait for its end.

    Args:
        command: The program and its arguments.
        name: What an error calls it.
        timeout_seconds: How long it may take.
        shown_lines: Which lines of its output an error shows.

    Raises:
        FetchError: It cannot be run, takes longer, or ends with a status that is not 0.
    """
    try:
        done = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout_seconds,
        )
    except subprocess.TimeoutExpired as error:
        raise FetchError(f"{name} did not end within {timeout_seconds:g} s") from error
    except OSError as error:
        raise FetchError(f"{name} cannot be run: {error}") from error
    if done.returncode != 0:
        printed = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        raise FetchError(f"{name} ended with {done.returncode}: " + " / ".join(printed[shown_lines]))
