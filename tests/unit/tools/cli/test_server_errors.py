"""Commands that query an Atlas server: one sentence for every failure of the server, whatever the command."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest

from sac_kafka.atlas.sent_names import Sending, SentNames
from sac_kafka.catalog import server as server_module
from sac_kafka.catalog.server import NO_ADDRESS
from sac_kafka.catalog.verification import verify_sent
from sac_kafka.errors import AttachError
from sac_kafka.hook.attachment import Attachment
from sac_kafka.settings import Settings
from sac_kafka.tools.doctor import checks
from stack.certificates import make_certificates
from stack.ports import free_port
from tests.helpers.secret_search import used
from tests.helpers.waiting import LONG_SECONDS
from tests.unit.atlas.flows import NOW, ORDERS, TOTALS, copy, messages_for
from tests.unit.tools.cli.conftest import Cli, TypesServer
from tests.unit.tools.cli.small_servers import Serving, answers, hangs_up, says_nothing, server
from tests.unit.tools.verification.sender import Sender

PASSWORD = used("s3cret")
LOGIN = {"atlas.rest.basic.auth.username": "admin", "atlas.rest.basic.auth.password": PASSWORD}
MESSAGES = "messages.jsonl"
COMMANDS = {
    "types": ("types", "diff"),
    "types --server": ("types", "diff"),
    "validate": ("validate", MESSAGES),
    "coverage": ("coverage", "server"),
    "view": ("view", "server"),
    "impact": ("impact", "server", "sales.orders.id"),
    "diff": ("diff", "server", MESSAGES),
    "verify": ("verify", MESSAGES),
    "doctor": ("doctor",),
    "hook.verify": (),
}
"""The commands that query a server, as they are typed."""
BY_OPTIONS = {"types --server", "validate"}
"""Commands that name the server by an option."""
SENT = messages_for(copy(ORDERS, TOTALS))

Ask = Callable[..., str]


@pytest.fixture(autouse=True)
def nothing_around(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in ("ATLAS_CONF", "ATLAS_TOKEN", "ATLAS_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    # The request names the reason for a missing answer, however late the doctor's thread is.
    monkeypatch.setattr(checks, "_GRACE_SECONDS", LONG_SECONDS)
    monkeypatch.chdir(tmp_path)
    Path(MESSAGES).write_text("".join(f"{each.value}\n" for each in SENT))


@pytest.fixture
def serving() -> Iterator[Callable[[Serving], str]]:
    with ExitStack() as ends:
        yield lambda serve: f"http://127.0.0.1:{ends.enter_context(server(serve))}"


@pytest.fixture
def ask(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Return a function that runs one of COMMANDS against an address and returns the line with the error."""

    def run(who: str, address: str, *, timeout: float = 60, **more: str) -> str:
        conf = {"atlas.client.type": "memory", "atlas.rest.address": address, **LOGIN}
        conf |= {key.replace("_", "."): value for key, value in more.items()}
        conf = {key: value for key, value in conf.items() if value}
        if who == "hook.verify":
            names = SentNames()
            for each in SENT:
                if each.notification is not None:
                    names.add(each.notification, Sending(made_ms=NOW))
            conf["atlas.hook.spark.rest.timeout.seconds"] = str(timeout)
            return verify_sent(Settings.read(conf, "test"), names, Sender(), 0).problem or ""
        options = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
        if who in BY_OPTIONS:
            monkeypatch.setenv("ATLAS_PASSWORD", PASSWORD)
            options = options if who == "validate" else []
            options += ["--server", address, *(["--user", "admin"] if "atlas.rest.basic.auth.username" in conf else [])]
        status, out, err = cli(*COMMANDS[who], *options, "--timeout", timeout)
        assert PASSWORD not in out + err
        if who == "doctor":
            assert status == 1
            return next(line for line in out.splitlines() if line.startswith("FAIL  types"))
        assert (status, out) == (2, "")
        (line,) = err.splitlines()
        return line

    return run


def mail(connection: socket.socket) -> None:
    """Answer with something other than HTTP."""
    connection.recv(4096)
    connection.sendall(b"220 mail ready\r\n")


