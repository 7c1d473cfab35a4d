"""`sac-kafka pack`: contents of the archive, the printed command line, and every unsuitable environment.

The examples of docs/clusters.md and docs/kerberos.md are run here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from sac_kafka.spark.java_classes import driver_archive
from sac_kafka.tools.cli import pack, yarn_submission
from sac_kafka.tools.cli.jar import LISTENER
from sac_kafka.tools.cli.main import main

Run = Callable[..., tuple[int, list[str], str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a virtual environment with a few packages."""
    prefix = tmp_path_factory.mktemp("environment") / "made"
    venv.create(prefix, symlinks=True)
    packages = site_packages(prefix)
    for name in ("sac_kafka/__init__.py", "other/deep/module.py", "pyspark/jars/big.jar", "other/pyspark/mine.py"):
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        (packages / name).write_text("")
    (packages / "auto.pth").write_text("")
    return prefix


@pytest.fixture
def prefix(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the environment; the command runs in the copy."""
    prefix = shutil.copytree(made, tmp_path / "made", symlinks=True)
    monkeypatch.setattr(sys, "prefix", str(prefix))
    monkeypatch.setattr(pack, "PACKAGE", site_packages(prefix) / "sac_kafka")
    return prefix


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs `sac-kafka pack …` in an empty directory: (status, lines of output, errors)."""
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")

    def command(*arguments: str) -> tuple[int, list[str], str]:
        status = main(["pack", *arguments])
        captured = capsys.readouterr()
        return status, captured.out.splitlines(), captured.err

    return command


def site_packages(prefix: Path) -> Path:
    (place,) = prefix.glob("lib/python*/site-packages")
    return place


def made_editable(prefix: Path) -> None:
    folder = site_packages(prefix) / "theirs-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (folder / "direct_url.json").write_text(json.dumps({"url": "file:///x", "dir_info": {"editable": True}}))


def test_the_archive_is_the_environment_without_pyspark(run: Run, prefix: Path, tmp_path: Path) -> None:
    status, lines, complaint = run("-o", "job.tar.gz")
    assert (status, complaint) == (0, "")
    with tarfile.open("job.tar.gz") as archive:
        names = set(archive.getnames())
        assert Path(archive.getmember("bin/python").linkname).name.startswith("python")
        archive.extractall(tmp_path / "node", filter="fully_trusted")
    packages = site_packages(Path(prefix)).relative_to(prefix)
    assert {"pyvenv.cfg", f"{packages}/auto.pth", f"{packages}/other/deep/module.py"} <= names
    assert f"{packages}/other/pyspark/mine.py" in names
    assert not [name for name in names if name.startswith(f"{packages}/pyspark")]
    python = tmp_path / "node" / "bin" / "python"
    done = subprocess.run(
        [python, "-c", "import other.deep.module as m; print(m.__file__)"], capture_output=True, text=True
    )
    assert done.stdout.strip() == str(tmp_path / "node" / packages / "other/deep/module.py"), done.stderr
    assert f"Every node needs {python.resolve()} (Python 3." in lines[1]


def test_the_line_to_submit_a_job_names_the_archive(run: Run, prefix: Path) -> None:
    _, lines, _ = run("-o", "my env.tgz")
    assert re.fullmatch(rf"my env\.tgz: \d+ MB, {prefix} without pyspark", lines[0])
    assert lines[2:] == [
        "",
        "spark-submit --master yarn --deploy-mode cluster \\",
        "  --archives 'my env.tgz'#env \\",
        "  --files atlas-application.properties \\",
        "  --conf spark.pyspark.python=./env/bin/python \\",
        "  --conf spark.yarn.appMasterEnv.SAC_KAFKA_AUTO=1 \\",
        "  JOB.py",
        "",
        "A main in Scala or Java:",
        "",
        "spark-submit --master yarn --deploy-mode cluster \\",
        "  --archives 'my env.tgz'#env \\",
        "  --files atlas-application.properties \\",
        f"  --jars {driver_archive()} \\",
        f"  --conf spark.extraListeners={LISTENER} \\",
        "  --conf spark.atlas.hook.spark.python=./env/bin/python \\",
        "  --conf spark.yarn.isPython=true \\",
        "  --class MAIN JOB.jar",
    ]


def test_an_archive_of_before_is_replaced_whole_and_is_not_packed(
    run: Run, prefix: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(prefix)
    for _ in range(2):
        assert run()[0] == 0
    with tarfile.open("env.tar.gz") as archive:
        assert "env.tar.gz" not in archive.getnames()
    assert [each.name for each in prefix.iterdir() if "env.tar" in each.name] == ["env.tar.gz"]


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda prefix: (prefix / "conda-meta").mkdir(), "a conda environment: pack it with conda-pack -o env.tar.gz"),
        (lambda prefix: (prefix / "pyvenv.cfg").unlink(), "is not a virtual environment: create one with python3 -m venv env"),
        (made_editable, "theirs is an editable install, so its code is not in the environment: install it without -e"),
    ],
)  # fmt: skip
def test_an_environment_that_will_not_do_is_one_line(
    spoil: Callable[[Path], object], complaint: str, run: Run, prefix: Path
) -> None:
    spoil(prefix)
    status, lines, err = run()
    assert (status, lines, err.count("\n")) == (2, [], 1)
    assert complaint in err
    assert not [*Path().iterdir()]


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        ("env.zip", "env.zip: unsupported suffix for Spark; use .tar.gz or .tgz"),
        ("nowhere/env.tar.gz", "nowhere/env.tar.gz cannot be written: the folder "),
        ("folder.tar.gz", "sac-kafka pack: folder.tar.gz cannot be written: "),
    ],
)
def test_invalid_output_file_is_one_line(file: str, complaint: str, run: Run, prefix: Path) -> None:
    Path("folder.tar.gz").mkdir()
    status, lines, err = run("-o", file)
    assert (status, lines, err.count("\n")) == (2, [], 1)
    assert complaint in err
    assert [*Path().iterdir()] == [Path("folder.tar.gz")]


