"""Hostile texts: what makes a pattern or a reader of texts take longer than its length, if anything does.

A text is a head and a filler that is repeated. Fillers come from a table, and from the pattern that is tried: its own
words, alone and with what may follow them, as it takes a beginning that fits to make it look further.
"""

from __future__ import annotations

import contextlib
import math
import re
import time
from collections.abc import Callable, Iterator

from tests.waiting import no_garbage_collection, slowness

SIZE = 100_000
"""Characters of a hostile text."""
MILLISECONDS = 500.0
"""The most CPU that one takes, on a machine that is busy with other tests; a slower one has so much more.

Here it is 50 ms at the most. What grows with the square of the length takes seconds, or is seen to grow.
"""

_FIRST_SIZES = (30, 300, 3_000)
_RUNS = 8
_CALM_MILLISECONDS = 50.0
"""A text that takes no longer is not measured again, nor at half its size: too little to compare."""
_CERTAIN_MILLISECONDS = 5 * MILLISECONDS
"""What takes so long is not measured again: what else the machine does makes nothing so much slower."""

HEADS = ("password=", "jdbc:oracle:thin:", "https://u:", "'", '"', "(", "{", "[", "/* ", "password='", "SELECT ")
_PLAIN = ("a", "0", " ", "\t", "=", ":", "/", "@", "}}", "\\", "()", "a ", "a=", "password=", "://a:")
FILLERS = (
    *"aA01 \t\n=:;,.&%@#?!$*+-_/|~^<>()[]{}'\"`\\é\0",
    *(
        "a ",
        "a=",
        "a:",
        "a.",
        "a-",
        "1.",
        "1-",
        "a,",
        "a;",
        "()",
        "[]",
        "{}",
        "''",
        '""',
        "``",
        "\\'",
        '\\"',
        "}}",
        "}} ",
    ),
    *(
        "://",
        "://a:",
        "://a@",
        ":@",
        "a:b@",
        "https://",
        "/a=b",
        "/2026/11/21",
        "2026-11-21",
        "2026-11-21T05:00:00",
        "20261121",
    ),
    *(
        "password",
        "password=",
        "password={ ",
        "password '",
        "password='",
        "token ",
        "token:\t",
        "secret = ",
        "sig=",
        "?code=",
        "password 'a' ",
        "password \t",
        "identified by ",
        "identified by 'a",
        "IDENTIFIED WITH a BY a ",
        "create user ",
        "create user; ",
        "password('",
        "('password',",
        "identified    ",
        "tokens: 5 ",
    ),
    *("sharedaccess", "SharedAccessKey=", "SharedAccessKeyName", "Endpoint=sb://", "accountkey", "pwd", "credential"),
    *(
        "eyJ",
        "eyJaaaaaaaa-",
        "eyJaaaaaaaa.",
        "bearer ",
        "Bearer aaaaaaaa ",
        "basic ",
        "Basic aaaaaaaa",
        "dapi",
        "ghp_",
        "xoxb-",
        "sk-",
        "sk-proj-",
        "--sk-proj-",
        "--sk-proj-aB3 ",
        "--sk-ant-aaaaaaaaaaaaaaaaaaaa-",
        "--glpat-aaaaaaaaaaaaaaaaaaaaaaa",
        "--github_pat_a_",
        "--xoxb-0123456789-",
        "--eyJaB3",
    ),
    *("-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "PRIVATE KEY-----", "-----END PRIVATE KEY-----"),
    *("jdbc:", "jdbc:oracle:thin:", "jdbc:oracle:thin:a/b", "jdbc:tc:", "jdbc:mysql://address=(host=", "a:b:"),
    *(
        "(host= ",
        "(host=",
        "( host",
        "(port=1)",
        "(sid=",
        "(DESCRIPTION=",
        "{a}",
        "{ ",
        "[run ",
        "[ ",
        "<run-",
        "( date ",
    ),
    *(
        "[thrd:",
        "(after 1ms in state a",
        "(after 1ms in state a (",
        " ms",
        "1 ms",
        "#producer-1",
        "FAIL ",
        "FAIL a#producer-",
    ),
    *(
        "-- ",
        "/*",
        "*/",
        "/* */",
        "select ",
        " top ( ",
        " with ( ",
        " fetch first 1 ",
        " offset 1 ",
        "a . ",
        '"a".',
        "r'",
        "'a' ",
    ),
    *("${", "${env:a", "${sys:", "${a}", "\\u", "\\u0041", "\\\n", "a\\\n", "#\n", "! ", " = ", "include = "),
    *('a="b" ', 'required a="', "org.a.B required ", "a=b;", "//", "/*/"),
    *(
        "part-0",
        "part-0/",
        "_temporary/",
        "app-123456789",
        "application_1234567890_0001",
        "local-1234567890-",
        "0123456789abcdef",
    ),
    *(
        "01234567-89ab-cdef-0123-456789abcdef",
        "%26",
        "%3D",
        "=:%",
        "*" * 8,
        "sasl_ssl://",
        "ssl://a:",
        "kerberos",
        "gssapi kdc ",
    ),
)


def fillers(pattern: str) -> Iterator[str]:
    """What a pattern's own words suggest."""
    plain = re.sub(r"\\[AbBdDsSwWzZ]|\(\?[a-zA-Z]*:?|\{\d*,?\d*\}", "\0", pattern)
    words = dict.fromkeys(
        word for word in re.findall(r"[\w:=/@ -]{2,}", re.sub(r"\\(.)", r"\1", plain)) if word.strip()
    )
    for word in words:
        yield word
        for behind in (" ", "a", "0", "=", ":", "(", "-", " a "):
            yield word + behind
    if words:
        yield " ".join(words)


def texts() -> Iterator[tuple[str, str]]:
    """Heads and fillers: every filler alone, and the plain ones behind every head."""
    yield from (("", unit) for unit in FILLERS)
    yield from ((head, unit) for head in HEADS for unit in _PLAIN)


def fault(
    read: Callable[[str], object], head: str, unit: str, size: int = SIZE, most: float = MILLISECONDS
) -> str | None:
    """Why a reader is too slow for a hostile text: it takes more than `most` milliseconds of CPU, or grows faster than the text.

    Begins with short texts, so that one that grows too fast is found before it takes hours. The machine may be slow, or
    become so: what takes long is compared with what a fixed piece of work takes right then, and what grows is measured again.
    """
    for length in (*(each for each in _FIRST_SIZES if each < size), size):
        taken = _milliseconds(read, _text(head, unit, length))
        bound = most if length == size else most / 5  # of a short text so much means hours for the next one
        if taken > bound and taken > bound * slowness():
            return f"{taken:.0f} ms for {length} characters of {head!r} {unit!r}"
    half = 0.0
    for _ in range(_RUNS):
        if taken <= _CALM_MILLISECONDS:
            return None
        half = _milliseconds(read, _text(head, unit, size // 2), at_least=_RUNS)
        if half * 3.5 >= taken:
            return None
        taken = min(taken, _milliseconds(read, _text(head, unit, size)))
    return f"{half:.0f} ms for {size // 2}, {taken:.0f} ms for {size} characters of {head!r} {unit!r}"


def _text(head: str, unit: str, length: int) -> str:
    return (head + unit * (length // len(unit) + 1))[:length]


def _milliseconds(read: Callable[[str], object], text: str, at_least: int = 1) -> float:
    """The least CPU of a few runs; of one, where that is calm, or out of all bounds.

    Without Python's garbage collector: what it has to look through is what the tests before have left.
    """
    least = math.inf
    with no_garbage_collection():
        for run in range(_RUNS):
            if (run >= at_least and least < _CALM_MILLISECONDS) or _CERTAIN_MILLISECONDS < least < math.inf:
                break
            start = time.thread_time()
            with contextlib.suppress(Exception):  # what it makes of the text is not asked for
                read(text)
            least = min(least, (time.thread_time() - start) * 1000)
    return least
