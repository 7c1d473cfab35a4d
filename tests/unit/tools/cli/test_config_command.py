"""`sac-kafka config`: effective settings and their origin, the Kafka client's settings, and every error.

The examples of README.md and docs/configuration.md are run here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sac_kafka.settings import describe
from sac_kafka.settings.files.finding import FILE_NAME
from sac_kafka.transport.spool.directory import default_directory
from tests.helpers.processes import environment
from tests.helpers.secret_search import used
from tests.unit.tools.cli.conftest import Cli, Result

PASSWORD = used("s3cret-of-config")
PURVIEW = f"""\
atlas.kafka.bootstrap.servers=n.servicebus.windows.net:9093
atlas.kafka.security.protocol=SASL_SSL
atlas.kafka.sasl.mechanism=PLAIN
atlas.kafka.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \\
   username="$ConnectionString" password="Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey={PASSWORD}=";
atlas.metadata.namespace=${{env:NAMESPACE}}
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> Cli:
    """Return a function that runs `sac-kafka config …` in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    monkeypatch.setenv("NAMESPACE", "prod")

    def command(*arguments: str) -> Result:
        result = cli("config", *arguments)
        assert PASSWORD not in result.out + result.err
        return result

    return command


def conf(*settings: str) -> list[str]:
    return [word for setting in settings for word in ("--conf", setting)]


def test_a_long_value_is_shown_whole_with_where_it_was_set(run: Cli, tmp_path: Path) -> None:
    servers = ",".join(f"broker-{number}.example.com:9092" for number in range(600))
    labels = ",".join(f"label{number}" for number in range(2000))
    (tmp_path / FILE_NAME).write_text(f"atlas.kafka.bootstrap.servers={servers}\natlas.hook.spark.labels={labels}\n")
    output = run().text(0)
    assert f"  atlas.kafka.bootstrap.servers = {servers}    [line 1]\n" in output
    assert f"  atlas.hook.spark.labels = {labels}    [line 2]\n" in output


def test_shows_effective_settings_and_their_origin(run: Cli, tmp_path: Path) -> None:
    file = tmp_path / FILE_NAME
    file.write_text(PURVIEW)
    status, output, complaint = run(*conf("spark.atlas.hook.spark.labels=a,b", "atlas.hook.spark.compat=sac"))
    assert (status, complaint) == (0, "")
    lines = output.splitlines()
    assert lines[0] == f"Configuration: {file} (the working directory)"
    assert lines[1] == (
        "kafka n.servicebus.windows.net:9093 (SASL_SSL, PLAIN as $ConnectionString), topic ATLAS_HOOK, names @prod, "
        f"spool {default_directory()}"
    )
    assert "  atlas.metadata.namespace = prod    [line 6]" in lines
    assert "  atlas.hook.spark.labels = a,b    [--conf]" in lines
    assert "  atlas.hook.spark.compat = sac    [--conf]" in lines
    assert "  atlas.kafka.sasl.jaas.config = ********    [line 4]" in lines
    client = lines[lines.index("Kafka client: librdkafka, made with") :]
    assert "  sasl.username = $ConnectionString" in client
    assert "  sasl.password = ********" in client
    assert "  connections.max.idle.ms = 180000" in client
    assert not any("default" in line for line in lines)


def test_option_all_includes_defaults(run: Cli) -> None:
    output = run("--all", *conf("atlas.kafka.bootstrap.servers=h:1")).text(0)
    shown = {line.partition(" = ")[0].strip(): line.partition(" = ")[2] for line in output.splitlines()}
    for setting in describe():
        assert shown[setting.keys[0]].endswith("    [default]")
        assert "`" not in shown[setting.keys[0]]
    assert shown["atlas.hook.spool.dir"] == f"{default_directory()}    [default]"
    assert shown["atlas.hook.spool.archive.max.files"] == "100    [default]"
    assert shown["hadoop.security.credential.provider.path"].startswith("(that of the driver's")
    assert shown["atlas.client.file.path"] == "(not set)    [default]"
    assert "\n  acks = all\n" in output
    assert "acks" not in run(*conf("atlas.kafka.bootstrap.servers=h:1"))[1]


@pytest.mark.parametrize(
    "way", ["--conf-dir", "--conf-file", "ATLAS_CONF", "java option", "spark.files", "atlas.properties"]
)
def test_named_file_is_used(run: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    file = folder / ("prod.properties" if way in ("--conf-file", "atlas.properties") else FILE_NAME)
    file.write_text("atlas.client.type=console\natlas.hook.spark.record.path=${sys:user.dir}/x")
    if way == "ATLAS_CONF":
        monkeypatch.setenv("ATLAS_CONF", str(folder))
    arguments = {
        "--conf-dir": ["--conf-dir", str(folder)],
        "--conf-file": ["--conf-file", str(file)],
        "java option": conf(f"spark.driver.extraJavaOptions=-Xmx1g '-Datlas.conf={folder}'"),
        "atlas.properties": conf(f'spark.driver.extraJavaOptions="-Datlas.properties={file}"'),
        "spark.files": conf(f"spark.files={file}"),
    }.get(way, [])
    output = run(*arguments).text(0)
    assert output.startswith(f"Configuration: {file} (")
    assert f"atlas.hook.spark.record.path = {tmp_path}/x" in output
    assert output.splitlines()[1].startswith("console, names @primary (the default), spool ")


def test_shows_warnings_about_the_java_clients_settings(run: Cli) -> None:
    output = run(
        *conf(
            "atlas.kafka.bootstrap.servers=n.servicebus.windows.net:9093",
            "atlas.hook.spark.kafka.client=jvm",
            "atlas.kafka.security.protocol=SASL_SSL",
            "atlas.kafka.compression.type=lz4",
        )
    ).text(0)
    assert "\n  compression.type = none\n" in output
    assert (
        "Warning: the Spark configuration, spark.atlas.kafka.compression.type: atlas.kafka.compression.type = lz4 is "
        "ignored: Event Hubs supports none and gzip\n"
    ) in output


@pytest.mark.parametrize(
    "settings",
    [
        ("atlas.client.type=rest", "atlas.rest.basic.auth.username=u", f"atlas.rest.basic.auth.password={PASSWORD}"),
        ("atlas.client.type=purview", f"atlas.hook.spark.rest.token={PASSWORD}"),
    ],
)
def test_cleartext_credentials_are_a_warning_in_json_too(run: Cli, settings: tuple[str, ...]) -> None:
    arguments = conf("atlas.rest.address=http://atlas.example.org:21000", *settings)
    status, output, complained = run(*arguments, "--json")
    assert (status, complained) == (0, "")
    assert [each for each in json.loads(output)["warnings"] if "goes over the network in clear; use https://" in each]
    assert "goes over the network in clear; use https://" in run(*arguments)[1]


def test_shows_unknown_keys_and_warnings(run: Cli, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(
        "atlas.hook.spark.job.nmae=x\natlas.kafka.bootstrap.servers=h:1\natlas.kafka.compresion.type=gzip\n"
    )
    output = run().text(0)
    file = tmp_path / FILE_NAME
    assert output.endswith(
        f"\nWarning: {file}, line 1: unknown setting atlas.hook.spark.job.nmae has no effect; did you mean "
        f"atlas.hook.spark.job.name?\nWarning: {file}, line 3: atlas.kafka.compresion.type is not a Kafka property and has "
        "no effect; did you mean atlas.kafka.compression.type?\n"
    )


def test_shows_the_likely_cause_before_the_error(run: Cli) -> None:
    status, output, complaint = run(*conf("atlas.cleint.type=console"))
    assert (status, output) == (2, "")
    first, second = complaint.splitlines()
    assert first.endswith("unknown setting atlas.cleint.type has no effect; did you mean atlas.client.type?")
    assert "atlas.kafka.bootstrap.servers is not set" in second


def test_effective_value_of_a_repeated_key_is_shown(run: Cli, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(
        "atlas.client.type=memory\natlas.metadata.namespace=dev\natlas.hook.spark.job.name=a\n"
        "atlas.metadata.namespace=prod\natlas.hook.spark.job.name=b\natlas.hook.spark.numRetries=3\n"
    )
    output = run().text(0)
    assert "\n  atlas.metadata.namespace = prod    [lines 2, 4]\n" in output
    assert "\n  atlas.hook.spark.job.name = a    [lines 3, 5]\n" in output
    assert "\n  atlas.hook.spark.numRetries = 3    [line 6, without effect]\n" in output
    assert output.count("is set 2 times with different values") == 2
    assert "memory, names @prod, spool " in output


def test_directories_are_checked(run: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    output = run(*conf("atlas.client.type=console", "atlas.hook.spool.dir=file")).text(0)
    assert output.endswith("atlas.hook.spool.dir = file: is a file; name a directory\n")
    (tmp_path / "no").mkdir(mode=0o500)
    if os.geteuid():  # root may write everywhere
        _, output, _ = run(*conf("atlas.client.type=console", "atlas.hook.spool.dir=no/x/y"))
        assert output.endswith("atlas.hook.spool.dir = no/x/y: cannot be created; name another directory\n")


def test_a_directory_of_metrics_that_is_missing_is_a_warning(run: Cli, tmp_path: Path) -> None:
    settings = ("atlas.client.type=console", f"atlas.hook.spark.metrics.json.path={tmp_path}")
    missing = tmp_path / "no" / "x.prom"
    output = run(*conf(*settings, f"atlas.hook.spark.metrics.prometheus.path={missing}")).text(0)
    (warning,) = [line for line in output.splitlines() if line.startswith("Warning: ") and ".metrics." in line]
    assert warning.endswith(
        f"atlas.hook.spark.metrics.prometheus.path = {missing}: the directory does not exist; "
        "create it, because the hook does not"
    )


REST = "client.type=rest rest.address=https://a:1 metadata.namespace=dev"


@pytest.mark.parametrize(
    ("settings", "summary"),
    [
        (REST, "rest https://a:1 (without log-in), topic ATLAS_HOOK, names @dev, "),
        (f"{REST} rest.basic.auth.username=u rest.basic.auth.password={PASSWORD}", "rest https://a:1 (as u), "),
        (f"{REST} hook.spark.rest.token=t", "rest https://a:1 (with a token"),
        (
            "client.type=file client.file.path=f hook.spool.enabled=false",
            "file f, names @primary (the default), no spool",
        ),
    ],
)
def test_the_summary_of_rest_and_of_a_file(run: Cli, settings: str, summary: str) -> None:
    _, output, _ = run(*conf(*(f"atlas.{each}" for each in settings.split())))
    assert output.splitlines()[1].startswith(summary)


def test_disabled_hook_is_no_error(run: Cli, tmp_path: Path) -> None:
    status, output, complaint = run(*conf("atlas.spark.enabled=false"))
    assert (status, complaint) == (0, "")
    assert output.splitlines()[1] == "off: atlas.spark.enabled = false"
    (tmp_path / FILE_NAME).write_text("atlas.spark.enabled=false\natlas.spark.enabled=true\n")
    status, output, complaint = run()
    assert (status, complaint) == (0, "")
    assert "  atlas.spark.enabled = false    [lines 1, 2]\n" in output


def test_user_without_name_and_home_is_no_error(run: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> None:
        raise KeyError("getpwuid(): uid not found: 12345")

    for name in ("HOME", "LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", unknown)
    output = run(*conf("atlas.client.type=console", "atlas.metadata.namespace=${sys:user.name}")).text(0)
    assert f"  atlas.metadata.namespace = {os.getuid()} " in output
    status, _, complaint = run(*conf("atlas.client.type=console", "atlas.hook.spool.dir=${sys:user.home}"))
    assert status == 2
    assert "${sys:user.home} is not set" in complaint


def test_reports_settings_that_need_java(run: Cli) -> None:
    kerberos = ("atlas.kafka.bootstrap.servers=h:1", "atlas.kafka.security.protocol=SASL_PLAINTEXT")
    output = run(
        *conf(
            *kerberos,
            "atlas.jaas.KafkaClient.loginModuleName=com.sun.security.auth.module.Krb5LoginModule",
            "atlas.jaas.KafkaClient.option.serviceName=kafka",
            f"atlas.jaas.KafkaClient.option.password={PASSWORD}",
        )
    ).text(0)
    assert "Kafka client: the driver's own KafkaProducer (atlas.kafka.sasl.mechanism is not set" in output
    assert "  security.protocol = SASL_PLAINTEXT\n" in output
    assert "  sasl.jaas.config = ********\n" in output
    assert "atlas.jaas.KafkaClient.option.password = ********" in output
    status, output, complaint = run(*conf(*kerberos, "atlas.hook.spark.kafka.client=librdkafka"))
    assert (status, output) == (2, "")
    assert "GSSAPI" in complaint


def test_settings_that_only_a_driver_can_read_are_no_error(run: Cli, tmp_path: Path) -> None:
    store = tmp_path / "trust.jks"
    store.write_bytes(b"\xfe\xed\xfe\xed\x00\x00\x00\x02")
    settings = ("bootstrap.servers=h:1", "security.protocol=SSL", f"ssl.truststore.location={store}")
    output = run(*conf(*(f"atlas.kafka.{each}" for each in settings))).text(0)
    assert "Kafka client: its settings can be shown in a driver only: atlas.kafka.ssl.truststore.location" in output


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        (None, [], "no atlas-application.properties in "),
        (None, [], "sac-kafka config --template"),
        (None, ["--template", "--json"], "--template cannot be combined with --json: it prints a properties file"),
        (None, ["--conf-dir", "/no/such"], "--conf-dir /no/such: no such file or directory; choose another"),
        (None, ["--conf-file", "/no/such"], "--conf-file /no/such: no such file or directory; choose another"),
        ("atlas.notification.hook.topic.name=ATLAS HOOK", [], ", line 1: atlas.notification.hook.topic.name = ATLAS HOOK: "),
        ("atlas.metadata.namespace=dev # mine", [], "must not contain blanks, quotes, #"),
        ("atlas.metadata.namespace=pr\0od", [], "must not contain blanks, quotes, #"),
        ("atlas.client.type=file\natlas.client.file.path=.", [], ", line 2: atlas.client.file.path = .: is a directory"),
        (None, ["--conf-file", "hdfs:/x"], "must be a local path"),
        ("k=\\uzzzz", [], "line 1: k contains an invalid Unicode escape \\u"),
        (None, conf("spark.driver.extraJavaOptions='-Da=b"), "--conf spark.driver.extraJavaOptions: unbalanced quote or"),
        (None, conf("atlas.metadata.namespace=${env:NONE}"), "namespace: ${env:NONE} is not set; set it"),
        (None, conf("atlas.metadata.namespace=${sys:none}"), "extraJavaOptions=-DNAME=VALUE"),
        ("include=gone", [], "gone (included by"),
        ("\natlas.client.type=kafak", [], ", line 2: atlas.client.type = kafak: must be one of kafka, rest"),
        ("", ["--conf", "atlas.spark.enabled=maybe"], "spark.atlas.spark.enabled: atlas.spark.enabled = maybe: must be"),
        ("atlas.client.type=kafka", [], "atlas.kafka.bootstrap.servers is not set"),
        ("atlas.client.type=rest", [], "atlas.rest.address is not set"),
        ("atlas.client.type=file", [], "atlas.client.file.path is not set"),
        (
            "atlas.kafka.bootstrap.servers=${sys:brokers}",
            [],
            "not set; set it, or write the value out; if it is a system property of the driver",
        ),
        ("atlas.kafka.bootstrap.servers=h", [], "'h' is not host:port"),
        (
            "atlas.client.type=console\natlas.hook.spark.dialect=purview\natlas.hook.spark.purview.mapping.file=none.toml",
            [],
            "none.toml: no such file",
        ),
        ("atlas.client.type=console\natlas.hook.spark.dialect=purview\natlas.hook.spark.compat=sac", [], "remove one of them"),
    ],
)  # fmt: skip
def test_error_is_one_line_with_status_2(
    run: Cli, tmp_path: Path, text: str | None, arguments: list[str], message: str
) -> None:
    if text is not None:
        (tmp_path / FILE_NAME).write_text(text)
    status, output, complaint = run(*arguments)
    assert (status, output) == (2, "")
    assert complaint.startswith("sac-kafka config: ")
    assert message in complaint
    assert len(complaint.splitlines()) == 1


@pytest.mark.slow
def test_needs_no_spark_kafka_client_or_other_command(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from importlib.abc import MetaPathFinder\n"
        "class Refuse(MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        assert name.partition('.')[0] not in ('pyspark', 'py4j', 'confluent_kafka', 'fastavro'), name\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "from sac_kafka.tools.cli.main import main, parser\n"
        "status = main(['config', '--conf', 'atlas.kafka.bootstrap.servers=h:1'])\n"
        "assert 'sac_kafka.tools.cli.databricks' not in sys.modules, 'a command loads no other one'\n"
        "parser()\n"
        "assert 'sac_kafka.tools.cli.databricks' in sys.modules\n"
        "sys.exit(status)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "bootstrap.servers = h:1" in done.stdout


def test_distinguishes_the_clients_deadline_from_the_hooks(run: Cli) -> None:
    for client, milliseconds in (("librdkafka", 1020000), ("jvm", 1200000)):
        _, output, _ = run(*conf("atlas.kafka.bootstrap.servers=h:1", f"atlas.hook.spark.kafka.client={client}"))
        assert f"  delivery.timeout.ms = {milliseconds}    [the hook itself gives up after 120 s]\n" in output


def test_settings_of_unity_catalog_are_checked(run: Cli, tmp_path: Path) -> None:
    lines = ("client.type=console", "bridge.unity.overlap.hours=-3", "bridge.unity.interval.seconds=abc")
    (tmp_path / FILE_NAME).write_text("\n".join(f"atlas.{each}" for each in lines))
    status, output, complaint = run()
    assert (status, output) == (2, "")
    assert [line.partition(" = ")[0].partition(": ")[2] for line in complaint.splitlines()] == [
        f"{tmp_path / FILE_NAME}, line {number}: atlas.{lines[number - 1].partition('=')[0]}" for number in (2, 3)
    ]


def test_each_invalid_value_of_the_java_client_has_a_fix(run: Cli, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text("atlas.hook.spark.views=x\natlas.hook.spark.job.name=${sys:job}\n")
    first, second = run()[2].splitlines()
    assert ["a system property of the driver" in first, "a system property of the driver" in second] == [False, True]


def test_for_programs(run: Cli, tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(PURVIEW + "atlas.cluster.nmae=x\n")
    status, output, _ = run("--json")
    found = json.loads(output)
    assert (status, found["is_enabled"]) == (0, True)
    assert {"configuration", "summary", "settings", "client", "warnings"} < set(found)
    settings = {each["key"]: (each["value"], each["origin"]) for each in found["settings"]}
    assert settings["atlas.metadata.namespace"] == ("prod", "line 6")
    assert settings["atlas.kafka.sasl.jaas.config"][0] == "********"
    assert "atlas.cluster.nmae" in " ".join(found["warnings"])
    client = {each["key"]: each["value"] for each in found["client"]["settings"]}
    assert client["bootstrap.servers"] == "n.servicebus.windows.net:9093"


def test_names_are_explained_for_programs(run: Cli) -> None:
    rules = conf("atlas.client.type=console", "atlas.hook.spark.exclude=table:tmp.*")
    status, output, _ = run("--json", "--explain", "tmp.x", *rules)
    table, topic = map(json.loads, output.splitlines())
    assert (status, table["kind"], table["is_kept"], table["rule"]) == (0, "table", False, "table:tmp.*")
    assert table["setting"] == "atlas.hook.spark.exclude"
    assert (topic["kind"], topic["is_kept"], topic["rule"], topic["setting"]) == ("topic", True, "", "")


@pytest.mark.parametrize(
    "lines",
    [
        ("atlas.hook.spark.spool.sync=maybe", "atlas.hook.spark.labels=a b,c"),
        ("atlas.kafka.acks=7", "atlas.kafka.linger.ms=soon"),
        ("atlas.client.type=kafak", "atlas.hook.spark.views=x", "atlas.spark.enabled=maybe"),
        ("atlas.kafka.bootstrap.servers=broker", "atlas.kafka.acks=7"),
        ("atlas.hook.spark.labels=a b", "atlas.kafka.acks=7"),
        ("atlas.client.type=kafk", "atlas.kafka.acks=7"),
        ("atlas.kafka.acks=7", "atlas.kafka.security.protocol=TLS"),
    ],
    ids=" ".join,
)
def test_all_errors_are_shown(run: Cli, tmp_path: Path, lines: tuple[str, ...]) -> None:
    (tmp_path / FILE_NAME).write_text(
        "\n".join(("atlas.kafka.bootstrap.servers=broker:9092", *lines))
        if "bootstrap" not in lines[0]
        else "\n".join(lines)
    )
    status, _, errors = run()
    assert status == 2
    assert len(errors.splitlines()) == len(lines)
    for line in lines:
        key, _, value = line.partition("=")
        assert any(key in each and value.split(",")[0] in each for each in errors.splitlines()), line


def test_a_wrong_value_is_not_reported_as_missing_as_well(run: Cli, tmp_path: Path) -> None:
    for text in (
        "atlas.client.type=rest\natlas.rest.address=http://atlas:port\natlas.rest.connection.timeout.ms=x\n",
        "atlas.client.type=kafk\natlas.rest.address=http://atlas:21000\n",
    ):
        (tmp_path / FILE_NAME).write_text(text)
        assert "is not set" not in run()[2]
