"""`sac-kafka view`: write the lineage of a topic, file, spool or server as an interactive HTML page or a diagram.

The page is one self-contained file. It shows datasets and processes from left to right; click a dataset to see its columns, and
a column to highlight its sources and targets. Mermaid and DOT diagrams show the same graph without columns.
"""

from __future__ import annotations

import argparse
import json
import sys
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from sac_kafka.errors import SacKafkaError
from sac_kafka.tools.cli.arguments import add, add_command
from sac_kafka.tools.cli.input_lines import STANDARD_INPUT, display_name
from sac_kafka.tools.cli.message_source import LINEAGE_KEYWORDS, add_source, read_graph, source_name
from sac_kafka.tools.cli.output import print_error, print_masked
from sac_kafka.tools.graph.graph import LineageGraph
from sac_kafka.tools.view.diagrams import dot, mermaid
from sac_kafka.tools.view.page import page
from sac_kafka.transport import private_files

NOTHING = 1
_HTML = "html"
_FORMATS: Mapping[str, Callable[[LineageGraph, str], str]] = MappingProxyType(
    {
        _HTML: page,
        "mermaid": lambda shown, _: mermaid(shown),
        "dot": lambda shown, _: dot(shown),
    }
)
_ENDINGS = {
    ".htm": _HTML,
    ".html": _HTML,
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".dot": "dot",
    ".gv": "dot",
}
_ENDING = {"mermaid": "mmd"}


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the sub-command to the parser."""
    view = add_command(
        commands,
        run,
        "write the lineage as an HTML page or a diagram",
        "view messages.jsonl --output lineage.html",
    )
    add_source(view, keywords=LINEAGE_KEYWORDS)
    add(view, "-o --output FILE", "the file to write, - for standard output (default: lineage.html)")
    add(view, "--format", "output format (default: by the suffix of --output, else html)", choices=tuple(_FORMATS))
    view.add_argument("--title", help="title of the page (default: the name of the source)")
    add(view, "--open", "open the file in the default browser")
    add(view, "--json", "print path, format and size of the graph as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Write the file and print its path; return 1 and write nothing if there is no lineage.

    Raises:
        SacKafkaError: The source cannot be read, or the file cannot be written.
    """
    form = _format(arguments)
    out = arguments.output or f"lineage.{_ENDING.get(form, form)}"
    if out == STANDARD_INPUT and (arguments.json or arguments.open):
        raise SacKafkaError("--output - cannot be combined with --json or --open; name a file")
    shown = read_graph(arguments, arguments.source, with_types=True)
    if not shown.datasets and not shown.processes:
        print_error(f"{source_name(arguments, arguments.source)} has no lineage, {out} not written", arguments.program)
        return NOTHING
    title = arguments.title or _title(arguments.source)
    data = _FORMATS[form](shown, title).encode("utf-8", "replace")
    if out == STANDARD_INPUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
    else:
        path = _written(Path(out), data)
        _report(arguments, shown, form, path)
    return 0


def _format(arguments: argparse.Namespace) -> str:
    if arguments.format:
        return str(arguments.format)
    if arguments.output in (None, STANDARD_INPUT):
        return _HTML
    ending = Path(arguments.output).suffix.lower()
    if ending not in _ENDINGS:
        raise SacKafkaError(
            f"--output {arguments.output}: unknown suffix; use one of {' '.join(_ENDINGS)}, or --format"
        )
    return _ENDINGS[ending]


def _title(where: str) -> str:
    return display_name(where) if where == STANDARD_INPUT else Path(where).name or where


def _written(path: Path, data: bytes) -> Path:
    try:
        private_files.check_path(path)
        path.write_bytes(data)
    except OSError as e:
        raise SacKafkaError(f"--output {path}: {e.strerror or e}; name a file that can be written") from e
    return path.resolve()


def _report(arguments: argparse.Namespace, shown: LineageGraph, form: str, path: Path) -> None:
    if arguments.json:
        figures = {"datasets": len(shown.datasets), "processes": len(shown.processes)}
        edges = sum(1 for _ in shown.column_edges())
        print_masked(json.dumps({"path": str(path), "format": form, **figures, "column_edges": edges}))
    else:
        print_masked(str(path))
    if arguments.open:
        if not webbrowser.open(path.as_uri()):
            print_error(f"cannot start a browser; open {path}", arguments.program)
    elif form == _HTML and sys.stderr.isatty():
        print_error(f"to see the page, open {path.as_uri()} or add --open", arguments.program)
