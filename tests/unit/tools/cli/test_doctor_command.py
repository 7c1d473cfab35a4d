"""`sac-kafka doctor` without a broker: each step and each failure, with a separate server if one is queried.

The examples of docs/configuration.md are run here.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sac_kafka.atlas.types.definitions import types_def
from sac_kafka.settings.files.finding import FILE_NAME
from sac_kafka.tools.cli.main import main
from sac_kafka.transport.kafka.errors.rules import PROTOCOL
from sac_kafka.transport.kafka.examining import with_protocol
from stack.ports import free_port
from tests.helpers.secret_search import used
from tests.unit.tools.cli.conftest import TypesServer

PASSWORD = used("s3cret")
Doctor = Callable[..., tuple[int, list[tuple[str, str, str]]]]


@pytest.fixture
def doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Doctor:
    """Return a function that runs `sac-kafka doctor` in a directory with this file: (status, steps of verdict, name and text)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ATLAS_CONF", raising=False)

    def command(text: str, *arguments: str) -> tuple[int, list[tuple[str, str, str]]]:
        (tmp_path / FILE_NAME).write_text(f"atlas.hook.spool.dir={tmp_path / 'spool'}\n{text}")
        status = main(["doctor", "--timeout", "60", *arguments])
        captured = capsys.readouterr()
        assert PASSWORD not in captured.out
        assert captured.err == ""
        steps = [(line[:5].strip(), *line[6:].split(None, 1)) for line in captured.out.splitlines()]
        assert [name for _, name, _ in steps[:5]] == ["java", "spark", "python", "packages", "connector"]
        return status, steps[5:]

    return command


