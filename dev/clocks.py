"""Find tests that judge by a clock: ordering comparisons of durations below tests/.

A machine may be busy, so no test may depend on how long something takes. ruff rejects the clocks themselves (TID251 in
pyproject.toml); this finds comparisons (<, <=, >, >=) of what is named as a duration. A comparison of a value that no
clock has measured (a setting, a computed delay) carries the comment `# not measured`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_DURATION = re.compile(r"(?:^|_)(?:seconds|secs|millis|ms|us|ns|elapsed|took|taken|duration|age)$", re.IGNORECASE)
_ALLOWED = "# not measured"
_ORDERING = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def comparisons(source: str) -> Iterator[int]:
    """Yield the line of each ordering comparison of a duration that carries no `# not measured`."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Compare) or not any(isinstance(each, _ORDERING) for each in node.ops):
            continue
        if any(map(_is_duration, ast.walk(node))) and _ALLOWED not in lines[node.lineno - 1]:
            yield node.lineno


def _is_duration(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Constant(value=str(name)):
            return _DURATION.search(name) is not None
    return False


def main() -> int:
    """Print each place; return 1 if there is any."""
    places = [
        f"{file}:{line}: a test must not compare durations: use a fake clock, events or counts (docs/testing.md)"
        for file in sorted(Path("tests").rglob("*.py"))
        if file.name != "waiting.py"
        for line in comparisons(file.read_text("utf-8"))
    ]
    sys.stderr.writelines(f"{each}\n" for each in places)
    return 1 if places else 0


if __name__ == "__main__":
    sys.exit(main())
