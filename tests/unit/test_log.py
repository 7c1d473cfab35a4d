"""Log calls: they never raise, and name the hook if logging is not configured."""

from __future__ import annotations

import logging
import os
import pty
import subprocess
import sys
from collections.abc import Iterator

import pytest

import sac_kafka
from sac_kafka.guard import Guard
from sac_kafka.log import Logger, logger


class Raising(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        raise ConnectionError("the collector of logs is gone")


@pytest.fixture
def raising() -> Iterator[None]:
    handler = Raising()
    logging.getLogger().addHandler(handler)
    yield
    logging.getLogger().removeHandler(handler)


@pytest.mark.planted
@pytest.mark.usefixtures("raising")
def test_error_in_a_handler_is_contained(own_errors: list[tuple[str, Exception]]) -> None:
    assert not sac_kafka.attach(object()).is_active
    guard = Guard()
    with guard("entities"):
        raise ValueError("planted")

    assert guard.counts == {"entities: ValueError": 1}
    assert {stage for stage, _ in own_errors} == {"log", "entities"}


@pytest.mark.planted
@pytest.mark.usefixtures("raising")
def test_exits_of_the_interpreter_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Raising, "emit", lambda *_: sys.exit(3))
    with pytest.raises(SystemExit):
        logger.warning("x")


def test_a_record_names_the_line_that_logs(caplog: pytest.LogCaptureFixture) -> None:
    logger.warning("%s went wrong", "this")

    (record,) = caplog.records
    assert (record.name, record.filename, record.getMessage()) == ("sac_kafka", "test_log.py", "this went wrong")


@pytest.mark.parametrize(
    ("configured", "shown"),
    [("", "sac_kafka: it is 100% so\n"), ("logging.basicConfig(); ", "WARNING:sac_kafka:it is 100% so\n")],
)
def test_lines_name_the_hook_once(configured: str, shown: str) -> None:
    code = f"import logging; from sac_kafka.log import logger; {configured}logger.warning('it is %d%% so', 100)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr == shown


@pytest.mark.slow
def test_terminal_shows_info_lines_if_logging_is_not_configured() -> None:
    def shown(configured: str) -> str:
        code = f"import logging; from sac_kafka.log import logger; {configured}logger.good('%d delivered', 3)"
        master, slave = pty.openpty()
        with subprocess.Popen([sys.executable, "-c", code], stderr=slave) as process:
            process.wait(60)
        os.close(slave)
        try:
            return os.read(master, 1000).decode()
        except OSError:  # nothing was written
            return ""
        finally:
            os.close(master)

    assert shown("") == "sac_kafka: 3 delivered\r\n"
    assert shown("logging.basicConfig(); ") == ""
    assert shown("logging.getLogger('sac_kafka').setLevel(logging.INFO); ") == "sac_kafka: 3 delivered\r\n"
    assert shown("logging.getLogger('sac_kafka').setLevel(logging.ERROR); ") == ""
    assert shown("logging.getLogger().setLevel(logging.ERROR); ") == ""
    assert shown("logging.disable(logging.CRITICAL); ") == ""
    assert shown("from sac_kafka.log import fall_silent; fall_silent(); ") == ""
    assert shown("logging.basicConfig(level=logging.INFO); ") == "INFO:sac_kafka:3 delivered\r\n"


def test_pipe_shows_info_lines_while_messages_go_to_the_console() -> None:
    """Show info lines in a pipe, which standard error of the driver's Python is under spark-submit."""
    code = "from sac_kafka.log import logger; logger.is_for_console = {}; logger.good('%d delivered', 3)"
    for is_for_console, shown in ((True, "sac_kafka: 3 delivered\n"), (False, "")):
        command = [sys.executable, "-c", code.format(is_for_console)]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stderr == shown


def test_repeated_line_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    log = Logger("sac_kafka")
    reason = "no broker answers at h:9092; check the address"
    assert log.above(reason) == reason
    log.info("kafka: %s", reason)
    assert log.above(reason) == reason
    log.warning("kafka: %s", reason)
    assert log.above(reason) == "see above"
    assert log.above(f"at the end; {reason}") == "at the end; see above"
    assert log.above(f"at the end; {reason} (ssl://h:9092: reset (errno 104))") == "at the end; see above"
    assert log.above("another one, which is as long as that; wait (a detail)").endswith("(a detail)")
    assert log.above("another") == "another"


def test_abandoned_threads_log_nothing_during_interpreter_exit() -> None:
    code = (
        "import atexit; from sac_kafka.hook import exits; from sac_kafka.log import logger\n"
        "atexit.register(lambda: logger.warning('too late'))\n"
        "exits.watch(lambda: logger.warning('in time'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "sac_kafka: in time\n"
