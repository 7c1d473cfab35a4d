"""Fixtures of all tests. What is tested is the installed package where there is one: the checkout comes last on the path."""

from __future__ import annotations

import functools
import gc
import os
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

from tests.helpers import jvm  # noqa: E402 the path must be set first

jvm.set_options()
# Functions of Python run in the interpreter that has what the tests have, not in the first python3 of the PATH.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

# What Hypothesis draws is the same in every run, as all that tests draw (tests/helpers/seeds.py); no machine is too slow.
hypothesis.settings.register_profile(
    "suite", derandomize=True, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("suite")

from sac_kafka import guard, log  # noqa: E402 the path must be set first
from sac_kafka.atlas.wire import message  # noqa: E402
from tests.helpers import processes, samples, secret_search, seeds  # noqa: E402
from tests.helpers.judge import judging  # noqa: E402

_NO_ENTITIES = {"referredEntities": {}, "entities": []}


@pytest.fixture(autouse=True)
def own_errors(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[list[tuple[str, Exception]]]:
    """Raise at the end of a test what the guard swallowed, unless the test plants errors (marker `planted`)."""
    errors: list[tuple[str, Exception]] = []
    for module in (guard, log):
        monkeypatch.setattr(module, "on_error", lambda stage, e: errors.append((stage, e)))
    yield errors
    if errors and request.node.get_closest_marker("planted") is None:
        raise errors[0][1]


@pytest.fixture(autouse=True)
def rendered(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Collect every message that the test makes in this process; at its end Atlas' own classes judge them.

    So they do those that its drivers have left in files of its folder. A violation or a warning fails the test, unless
    it makes bad messages on purpose (marker `bad_messages`).
    """
    values: list[str] = []
    folder: Path | None = request.getfixturevalue("tmp_path") if "tmp_path" in request.fixturenames else None
    encode = message.encode

    def kept(value: Any) -> str:
        text = encode(value)
        # An empty envelope is only measured, never sent; parts were judged as the whole.
        message_in = value.get("message") if isinstance(value, dict) and "msgSplitIdx" in value else None
        if isinstance(message_in, dict) and message_in.get("entities") != _NO_ENTITIES:
            values.append(text)
        return text

    monkeypatch.setattr(message, "encode", kept)
    yield values
    left = [line for file in _files_of_messages(folder) for line in _envelopes(file)] if folder else []
    if (values or left) and request.node.get_closest_marker("bad_messages") is None:
        judging.assert_good([*values, *left])


def _files_of_messages(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, except those that a process removes while it ends."""
    for path, _, names in os.walk(folder):
        yield from (Path(path, name) for name in names if name.endswith(".jsonl"))


def _envelopes(file: Path) -> list[str]:
    """Return the messages among the lines of a file; a killed driver may have left half a line, of half a character."""
    try:
        text = file.read_text("utf-8", "replace")
    except OSError:  # no file, or gone
        return []
    return [line for line in text.splitlines() if '"msgSplitIdx"' in line and line.endswith("}}")]


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Use the seed of all random tests for Hypothesis as well."""
    if seeds.VARIABLE in os.environ:
        hypothesis.settings.register_profile("suite", hypothesis.settings.get_profile("suite"), derandomize=False)
        hypothesis.settings.load_profile("suite")
        config.option.hypothesis_seed = os.environ[seeds.VARIABLE]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector, which leaves alone what was collected: a sixth of the time of pure tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    """End the processes of a test that fails: the warning about one that is left would fail the next test, too."""
    with processes.ended_after_failure():
        yield


@pytest.hookimpl(tryfirst=True)  # before `-m` deselects
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what CI or `make quick` does not run, and give tests with servers more time before they count as hanging.

    Of several workers, each starts with the longest files: those with a Spark or a broker.
    """
    samples.mark_slow(items)
    samples.mark_exhaustive(items)
    is_measured = config.pluginmanager.hasplugin("_cov")
    for item in items:
        if is_measured and item.get_closest_marker("slow"):
            item.add_marker("no_cover")  # it repeats what others do, and would take twice as long
        needs = {mark.name for mark in item.iter_markers()} & HANGING_SECONDS.keys()
        if needs and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(max(map(HANGING_SECONDS.__getitem__, needs))))
    if config.getoption("numprocesses", None) or hasattr(config, "workerinput"):
        items.sort(key=lambda item: -len({"spark", "kafka"} & {mark.name for mark in item.iter_markers()}))


HANGING_SECONDS = {
    **dict.fromkeys(("spark", "kafka"), 900),
    **dict.fromkeys(("atlas", "yarn", "sources", "conformance", "nightly"), 1800),
}
"""When a test counts as hanging, by what it needs; the others after 300 s (pyproject.toml). Never what a test judges by."""


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the judge, if it was started; search all that the run has left behind for the secrets it used.

    Each worker of xdist does so for itself, and reports to the process that started it.
    """
    judging.close()
    folders: pytest.TempPathFactory | None = getattr(session.config, "_tmp_path_factory", None)
    if folders is None or session.config.option.collectonly:
        return
    if not session.config.getoption("numprocesses", None):
        found = secret_search.search(folders.getbasetemp(), secret_search.all_secrets(folders.getbasetemp()))
        _secrets_left.extend(str(each) for each in found)
    if hasattr(session.config, "workerinput"):
        session.config.workeroutput["secrets_left"] = _secrets_left
    elif _secrets_left:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


_secrets_left: list[str] = []


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add what a worker found when it ends."""
    _secrets_left.extend(getattr(node, "workeroutput", {}).get("secrets_left", []))


@pytest.fixture(scope="session", autouse=True)
def trust_is_read_once() -> Iterator[None]:
    """Whom the system trusts does not change within a run, and takes 50 ms to read."""
    from sac_kafka.transport.http import addresses

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(addresses, "trust_context", functools.cache(addresses.trust_context))
        yield


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Makes hooks without a JVM: `tests.helpers.hooks.Bench`."""
    from tests.helpers.hooks import maker

    with maker(tmp_path, monkeypatch) as made:
        yield made


@pytest.fixture
def add_to_summary(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Add figures to the summary at the end of the run, whichever process the test ran in."""
    return lambda line: request.node.user_properties.append((_SUMMARY, line))


_SUMMARY = "summary"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures of tests and the findings of the search before the last line."""
    reports = [each for outcome in ("passed", "failed") for each in terminalreporter.stats.get(outcome, ())]
    for report in reports:
        summary = [line for name, line in report.user_properties if name == _SUMMARY] if report.when == "call" else []
        if summary:
            terminalreporter.write_sep("-", report.nodeid)
        for line in summary:
            terminalreporter.write_line(line)
    for reason, count in _skipped(terminalreporter.stats.get("skipped", ())).most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}")
    if _secrets_left:
        terminalreporter.write_sep("=", "secrets in what the run has left behind", red=True)
    for each in _secrets_left:
        terminalreporter.write_line(each)


def _skipped(reports: Iterable[pytest.TestReport | pytest.CollectReport]) -> Counter[str]:
    """Count skipped tests by reason; a reason names what would run them."""
    reasons = (each.longrepr[2] if isinstance(each.longrepr, tuple) else str(each.longrepr) for each in reports)
    return Counter(each.removeprefix("Skipped: ") for each in reasons)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep what was captured, so that the search at the end sees it."""
    report = yield
    if call.when == "teardown" and report.sections:
        folders: pytest.TempPathFactory = item.config._tmp_path_factory
        with (folders.getbasetemp() / "captured.txt").open("a", errors="backslashreplace") as file:
            for title, text in report.sections:
                name = item.nodeid.partition("[")[0]  # what parametrizes a test may be a secret
                file.write(f"{name}: {title}\n{text}\n")
    return report


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """Provide a real Kafka for the whole run; fail the run if it cannot be had."""
    from tests.helpers.broker import acquire_broker

    acquired = acquire_broker(tmp_path_factory.mktemp("kafka"))
    yield acquired
    acquired.close()
