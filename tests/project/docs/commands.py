"""The commands that a block or a sentence shows, as the shell would take them apart."""

from __future__ import annotations

import argparse
import fnmatch
import functools
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from sac_kafka.tools.cli import main

parser = functools.cache(main.parser)
_COMMENT = re.compile(r"(^|\s)#\s.*$")
_SKETCH = re.compile(r"…|\[[^\]]+\]|\.\.\.|<[a-z]+>")
"""What stands in place of something: who reads it, and no shell, knows what is meant."""
_ENDS = frozenset({"|", ">", ">>", "&&", "||", ";", "&", "<"})


@dataclass(frozen=True, slots=True)
class Shown:
    """A command of a console, and the lines that stand below it."""

    command: str
    lines: tuple[str, ...] = ()


def shown(text: str, *, is_console: bool) -> list[Shown]:
    """Give the commands of a block, without comments, long ones in one line; of a console with their output."""
    found: list[Shown] = []
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        if is_console and not line.startswith("$ "):
            if found:
                found[-1] = Shown(found[-1].command, (*found[-1].lines, line))
            continue
        command = _COMMENT.sub("", line.removeprefix("$ ") if is_console else line).strip()
        if command:
            found.append(Shown(command))
    return found


def missing(of: Shown, output: str) -> list[str]:
    """Give the lines of a console that are missing in the output, in this order; `…` stands for anything."""
    lines = iter(output.splitlines())
    patterns = (re.sub(r"([\[*?])", r"[\1]", wanted).replace("…", "*") for wanted in of.lines)
    return [pattern for pattern in patterns if not any(fnmatch.fnmatchcase(line, pattern) for line in lines)]


def words(command: str) -> list[str]:
    """Split a command; operators (`|`, `>`, `)`) are separate words."""
    spaced = re.sub(r"\$\(|\)", lambda found: f" {found[0]} ", command)
    lexer = shlex.shlex(spaced, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split, lexer.commenters = True, ""
    return list(lexer)


def own_commands(command: str) -> Iterator[list[str]]:
    """Give the arguments of each `sac-kafka` in a line."""
    found = words(re.sub(r"\[[^\]]*\]", lambda choice: choice[0].replace("|", " "), command))
    for start, word in enumerate(found):
        if word == "sac-kafka":
            rest = found[start + 1 :]
            yield rest[: next((i for i, each in enumerate(rest) if each in _ENDS or each == ")"), len(rest))]


def wrong(arguments: list[str]) -> str | None:
    """Return the real parser's error for the arguments; of a sketch, the unknown word; else None."""
    if not _SKETCH.search(" ".join(arguments)):
        try:
            parser().parse_args(arguments)
        except SystemExit as end:
            return f"sac-kafka {' '.join(arguments)}" if end.code else None
        return None
    return _unknown(parser(), arguments)


def _unknown(of: argparse.ArgumentParser, arguments: list[str]) -> str | None:
    """Walk down the sub-commands; each option must be one of the last of them."""
    for word in arguments:
        below = next((a for a in of._actions if isinstance(a, argparse._SubParsersAction)), None)
        option = word.strip("[]").partition("=")[0]
        if option.startswith("--") and option not in of._option_string_actions:
            return word
        if below is not None and not word.startswith(("-", "[", "…")):
            if word not in below.choices:
                return word
            of = below.choices[word]
        elif below is None and not option.startswith("-") and "job" in word:
            return None  # the arguments of a job are its own
    return None
