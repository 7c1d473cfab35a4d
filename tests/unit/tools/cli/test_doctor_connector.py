"""What `sac-kafka doctor` finds of the Spark Atlas Connector: settings, files and jars of a machine that had it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from sac_kafka.settings.files.finding import CLASS_PATH, Found
from sac_kafka.settings.spark_atlas_connector import LISTENERS
from sac_kafka.spark import installation
from sac_kafka.tools.cli.main import main
from sac_kafka.tools.doctor.connector_checks import check_connector, has_old_classes
from sac_kafka.tools.doctor.doctor_in_driver import connector_findings
from tests.helpers.fake_driver import FakeDriver

BATCH = "com.hortonworks.spark.atlas.SparkAtlasEventTracker"
STREAM = "com.hortonworks.spark.atlas.SparkAtlasStreamingQueryEventTracker"
NAVIGATOR = "com.cloudera.spark.lineage.NavigatorAppListener"
DIES = "without the connector's jar no SparkContext starts (Exception when registering SparkListener)"


def jar(file: Path, name: str = "com/hortonworks/spark/atlas/SparkAtlasEventTracker.class") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, b"")
        archive.comment = b"x" * 1000
    return file


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a Spark without PySpark, as on an edge node."""
    home = tmp_path / "spark"
    (home / "conf").mkdir(parents=True)
    jar(home / "jars" / "spark-core_2.12-3.5.1.jar", "org/apache/spark/SparkContext.class")
    monkeypatch.setenv("SPARK_HOME", str(home))
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    monkeypatch.delenv("SPARK_DIST_CLASSPATH", raising=False)
    monkeypatch.setattr(installation, "find_spec", lambda name: None)
    return home


def steps(conf: dict[str, str] | None = None, file: Path | None = None) -> list[tuple[str, str]]:
    found = [*check_connector(conf or {}, file)]
    assert {each.name for each in found} == {"connector"}
    return [(each.verdict.value, each.text) for each in found]