WRONG: dict[str, tuple[Serving, str]] = {
    "401": (answers("401 Unauthorized"), "HTTP 401: login rejected: correct "),
    "kerberos": (answers("401 x", WWW_Authenticate="Negotiate"), "; Kerberos (SPNEGO) is not supported"),
    "403": (answers("403 Forbidden"), "HTTP 403: the user may not "),
    "404": (answers("404 Not Found", b"<html>"), "HTTP 404: not an Atlas server, or "),
    "418": (answers("418 Teapot"), "HTTP 418: the server rejects the request: see its log"),
    "429": (answers("429 x", Retry_After="7"), "HTTP 429: too many requests: try again in 7 s"),
    "500": (
        answers("500 x", json.dumps({"errorCode": "ATLAS-500-00-001", "errorMessage": f"no {PASSWORD}"}).encode()),
        "HTTP 500: server error: see its log (the server says: ATLAS-500-00-001 no ********)",
    ),
    "502": (answers("502 Bad Gateway"), "HTTP 502: the gateway cannot reach the server: check that the server runs"),
    "503": (answers("503 x"), "HTTP 503: the server is starting, passive or overloaded: try again later"),
    "redirected": (
        answers("302 Found", Location="https://u:p@sso.example.org/login;id=1?ticket=abc"),
        "HTTP 302: it redirects to the log-in page https://sso.example.org/login: correct ",
    ),
    "a page": (answers("200 OK", b"<!DOCTYPE html><title>Login"), "HTTP 200: the answer is not a JSON object but '<!"),
    "a list": (
        answers("200 OK", b"[]"),
        "the answer is not a JSON object but '[]': is this an Atlas server, or a login",
    ),
    "no text": (answers("200 OK", b"\xff\xfe"), "the answer is not a JSON object"),
    "hangs up": (hangs_up, "the connection was cut: check the server's log, and proxies and firewalls on the way"),
    "mail": (mail, "no HTTP answer (BadStatusLine): is "),
}


@pytest.mark.slow
@pytest.mark.parametrize("who", COMMANDS)
@pytest.mark.parametrize("what", WRONG)
def test_every_command_reports_the_same_error(ask: Ask, serving: Callable[[Serving], str], who: str, what: str) -> None:
    serve, expected = WRONG[what]
    address = serving(serve)
    line = ask(who, address)
    assert expected in line
    assert f"{address}/api/atlas/" in line
    assert not {"ticket", "attr:qualifiedName", "u:p"} & set(line.replace("?", " ").split())


@pytest.mark.parametrize("who", COMMANDS)
def test_timeout_error_names_the_option_for_more_time(ask: Ask, serving: Callable[[Serving], str], who: str) -> None:
    line = ask(who, serving(says_nothing), timeout=0.3)
    more = "atlas.hook.spark.rest.timeout.seconds" if who == "hook.verify" else "--timeout"
    assert f"and the server's load, or increase {more}" in line
    assert "no answer in time: check " in line


@pytest.mark.slow
@pytest.mark.parametrize("who", COMMANDS)
def test_each_command_has_its_own_fix(ask: Ask, serving: Callable[[Serving], str], who: str) -> None:
    refused = ask(who, serving(answers("401 x")))
    without = {"atlas_rest_basic_auth_username": "", "atlas_rest_basic_auth_password": ""}
    missing = ask(who, serving(answers("401 x")), **without)
    elsewhere = ask(who, serving(answers("404 x")))
    login = "--user with ATLAS_PASSWORD" if who in BY_OPTIONS else "atlas.rest.basic.auth.username and"
    assert f"login rejected: correct {login}" in refused
    assert f"login missing: set {login}" in missing
    assert f"or {'--server' if who in BY_OPTIONS else 'atlas.rest.address'} has a wrong path" in elsewhere


