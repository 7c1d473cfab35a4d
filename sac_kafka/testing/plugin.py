"""Register the fixture `lineage` and the option `--lineage-update` with pytest, without importing Spark or the hook."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sac_kafka.testing.lineage import Lineage

UPDATE = "--lineage-update"
SPARK_FIXTURE = "lineage_spark_fixture"
_WRITTEN = "lineage golden file"
_WATCHING = pytest.StashKey[Any]()
_TEXTS = pytest.StashKey[dict[Path, str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the ini setting."""
    group = parser.getgroup("lineage", "lineage of Spark jobs (sac_kafka)")
    group.addoption(
        UPDATE,
        action="store_true",
        dest="lineage_update",
        help="write the captured lineage to the golden files of lineage.assert_golden instead of comparing it",
    )
    parser.addini(SPARK_FIXTURE, "fixture that provides the SparkSession for `lineage`", default="spark")


@pytest.fixture
def lineage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lineage]:
    """Capture the lineage of this test's Spark jobs from here on: `sac_kafka.testing.Lineage`.

    Watches the session of the fixture `spark` (or of the fixture in lineage_spark_fixture), else the active session, else the one
    passed to `lineage.attach(session)`; and every session created during the test.
    """
    from sac_kafka.testing.golden import GoldenFiles
    from sac_kafka.testing.lineage import Lineage
    from sac_kafka.testing.naming import Shortening
    from sac_kafka.testing.watching import Watching

    watching = request.config.stash.setdefault(_WATCHING, Watching())
    spark = _session(request)
    watching.begin(spark)
    names = Shortening({"{basetemp}": tmp_path_factory.getbasetemp()})
    if "tmp_path" in request.fixturenames:
        names.add("{tmp_path}", request.getfixturevalue("tmp_path"))
    golden = GoldenFiles(
        request.path.parent,
        is_updating=request.config.getoption("lineage_update"),
        written=lambda file: request.node.user_properties.append((_WRITTEN, _shown(file, request.config.rootpath))),
        texts=request.config.stash.setdefault(_TEXTS, {}),
    )
    with watching.following():
        yield Lineage(watching, names, golden, str(request.config.getini(SPARK_FIXTURE)))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Discard captured messages after every test, also without the fixture, so that memory does not grow."""
    watching = item.config.stash.get(_WATCHING, None)
    if watching is not None:
        watching.forget()


def pytest_terminal_summary(terminalreporter: Any) -> None:  # noqa: ANN401 pytest does not export its type
    """List the golden files that were written, in whichever process."""
    reports = [each for outcome in ("passed", "failed") for each in terminalreporter.stats.get(outcome, ())]
    calls = (report for report in reports if getattr(report, "when", "") == "call")
    files = Counter(value for call in calls for name, value in call.user_properties if name == _WRITTEN)
    for file, times in files.items():
        # More than once: two workers wrote different lineage to the file, and the last one won.
        doubt = f", {times} times: use a different name for each assert_golden" if times > 1 else ""
        terminalreporter.write_line(f"lineage: wrote {file}{doubt}")


def _session(request: pytest.FixtureRequest) -> Any:  # noqa: ANN401 a SparkSession, or None
    """Return the user's session; None without one.

    A stopped session is returned only to a test that requests its fixture, which then fails with an explanation.
    """
    from sac_kafka.testing.watching import is_stopped

    name = str(request.config.getini(SPARK_FIXTURE))
    is_requested = name in request.fixturenames
    try:
        spark = request.getfixturevalue(name)
        if is_requested or not is_stopped(spark):
            return spark
    except pytest.FixtureLookupError as error:
        if error.argname != name:  # The fixture exists, but one that it depends on does not.
            raise
    sql = sys.modules.get("pyspark.sql")
    return None if sql is None else sql.SparkSession.getActiveSession()


def _shown(file: Path, root: Path) -> str:
    return str(file.relative_to(root) if file.is_relative_to(root) else file)