def test_package_outside_the_environment_is_reported(
    run: Run, prefix: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pack, "PACKAGE", tmp_path / "checkout" / "sac_kafka")
    assert run()[0::2] == (
        2,
        f"sac-kafka pack: sac_kafka is in {tmp_path / 'checkout'}, not in {prefix}: install it there, and unset PYTHONPATH\n",
    )


def test_odd_files_of_an_environment_do_no_harm(run: Run, prefix: Path) -> None:
    (site_packages(prefix) / "loop").symlink_to("back")
    (site_packages(prefix) / "back").symlink_to("loop")
    for name, origin in (("a", "[1]"), ("b", '{"dir_info": null}'), ("c", '{"dir_info": {}}')):
        folder = site_packages(prefix) / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (folder / "direct_url.json").write_text(origin)

    status, _, complaint = run("-o", "job.tar.gz")

    assert (status, complaint) == (0, "")
    with tarfile.open("job.tar.gz") as archive:
        assert sum(each.endswith(("/loop", "/back")) for each in archive.getnames()) == 2


def test_unreadable_file_is_reported(run: Run, prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = os.scandir

    def scandir(path: str | Path) -> object:
        if str(path).endswith("site-packages"):
            raise PermissionError(13, "Permission denied", str(path))
        return scan(path)

    site = site_packages(prefix)
    monkeypatch.setattr(pack, "_editable", lambda _: [])
    monkeypatch.setattr(os, "scandir", scandir)
    assert run("-o", "job.tar.gz")[::2] == (2, f"sac-kafka pack: {site} cannot be packed: Permission denied\n")


def test_for_programs(run: Run, prefix: Path) -> None:
    status, lines, _ = run("--json")
    found = json.loads("\n".join(lines))
    assert (status, found["path"], found["prefix"]) == (0, "env.tar.gz", str(prefix))
    assert found["bytes"] == Path("env.tar.gz").stat().st_size
    assert found["submit"].startswith("spark-submit --master yarn ")
    assert f"--conf spark.extraListeners={LISTENER} " in found["submit_jar"]
    assert set(found) == {"path", "bytes", "prefix", "interpreter", "python", "submit", "submit_jar", "notes"}


KERBEROS = """atlas.kafka.bootstrap.servers=b1.example.com:6667
atlas.kafka.security.protocol=SASL_SSL
atlas.kafka.ssl.truststore.location=ca.pem
atlas.kafka.ssl.truststore.type=PEM
atlas.hook.spark.rest.ca.file={folder}/other/ca.pem
"""
KEYTAB = """atlas.jaas.KafkaClient.loginModuleName=com.sun.security.auth.module.Krb5LoginModule
atlas.jaas.KafkaClient.option.useKeyTab=true
atlas.jaas.KafkaClient.option.keyTab=/etc/security/keytabs/etl.keytab
atlas.jaas.KafkaClient.option.principal={principal}
"""
CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.1"
WITHOUT_MAVEN = "Without Maven, instead of --packages: --jars with the platform's kafka-clients-*.jar (2.8 or newer)."


@pytest.fixture
def edge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a configuration with Kerberos, on a host with a vendor's Spark 3.5.1 and no Kafka."""
    jars = tmp_path / "spark" / "jars"
    jars.mkdir(parents=True)
    (jars / "spark-core_2.12-3.5.1.3.5.7191000.0-1.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(jars.parent))
    folder = tmp_path / "conf"
    (folder / "other").mkdir(parents=True)
    for file in (folder / "ca.pem", folder / "other" / "ca.pem"):
        file.touch()
    text = KERBEROS.format(folder=folder) + KEYTAB.format(principal="etl@EXAMPLE.COM")
    (folder / "atlas-application.properties").write_text(text)
    return folder


def test_command_of_a_driver_on_the_cluster_is_complete(run: Run, prefix: Path, edge: Path) -> None:
    status, lines, complaint = run("--conf-dir", str(edge))
    assert (status, complaint) == (0, "")
    shared = [
        "spark-submit --master yarn --deploy-mode cluster \\",
        "  --archives env.tar.gz#env \\",
        f"  --files {edge}/atlas-application.properties,{edge}/other/ca.pem,{edge}/ca.pem#2-ca.pem \\",
        "  --conf spark.atlas.hook.spark.rest.ca.file=ca.pem \\",
        "  --conf spark.atlas.kafka.ssl.truststore.location=2-ca.pem \\",
    ]
    kerberos = "  --principal etl@EXAMPLE.COM --keytab /etc/security/keytabs/etl.keytab \\"
    assert lines[3:12] == [
        *shared,
        f"  --packages {CONNECTOR} \\",
        kerberos,
        "  --conf spark.pyspark.python=./env/bin/python \\",
        "  --conf spark.yarn.appMasterEnv.SAC_KAFKA_AUTO=1 \\",
    ]
    assert lines[16:24] == [*shared, f"  --jars {driver_archive()} \\", f"  --packages {CONNECTOR} \\", kerberos]
    assert lines[-1] == WITHOUT_MAVEN


def test_command_of_a_driver_on_this_host_needs_no_sent_files(run: Run, prefix: Path, edge: Path) -> None:
    _, lines, _ = run("--conf-dir", str(edge), "--deploy-mode", "client")
    assert lines[3:10] == [
        "SAC_KAFKA_AUTO=1 spark-submit --master yarn --deploy-mode client \\",
        "  --archives env.tar.gz#env \\",
        f"  --files {edge}/atlas-application.properties \\",
        f"  --packages {CONNECTOR} \\",
        f"  --conf spark.pyspark.driver.python={prefix}/bin/python \\",
        "  --conf spark.pyspark.python=./env/bin/python \\",
        "  JOB.py",
    ]
    assert f"  --conf spark.atlas.hook.spark.python={prefix}/bin/python \\" in lines


def test_jar_of_the_platform_is_used_before_maven(
    run: Run, prefix: Path, edge: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yarn_submission, "_PLATFORM_JARS", (str(tmp_path / "none"), str(tmp_path / "parcel")))
    jar = tmp_path / "parcel" / "kafka-clients-3.4.1.7.1.9.0-387.jar"
    jar.parent.mkdir()
    jar.touch()
    _, lines, _ = run("--conf-dir", str(edge))
    assert f"  --jars {jar} \\" in lines
    assert f"  --jars {driver_archive()},{jar} \\" in lines
    assert not [line for line in lines if "--packages" in line]
    (tmp_path / "spark" / "jars" / jar.name).touch()
    _, lines, _ = run("--conf-dir", str(edge))
    assert not [line for line in lines if str(jar) in line]


@pytest.mark.parametrize("principal", ["", "etl/_HOST@EXAMPLE.COM"])
def test_missing_login_is_a_place_to_fill_in(run: Run, prefix: Path, edge: Path, principal: str) -> None:
    more = KEYTAB.format(principal=principal) if principal else ""
    (edge / "atlas-application.properties").write_text(KERBEROS.format(folder=edge) + more)
    _, lines, _ = run("--conf-dir", str(edge))
    assert "  --principal PRINCIPAL --keytab KEYTAB \\" in lines
    assert lines[-1] == "PRINCIPAL and KEYTAB log the driver in to Kafka: a ticket of kinit does not reach the cluster."


@pytest.mark.parametrize(
    "text", ["atlas.client.type=file\natlas.client.file.path=/x\n", "atlas.kafka.bootstrap.servers=b:1\n"]
)
def test_other_destinations_need_neither_kafka_nor_a_keytab(run: Run, prefix: Path, edge: Path, text: str) -> None:
    (edge / "prod.properties").write_text(text)
    _, lines, _ = run("--conf-file", str(edge / "prod.properties"))
    assert f"  --files {edge}/prod.properties#atlas-application.properties \\" in lines
    assert not [line for line in lines if re.search("--packages|--principal|kafka-clients", line)]


def test_wrong_configuration_is_reported_before_anything_is_packed(run: Run, prefix: Path, edge: Path) -> None:
    (edge / "atlas-application.properties").write_text("atlas.client.type=kafak\n")
    status, lines, complaint = run("--conf-dir", str(edge))
    assert (status, lines) == (2, [])
    assert "atlas.client.type = kafak" in complaint
    assert not [*Path().iterdir()]
    assert run("--conf-dir", str(edge / "missing"))[0] == 2