@pytest.fixture
def listening() -> Iterator[str]:
    """Open a port that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


def rest(server: TypesServer, *more: str) -> str:
    login = (f"atlas.rest.address={server.address}", "atlas.rest.basic.auth.username=admin")
    return "\n".join(("atlas.metadata.namespace=dev", *login, f"atlas.rest.basic.auth.password={PASSWORD}", *more))


def test_a_sink_of_this_machine(doctor: Doctor, tmp_path: Path) -> None:
    assert doctor("atlas.client.type=console\natlas.metadata.namespace=dev\n") == (
        0,
        [
            ("ok", "configuration", f"{tmp_path / FILE_NAME} (the working directory)"),
            ("ok", "sink", "console"),
            ("ok", "names", "end in @dev"),
            ("ok", "spool", f"{tmp_path / 'spool'} is writable"),
        ],
    )


CONSOLE = "atlas.client.type=console\natlas.metadata.namespace=dev\n"
REMOTE = "atlas.metadata.namespace=dev\natlas.kafka.bootstrap.servers={listening}\n"
KERBEROS = "atlas.kafka.security.protocol=SASL_PLAINTEXT\natlas.kafka.sasl.mechanism=GSSAPI\n"
RULES = f"{CONSOLE}atlas.hook.spark.dialect=purview\natlas.hook.spark.purview.mapping.file=rules.toml\n"


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        ("atlas.client.type=console\n", 0, ["warn names atlas.metadata.namespace is not set"]),
        (
            "atlas.client.type=rest\natlas.rest.address={server}\n",
            0,
            ["warn names atlas.metadata.namespace is not set"],
        ),
        (
            "atlas.hook.spark.exit.timeout.seconds=5s\natlas.hook.spark.job.nmae=x\n",
            1,
            [
                "warn configuration did you mean",
                "FAIL configuration line 2: atlas.hook.spark.exit.timeout.seconds = 5s: must be",
            ],
        ),
        (
            "atlas.client.type=kafak\natlas.hook.spark.views=x\n",
            1,
            ["FAIL configuration atlas.client.type = kafak", "FAIL configuration atlas.hook.spark.views = x"],
        ),
        (f"{CONSOLE}atlas.hook.spark.job.nmae=x\n", 0, ["warn configuration did you mean atlas.hook.spark.job.name?"]),
        (
            "atlas.spark.enabled=false\n",
            1,
            ["FAIL configuration atlas.spark.enabled = false disables the hook; remove it"],
        ),
        (f"{CONSOLE}atlas.hook.spool.enabled=false\n", 0, ["warn spool "]),
        (RULES, 1, ["FAIL configuration rules.toml: is not valid TOML"]),
        (f"{REMOTE}{KERBEROS}", 2, ["? log-in only a Spark driver can connect: "]),
        (f"{REMOTE}atlas.hook.spark.kafka.client=jvm\n", 2, ["? log-in only a Spark driver can connect: "]),
    ],
)
def test_steps_that_fail_or_warn(
    doctor: Doctor,
    types_server: TypesServer,
    listening: str,
    tmp_path: Path,
    text: str,
    status: int,
    expected: list[str],
) -> None:
    types_server.answer = (200, {}, json.dumps(types_def()).encode())
    (tmp_path / "rules.toml").write_text("[[rule]\n")
    done, steps = doctor(text.format(server=types_server.address, listening=listening))
    others = [step for step in steps if step[0] not in ("ok", "-")]
    assert (done, len(others)) == (status, len(expected)), steps
    for step, wanted in zip(others, expected, strict=True):
        verdict, name, part = wanted.split(" ", 2)
        assert step[:2] == (verdict, name)
        assert part in step[2]


def test_rest_posts_an_empty_list_and_reports_as_the_transport_does(doctor: Doctor, types_server: TypesServer) -> None:
    kept = rest(types_server, "atlas.client.type=rest")
    types_server.answer = (403, {}, b"{}")
    status, steps = doctor(kept)
    assert status == 1
    assert [step[:2] for step in steps[1:5]] == [("ok", "host"), ("ok", "tcp"), ("FAIL", "log-in"), ("ok", "clock")]
    assert "this user may not post notifications" in steps[3][2]
    assert types_server.requests[0][:2] == ("POST", "/api/atlas/v2/notification/topic/ATLAS_HOOK")
    types_server.answer = (200, {}, json.dumps(types_def()).encode())
    status, steps = doctor(kept)
    names = ["log-in", "clock", "types", "names", "spool"]
    assert (status, [step[:2] for step in steps[3:]]) == (0, [("ok", name) for name in names])
    assert steps[3][2] == f"rest {types_server.address} (as admin), topic ATLAS_HOOK accepts messages"


def test_our_own_type_is_missed_if_the_setting_asks_for_it(doctor: Doctor, types_server: TypesServer) -> None:
    kept = rest(types_server, "atlas.client.type=rest")
    types_server.answer = (200, {}, json.dumps(types_def()).encode())
    status, steps = doctor(f"{kept}\natlas.bridge.process.types=own\n")
    found = next(step for step in steps if step[1] == "types")
    assert (status, found[0]) == (1, "FAIL")
    assert found[2].endswith(" lacks sac_kafka_engine_process; run sac-kafka types apply")


def test_error_about_port_and_protocol_names_both() -> None:
    problem = f"no broker answers as Kafka: wrong port or wrong protocol; {PROTOCOL}"
    text = with_protocol(problem, {"bootstrap.servers": "h:9093"})
    assert (
        "; h:9093 was contacted with PLAINTEXT, because atlas.kafka.security.protocol is not set: set it to SSL, "
        in text
    )
    text = with_protocol(problem, {"bootstrap.servers": "h:9093", "security.protocol": "sasl_ssl"})
    assert text.endswith("; h:9093 was contacted with SASL_SSL: correct the port, or atlas.kafka.security.protocol")
    assert with_protocol("", {}) == ""


EVENT_HUBS = "atlas.client.type=console\natlas.metadata.namespace=dev\natlas.hook.spark.dialect=purview\n"


def test_names_of_purview_do_not_end_in_the_namespace(doctor: Doctor) -> None:
    status, steps = doctor(EVENT_HUBS)
    assert (status, steps[-2]) == (0, ("ok", "names", "those of Purview's scans; what none scans ends in @dev"))


@pytest.mark.parametrize(
    ("types", "expected"), [("built-in", "built into every account"), ("own", "sac-kafka types diff --account NAME")]
)
def test_types_of_purview_are_not_compared_with_those_of_atlas(
    doctor: Doctor, types_server: TypesServer, types: str, expected: str
) -> None:
    _, steps = doctor(
        f"atlas.kafka.bootstrap.servers=localhost:{free_port()}\natlas.metadata.namespace=dev\n"
        f"atlas.hook.spark.dialect=purview\natlas.hook.spark.purview.process.types={types}\n"
        f"atlas.rest.address={types_server.address}\n",
        "--timeout",
        "0.5",
    )
    verdict, name, text = steps[-3]
    assert (verdict, name) == ("-", "types")
    assert expected in text
