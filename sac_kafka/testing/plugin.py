"""The pytest plug-in: the fixture `lineage` and the option `--lineage-update`. It loads nothing of Spark or of the hook."""

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
    """Add the option and the setting."""
    group = parser.getgroup("lineage", "lineage of Spark jobs (sac_kafka)")
    group.addoption(
        UPDATE,
        action="store_true",
        dest="lineage_update",
        help="write what was seen into the golden files of lineage.assert_golden, instead of comparing it",
    )
    parser.addini(SPARK_FIXTURE, "the fixture that gives the SparkSession for `lineage`", default="spark")


@pytest.fixture
def lineage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lineage]:
    """What the Spark jobs of this test read and write, from here on: `sac_kafka.testing.Lineage`.

    Sees the session of the fixture `spark` (or of the one that the setting lineage_spark_fixture names), else the active
    session, else what `lineage.attach(session)` is given; and every one that is made during the test.
    """
    from sac_kafka.testing.golden import GoldenFiles
    from sac_kafka.testing.lineage import Lineage
    from sac_kafka.testing.shortening import Shortening
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
    """Forget what was seen, also in tests that do not ask: a long run must not grow."""
    watching = item.config.stash.get(_WATCHING, None)
    if watching is not None:
        watching.forget()


def pytest_terminal_summary(terminalreporter: Any) -> None:  # noqa: ANN401 pytest does not export its type
    """Name the golden files that were written, whichever process the tests ran in."""
    reports = [each for outcome in ("passed", "failed") for each in terminalreporter.stats.get(outcome, ())]
    calls = (each for each in reports if getattr(each, "when", "") == "call")
    files = Counter(value for each in calls for name, value in each.user_properties if name == _WRITTEN)
    for file, times in files.items():
        # Of one process only once: two workers have each made their own of it, and the last one is there.
        doubt = f", {times} times: give each assert_golden a name of its own" if times > 1 else ""
        terminalreporter.write_line(f"lineage: wrote {file}{doubt}")


def _session(request: pytest.FixtureRequest) -> Any:  # noqa: ANN401 a SparkSession, or None
    """The user's session; None where there is none yet.

    One that an earlier test has stopped is of use to nobody: a test that asks for it is told so, another one makes its own.
    """
    from sac_kafka.testing.watching import is_stopped

    name = str(request.config.getini(SPARK_FIXTURE))
    is_asked_for = name in request.fixturenames
    try:
        spark = request.getfixturevalue(name)
        if is_asked_for or not is_stopped(spark):
            return spark
    except pytest.FixtureLookupError as error:
        if error.argname != name:  # the fixture is there, and one that it needs is not
            raise
    sql = sys.modules.get("pyspark.sql")
    return None if sql is None else sql.SparkSession.getActiveSession()


def _shown(file: Path, root: Path) -> str:
    return str(file.relative_to(root) if file.is_relative_to(root) else file)
