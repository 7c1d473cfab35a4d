"""Names and texts of others forge no line of a log, an error or a file of metrics."""

from __future__ import annotations

import io
import logging
import sys
import unicodedata
from collections.abc import Iterator

import pytest

from sac_kafka.errors import ConfigurationError, WrongValuesError
from sac_kafka.escaping import escape
from sac_kafka.guard import Guard, describe
from sac_kafka.log import Logger, logger
from sac_kafka.stats import flush_result, stats_of_none
from sac_kafka.transport.base import Failure, FailureKind
from tests.helpers.forging import FORGING, is_forged


@pytest.fixture
def log_stream() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logging.getLogger("sac_kafka").addHandler(handler)
    yield stream
    logging.getLogger("sac_kafka").removeHandler(handler)


def test_every_control_format_and_line_separating_character_is_escaped() -> None:
    visible = range(0x600, 0x606), (0x6DD, 0x70F, 0x890, 0x891, 0x8E2), (0x110BD, 0x110CD), range(0x13430, 0x13440)
    unescaped = {
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp") and escape(chr(code)) == chr(code)
    }
    assert unescaped <= {code for each in visible for code in each}
    assert escape("größe 日報\u3000東京 \\n 'x' – €") == "größe 日報\u3000東京 \\n 'x' – €"
    assert escape(escape("a\x1b\u202e")) == escape("a\x1b\u202e") == "a\\x1b\\u202e"


@pytest.mark.slow
@pytest.mark.planted
@pytest.mark.parametrize("text", FORGING, ids=ascii)
def test_text_of_others_forges_no_line(text: str, log_stream: io.StringIO) -> None:
    logger.warning("write to %s failed (%s)", text, text)
    logger.warning("it is about " + text.replace("%", "%%"))
    Logger("sac_kafka").error("%r and %s", 1, text)
    guard = Guard()
    with guard("send"):
        raise ValueError(text)
    lines = log_stream.getvalue().removesuffix("\n").split("\n")
    assert len(lines) == 4
    assert not any(map(is_forged, lines))

    errors = (ConfigurationError(f"x = {text}: no"), WrongValuesError(f"x = {text}", text))
    shown = [
        *map(str, errors),
        *errors[1].sentences,
        describe(OSError(text)),
        str(Failure(FailureKind.TRANSIENT, text)),
    ]
    stats = stats_of_none(f"no {text}", {})
    stats["disabled"], stats["spool"]["directory"], stats["messages"]["spooled"] = None, text, 1
    shown.append(flush_result(stats, stats["messages"]).problem or "")
    assert not any(map(is_forged, shown))
