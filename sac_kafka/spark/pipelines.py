"""Find the name of a Declarative Pipeline (Spark 4.1): all have the same application name, the pipeline's is in a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_COMMAND = ("pyspark", "pipelines", "cli.py")


def pipeline_name(main: Any, arguments: Sequence[str]) -> str | None:  # noqa: ANN401 the module that is run
    """Return the name of the pipeline that this process runs, from its specification; None if it runs none.

    Args:
        main: The module `__main__`: Spark's own command line, which finds and reads specifications.
        arguments: Those of the command line, without the program.

    Raises:
        Exception: The specification cannot be found or read, with what Spark says of it.
    """
    file = getattr(main, "__file__", None)
    if not isinstance(file, str) or Path(file).parts[-len(_COMMAND) :] != _COMMAND:
        return None
    options = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    options.add_argument("--spec")
    chosen = options.parse_known_args(list(arguments))[0].spec
    specification = Path(chosen) if chosen else main.find_pipeline_spec(Path.cwd())
    name = main.load_pipeline_spec(specification).name
    return name if isinstance(name, str) and name.strip() else None