@pytest.mark.parametrize("separator", [" ", "=", ": ", "\t", " = ", "   "])
@pytest.mark.parametrize("place", ["home", "directory", "option"])
def test_listener_in_the_defaults_is_found(
    home: Path, tmp_path: Path, separator: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / "conf" if place == "home" else tmp_path / "conf"
    folder.mkdir(exist_ok=True)
    file = folder / ("spark-defaults.conf" if place != "option" else "mine.conf")
    file.write_text(
        f"# mine\nspark.master yarn\nspark.extraListeners{separator}a.B, {BATCH}\n#spark.sql.extensions x\n"
    )
    if place == "directory":
        monkeypatch.setenv("SPARK_CONF_DIR", str(folder))
    assert steps(file=file if place == "option" else None) == [
        ("FAIL", f"{file}, spark.extraListeners = {BATCH}: remove this; {DIES}")
    ]


def test_every_key_is_found_with_what_it_does(home: Path) -> None:
    found = steps(dict.fromkeys(LISTENERS, f"{BATCH},{STREAM}"))
    assert [verdict for verdict, _ in found] == ["FAIL", "FAIL", "FAIL", "warn"]
    for (_, text), (key, effect) in zip(found, LISTENERS.items(), strict=True):
        assert text.startswith(f"--conf {key} = {BATCH},{STREAM}: remove this; ")
        assert text.endswith(effect)


def test_classes_of_navigator_and_keys_of_clouderas_spark_are_found(home: Path) -> None:
    (home / "conf" / "spark-defaults.conf").write_text(
        f"spark.extraListeners={NAVIGATOR}\nspark.lineage.enabled=true\nspark.lineage.log.dir=/var/log/spark/lineage\n"
        "spark.lineage.kafka.fault-tolerant.timeout.ms=1000\n"
    )
    place = home / "conf" / "spark-defaults.conf"
    assert steps() == [
        ("FAIL", f"{place}, spark.extraListeners = {NAVIGATOR}: remove this; {DIES}"),
        ("warn", f"{place}, spark.lineage.enabled = true has no effect on sac_kafka: use spark.atlas.spark.enabled"),
        (
            "warn",
            f"{place}, spark.lineage.log.dir = /var/log/spark/lineage has no effect on sac_kafka: use "
            "spark.atlas.client.type=file and spark.atlas.client.file.path",
        ),
        (
            "warn",
            f"{place}, spark.lineage.kafka.fault-tolerant.timeout.ms = 1000 has no effect on sac_kafka: remove it, no token is "
            "fetched while a job is submitted",
        ),
    ]


@pytest.mark.parametrize("key", ["spark.jars", "spark.driver.extraClassPath", "spark.yarn.dist.jars"])
@pytest.mark.parametrize("name", ["spark-atlas-connector-assembly-0.1.0-SNAPSHOT.jar", "renamed.jar"])
def test_jar_is_found_by_its_name_or_its_classes(home: Path, tmp_path: Path, key: str, name: str) -> None:
    file = jar(tmp_path / "lib" / name)
    separator = ":" if key.endswith("Path") else ","
    conf = {key: f"/no/other.jar{separator}{file}", "spark.extraListeners": BATCH}
    assert steps(conf) == [
        (
            "warn",
            f"--conf spark.extraListeners = {BATCH}: remove this; the Spark Atlas Connector reports each flow, too",
        ),
        ("warn", f"{key}: {file} is the Spark Atlas Connector; remove it, after its listeners"),
    ]


def test_jar_is_found_in_a_folder_of_the_class_path(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = (jar(home / folder / f"{folder}.jar") for folder in ("hdp", "jars", "dist"))
    jar(home / "hdp" / "other.jar", "com/example/A.class")
    monkeypatch.setenv("SPARK_DIST_CLASSPATH", f"/etc/hadoop/conf:{third.parent}/*")
    fix = "is the Spark Atlas Connector; remove it, after its listeners"
    assert steps({"spark.driver.extraClassPath": f"{first.parent}/*"}) == [
        ("warn", f"spark.driver.extraClassPath: {first} {fix}"),
        ("warn", f"SPARK_DIST_CLASSPATH: {third} {fix}"),
        ("warn", f"{home}/jars: {second} {fix}"),
    ]


@pytest.mark.parametrize(
    "entry", ["hdfs:///lib/spark-atlas-connector_2.11-0.1.0.jar", "local:/opt/spark-atlas-connector.jar"]
)
def test_jar_elsewhere_is_found_by_its_name(home: Path, entry: str) -> None:
    (found,) = steps({"spark.jars": entry})
    assert found[0] == "warn"
    assert Path(entry).name in found[1]


def test_coordinates_are_found(home: Path) -> None:
    coordinates = "com.hortonworks.spark:spark-atlas-connector_2.11:0.1.0.7.2.7.5-1"
    assert steps({"spark.jars.packages": f"org.example:a:1,{coordinates}"}) == [
        ("warn", f"spark.jars.packages: {coordinates} is the Spark Atlas Connector; remove it, after its listeners")
    ]


def test_nothing_is_left(home: Path) -> None:
    file = home / "conf" / "spark-defaults.conf"
    file.write_text("spark.extraListeners sackafka.driver.LineageListener\n")
    assert steps() == [("ok", f"no listener and no jar of the Spark Atlas Connector in {file}, {home}/jars")]


def test_a_missing_defaults_file_is_named(home: Path) -> None:
    ((verdict, text),) = steps()
    assert (verdict, text.rpartition("; ")[2]) == (
        "ok",
        "no spark-defaults.conf was found: set SPARK_CONF_DIR to its folder",
    )


def test_missing_properties_file_is_a_failure(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "no.conf"
    assert steps(file=file) == [
        ("FAIL", f"{file} cannot be read: No such file or directory; name a file like spark-defaults.conf")
    ]


@pytest.mark.parametrize("content", [b"", b"PK\5\6", b"x" * 70_000, b"PK\5\6" + b"\xff" * 18])
def test_file_that_is_no_jar_is_none_of_the_connectors(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.jar").write_bytes(content)
    assert not has_old_classes(tmp_path / "a.jar")
    assert not has_old_classes(tmp_path / "missing.jar")


def test_running_driver_is_checked() -> None:
    class Driver(FakeDriver):
        def class_path_resource(self, name: str) -> Found | None:
            return Found(f"jar:file:/opt/the%20connector.jar!/{name}", CLASS_PATH, b"")

    found = [(each.verdict.value, each.text) for each in connector_findings(Driver(), {"spark.extraListeners": BATCH})]
    assert found == [
        ("warn", f"spark.extraListeners = {BATCH}: remove this; the Spark Atlas Connector reports each flow, too"),
        ("warn", "/opt/the connector.jar is the Spark Atlas Connector; remove it, after its listeners"),
    ]
    assert [each.verdict.value for each in connector_findings(FakeDriver(), {})] == ["ok"]


def test_the_command_reads_the_named_file(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.conf"
    file.write_text(f"spark.sql.queryExecutionListeners {BATCH}\n")
    status = main(["doctor", "--properties-file", str(file), "--conf", "atlas.client.type=memory"])
    lines = [line for line in capsys.readouterr().out.splitlines() if " connector " in line]
    assert (status, len(lines)) == (1, 1)
    assert f"{file}, spark.sql.queryExecutionListeners = {BATCH}: remove this; " in lines[0]
