"""Arguments that no command accepts: one line that names the problem and the help of that command."""

from __future__ import annotations

import shlex

import pytest

from sac_kafka.tools.cli.main import main
from tests.helpers.secret_search import used

SECRET = used("hunter2hunter2")
JOB = "--init-script /Volumes/main/init.sh --properties /Volumes/main/conf --task python --run /Workspace/load.py"
UNKNOWN = "unrecognized arguments: --bogus"
NO_NUMBER = "'1_0' is not a number from "

WRONG: list[tuple[str, str, str]] = [
    ("config", "--bogus", UNKNOWN),
    ("spool list", "--bogus", UNKNOWN),
    ("pack", "--bogus", UNKNOWN),
    ("types print", "--bogus", UNKNOWN),
    ("run", "--bogus job.py", "--bogus"),
    ("run", "--conf x job.py", "--conf"),
    ("run", "--conf =x job.py", "--conf"),
    ("run", "--mast local job.py", "--mast"),  # job.py may have its own options: none is abbreviated
    ("run", "--deploy-mode cluster job.py", "spark-submit --deploy-mode cluster … $(sac-kafka runner) APP"),
    ("cost", "x --top 1_0", f"argument --top: {NO_NUMBER}"),
    ("databricks job", "--workers 1_0", f"argument --workers: {NO_NUMBER}"),
    ("impact", "x --depth 1_0", f"argument --depth: {NO_NUMBER}"),
    ("tail", "--last 1_0", f"argument -n/--last: {NO_NUMBER}"),
    ("validate", "x --max-bytes 1_0", f"argument --max-bytes: {NO_NUMBER}"),
    ("impact", "y x --depth=0", "'0' is not a number from 1 to 1000000000"),
    ("impact", "y x --depth=", "'' is not a number from 1 to 1000000000"),
    ("config", "--conf-dir a --conf-file b", "not allowed with"),
    ("config", "--explain ' '", "argument --explain: must be a name, such as sales.orders or job:daily"),
    ("config", f"--conf password-{SECRET}", "must be KEY=VALUE"),
    ("coverage", "x --fail-under ten", "argument --fail-under: "),
    ("diff", "x y --fail-on removed", "removed-edge"),
    ("replay", "x --to memory", "argument --to: invalid choice: 'memory'"),
    ("replay", "x --to file --column x", "--column"),
    ("tail", "--since yesterday", "argument --since: "),
    ("tail", "-n 0", "argument -n/--last: '0' is not a number from "),
    ("tail", "-n x", "argument -n/--last: 'x' is not a number from "),
    ("tail", "--raw --json", "not allowed with"),
    ("types print", "--family iceberg", "unknown family iceberg: use base, server"),
    ("types print", "--family ,", "no family given: use base"),
    ("types diff", "--server", "argument --server: "),
    ("types diff", "--server http://x --timeout soon", "'soon' is not a number of seconds"),
    ("types", "delete", "unknown action 'delete'"),
    ("databricks job", "--properties /x --run /x", "one of the arguments --init-script --wheel is required"),
    ("databricks job", f"{JOB} --task r", "invalid choice: 'r'"),
    ("databricks job", f"{JOB} --secret SAC_KAFKA_JAR=x", "SAC_KAFKA_JAR is set by sac_kafka"),
    ("databricks policy", "--properties /x", "the following arguments are required: --init-script"),
    ("databricks notebook", "--bogus", UNKNOWN),
    ("databricks job", f"{JOB} --workers 0", "'0' is not a number from 1 to 99999"),
    ("databricks job", f"{JOB} --secret {SECRET}", "must be VARIABLE=KEY"),
    ("databricks job", f"{JOB} --secret ATLAS_CONF=x", "ATLAS_CONF is set by sac_kafka"),
]


@pytest.mark.parametrize(("command", "options", "message"), WRONG)
def test_wrong_use_is_one_line(command: str, options: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), *shlex.split(options)])
    out, err = capsys.readouterr()
    assert (ended.value.code, out, err.count("\n")) == (2, "", 1)
    assert message in err
    assert err.startswith(f"sac-kafka {command}: ")
    assert err.endswith(f"; see sac-kafka {command} --help\n")
    assert SECRET not in err
