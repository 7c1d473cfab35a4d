"""Hostile texts: what makes a reader of texts do more work than their length, if anything does.

A text is a head and a filler that is repeated. Fillers come from a table, and from the pattern that is tried: its own
words, alone and with what may follow them, as it takes a beginning that fits to make it look further.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator

from tests.helpers.work import TOLERANCE, Text, steps

SIZE = 50
"""Characters of the shorter of two hostile texts; or more, so that it has a filler several times."""
_LEAST_UNITS = 8
TIMES = 4
"""How many times longer the other one is."""
_ONCE = 300
"""Steps that do not depend on the text."""

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
        "a@",
        "token.",
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
    """Return texts that a pattern's own words suggest."""
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


def fault(read: Callable[[str], object], head: str, unit: str, size: int = SIZE) -> str | None:
    """Return how the work of a reader grows faster than a hostile text, or None if it does not.

    A reader may raise an error for the text.
    """

    def reading(length: int) -> int:
        text = Text((head + unit * (length // len(unit) + 1))[:length])

        def call() -> None:
            with contextlib.suppress(Exception):
                read(text)

        return steps(call)

    size = max(size, _LEAST_UNITS * len(unit))
    much = reading(size * TIMES)
    if much <= _ONCE * TIMES * TOLERANCE or much <= ((little := reading(size)) + _ONCE) * TIMES * TOLERANCE:
        return None
    much = reading(size * TIMES)  # again: a cache or an import of the first reading is not the text's work
    if much <= (little + _ONCE) * TIMES * TOLERANCE:
        return None
    return f"{little} steps for {size}, {much} for {size * TIMES} characters of {head!r} {unit!r}"