@pytest.mark.parametrize("who", COMMANDS)
def test_unreachable_proxy_is_named_without_its_credentials(
    ask: Ask, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://ada:{PASSWORD}@127.0.0.1:9")
    line = ask(who, "http://atlas.example.org:21000")
    assert "its proxy http://********@127.0.0.1:9 cannot be reached: correct http_proxy" in line
    assert "ada" not in line


def test_doctor_names_the_proxy_without_its_credentials(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.setenv("http_proxy", f"http://ada:{PASSWORD}@127.0.0.1:9")
    options = ("--conf", "atlas.client.type=rest", "--conf", "atlas.rest.address=http://atlas.example.org:21000")
    (line,) = (each for each in cli("doctor", *options).text(1).splitlines() if each[6:].startswith("host "))
    assert line.endswith(
        "requests to atlas.example.org go through the proxy http://********@127.0.0.1:9 of the environment"
    )


def test_proxy_that_answers_instead_of_the_server_is_named(
    ask: Ask, serving: Callable[[Serving], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for status, word in (
        ("407 x", "HTTP 407: the proxy requires a login"),
        ("403 x", "HTTP 403: the user may not read entities"),
    ):
        proxy = serving(answers(status))
        monkeypatch.setenv("http_proxy", proxy)
        line = ask("verify", "http://atlas.example.org:21000")
        assert word in line
        assert f"the request went through the proxy {proxy} of the environment: check it, or add the server to" in line
    monkeypatch.setenv("no_proxy", "atlas.example.org")
    assert "there is no such host: check atlas.rest.address" in ask("verify", "http://atlas.example.org:21000")


def test_closed_port_or_server_without_tls(ask: Ask, serving: Callable[[Serving], str]) -> None:
    assert "nothing listens there" in ask("types --server", refused())
    clear = serving(answers("200 OK", b"{}")).replace("http:", "https:")
    assert "is --server an http:// address?" in ask("types --server", clear)


def test_untrusted_certificate_and_invalid_ca_file(ask: Ask, tmp_path: Path) -> None:
    made = make_certificates(tmp_path / "certificates")
    with server(answers("404 x"), made.key_store("broker")) as port:
        address = f"https://localhost:{port}"
        for who in COMMANDS:
            name = "--ca-file" if who in BY_OPTIONS else "atlas.hook.spark.rest.ca.file"
            assert f"name the authority's PEM in {name}" in ask(who, address)
        assert "HTTP 404" in ask("verify", address, atlas_hook_spark_rest_ca_file=str(made.ca))
        with server(mail) as clear:
            assert "no TLS (" in ask("verify", f"https://localhost:{clear}")
    (tmp_path / "junk.pem").write_text("junk")
    for file, why in (("none.pem", "No such file or directory"), ("junk.pem", "it holds no certificate")):
        line = ask("verify", "https://localhost:1", atlas_hook_spark_rest_ca_file=file)
        assert f"atlas.hook.spark.rest.ca.file = {file}: {why}; name a PEM file of certificates" in line


# ---- no server is named


@pytest.mark.parametrize("text", [None, "# nothing yet\n"])
@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (COMMANDS["verify"], ["atlas.rest.address=URL"]),
        (("verify", "topic"), ["atlas.rest.address=URL", "atlas.kafka.bootstrap.servers=HOST:PORT"]),
        (COMMANDS["coverage"], ["atlas.rest.address=URL"]),
        (COMMANDS["impact"], ["atlas.rest.address=URL"]),
        (("coverage", "topic"), ["atlas.kafka.bootstrap.servers=HOST:PORT"]),
    ],
)
def test_without_a_configuration_the_fix_names_the_needed_settings(
    words: tuple[str, ...], needed: list[str], text: str | None, cli: Cli
) -> None:
    if text is not None:
        Path("atlas-application.properties").write_text(text)
    fix = f"or pass settings with {' '.join(f'--conf {each}' for each in needed)}; sac-kafka config"
    if text is not None:
        fix = f"write KEY=VALUE lines such as {needed[0]} (sac-kafka config --template prints a template)"
    cli(*words).check(2, "", fix)


@pytest.mark.parametrize("who", ["verify", "coverage", "view", "impact", "diff", "hook.verify"])
def test_configuration_without_a_server_names_the_setting_to_add(ask: Ask, who: str) -> None:
    assert NO_ADDRESS in ask(who, "")


@pytest.mark.parametrize("who", ["verify", "hook.verify"])
def test_purview_is_not_taken_for_atlas(ask: Ask, who: str) -> None:
    line = ask(who, "https://contoso.purview.azure.com", atlas_client_type="purview")
    assert "messages are sent to Purview, where they cannot be verified" in line


def test_a_hook_that_is_not_attached_has_sent_nothing() -> None:
    attachment = Attachment(None)
    attachment.refuse(AttachError("there is no SparkContext"))
    assert attachment.verify(0).problem == ("nothing to verify: not attached: there is no SparkContext")


# ---- several addresses, as of a high-availability pair


def refused() -> str:
    return f"http://127.0.0.1:{free_port()}"


@pytest.mark.parametrize("first", ["refused", "passive", "503", "silent"])
def test_available_server_of_a_pair_is_used(
    serving: Callable[[Serving], str], types_server: TypesServer, cli: Cli, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    if first == "silent":  # each server gets half of the remaining time: the first of half a second, the other of all
        moments = iter((0.0, 59.5, 0.0))
        monkeypatch.setattr(server_module, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    passive = {
        "refused": refused,
        "passive": lambda: serving(answers("307 x", Location="http://127.0.0.1:1/")),
        "503": lambda: serving(answers("503 x")),
        "silent": lambda: serving(says_nothing),
    }[first]()
    conf = {"atlas.client.type": "memory", "atlas.rest.address": f"{passive},{types_server.address}", **LOGIN}
    options = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
    assert "missing types" in cli("types", "diff", "--timeout", "60", *options).text(1)
    assert len(types_server.requests) == 1


def test_pair_that_is_down_reports_the_server_that_is_not_passive(ask: Ask, serving: Callable[[Serving], str]) -> None:
    passive, broken = serving(answers("307 x", Location="http://x/")), serving(answers("500 x"))
    assert f"{broken}/api/atlas/v2/types/typedefs: HTTP 500" in ask("types", f"{passive},{broken}")


def test_server_address_precedes_the_notification_address(ask: Ask, serving: Callable[[Serving], str]) -> None:
    address = serving(answers("500 x"))
    for who in ("verify", "hook.verify", "coverage", "types", "doctor"):
        line = ask(who, address, atlas_hook_rest_notification_address="http://127.0.0.1:9/rest")
        assert f"{address}/api/atlas/" in line
    line = ask("verify", "", atlas_hook_rest_notification_address="http://127.0.0.1:9/rest")
    assert "check host and port in atlas.hook.rest.notification.address" in line
