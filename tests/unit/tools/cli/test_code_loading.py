"""A configuration file cannot make a command, or the hook, load libraries, run commands or call functions that it names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.transport.driver import KerberosLogin
from sac_kafka.transport.kafka.settings.java_settings import java_settings
from sac_kafka.transport.kafka.settings.librdkafka_settings import translate
from tests.helpers.every_row import every_row
from tests.unit.tools.cli.conftest import Cli

BROKER = "atlas.kafka.bootstrap.servers=127.0.0.1:1\n"
OAUTH = f"{BROKER}atlas.kafka.security.protocol=SASL_PLAINTEXT\natlas.kafka.sasl.mechanism=OAUTHBEARER\n"
CALLBACK = "atlas.hook.spark.kafka.oauth.callback"
LOGIN = {"bootstrap.servers": "127.0.0.1:1", "security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}
COMMANDS = (
    "config",
    "doctor --timeout 1",
    "doctor --send --timeout 1",
    "spool list",
    "spool replay",
    "tail",
    "show topic --timeout 1",
    "coverage topic --timeout 1",
    "verify topic",
    "replay topic --timeout 1 --to kafka --to-conf atlas.notification.hook.topic.name=other",
)
LIBRARIES = (
    "plugin.library.paths",
    "Plugin.Library.Paths",
    "ssl.engine.location",
    "ssl.engine.id",
    "ssl.providers",
    "sasl.kerberos.kinit.cmd",
)
MODULES = ("com.sun.security.auth.module.JndiLoginModule", "com.sun.security.auth.module.LdapLoginModule")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the path of a configuration file in an empty working directory, on the module path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv("ATLAS_CONF", raising=False)
    return tmp_path / "some.properties"


@pytest.mark.slow
@every_row("key", LIBRARIES)
def test_no_command_accepts_a_setting_that_loads_a_library(file: Path, cli: Cli, key: str) -> None:
    file.write_text(
        f"{BROKER}atlas.hook.spool.dir={file.parent}/spool\natlas.kafka.librdkafka.{key}={file.parent}/x.so\n"
    )
    for command in COMMANDS:
        status, *printed_ = cli(*command.split(), "--conf-file", file)
        printed = "".join(printed_)
        assert status == (1 if "doctor" in command else 2), (command, printed)
        assert f"atlas.kafka.librdkafka.{key} = {file.parent}/x.so: " in printed, (command, printed)
        assert "which a configuration may not ask for; remove it" in printed, (command, printed)


@every_row("key", LIBRARIES)
def test_the_hook_refuses_a_setting_that_loads_a_library(key: str) -> None:
    with pytest.raises(ConfigurationError, match=r"which a configuration may not ask for; remove it"):
        translate({"bootstrap.servers": "127.0.0.1:1", f"librdkafka.{key}": "/tmp/x.so"})


def test_no_command_runs_a_function_that_only_a_file_names(file: Path, cli: Cli) -> None:
    (file.parent / "foreign_tokens.py").write_text("raise SystemExit('foreign code')\n")
    file.write_text(
        f"{OAUTH}atlas.hook.spool.dir={file.parent}/spool\natlas.rest.address=http://127.0.0.1:1\n{CALLBACK}=foreign_tokens:get\n"
    )
    for command in COMMANDS:
        printed = "".join(cli(*command.split(), "--conf-file", file)[1:])
        assert "foreign_tokens" not in sys.modules, command
        assert "foreign code" not in printed, command
        if command.split()[0] not in ("spool", "doctor"):  # these make no client: nothing waits, and nobody answers
            assert CALLBACK in printed, (command, printed)
            assert "outside a driver a file's function is not run" in printed or "Kafka's Java client" in printed, (
                printed
            )


def test_a_function_named_on_the_command_line_is_run(file: Path, cli: Cli) -> None:
    (file.parent / "own_tokens.py").write_text("def get(text):\n    return 'x', 9999999999\n")
    file.write_text(OAUTH)
    result = cli("config", "--conf-file", file, "--conf", f"{CALLBACK}=own_tokens:get")
    result.check(0, "a function that returns tokens", result.err)
    sys.modules.pop("own_tokens", None)


@every_row("module", MODULES)
def test_login_modules_that_kafka_refuses_are_refused_for_both_clients(file: Path, cli: Cli, module: str) -> None:
    text = f'{module} required user.provider.url="ldap://evil/x" group.provider.url="x" password="hunter2";'
    kafka = {**LOGIN, "sasl.jaas.config": text}
    section = {"KafkaClient.loginModuleName": module, "KafkaClient.option.password": "hunter2"}
    for make in (
        lambda: translate(kafka),
        lambda: java_settings(kafka, {}, KerberosLogin()),
        lambda: java_settings(LOGIN, section, KerberosLogin()),
    ):
        with pytest.raises(ConfigurationError, match=rf"the login module {module} is refused, as by Kafka") as raised:
            make()
        assert type(raised.value) is ConfigurationError  # no other client is tried
    lines = "".join(f"atlas.kafka.{key}={value}\n" for key, value in kafka.items())
    for client in ("auto", "jvm"):
        file.write_text(f"{lines}atlas.hook.spark.kafka.client={client}\n")
        result = cli("config", "--conf-file", file)
        result.check(2, "", f"the login module {module} is refused")
        assert "hunter2" not in result.err
