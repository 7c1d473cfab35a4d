"""Every credential against a stand-in of Entra ID, by the real azure-identity: tokens, and the texts of errors."""

from __future__ import annotations

import logging
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError, SacKafkaError
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import EntraCredential
from sac_kafka.settings.entra import Entra
from sac_kafka.transport.base import FailureKind
from sac_kafka.transport.http.entra.errors import EntraError
from sac_kafka.transport.http.entra.tokens import PURVIEW, EntraTokenSource
from stack.ports import free_port
from tests.helpers.waiting import FakeClock
from tests.unit.transport.http.entra_assertions import RefusedError, make_certificate
from tests.unit.transport.http.entra_server import CLIENT, TENANT, USER_ASSIGNED, EntraServer

AUDIENCE = "https://purview.azure.net"
TOKEN = "/oauth2/v2.0/token"


def source(server: EntraServer, **other: object) -> EntraTokenSource:
    return EntraTokenSource.of(Entra(**{**server.settings(), **other}), {})


def certified(server: EntraServer, file: Path, **other: object) -> EntraTokenSource:
    settings = {**server.authority(), "tenant": TENANT, "client": CLIENT, "certificate_file": str(file), **other}
    return EntraTokenSource.of(Entra(**settings), {})


def test_a_client_secret_gets_a_token(entra: EntraServer) -> None:
    before = int(time.time())
    token = source(entra).token(PURVIEW)
    assert entra.claims(token.text, AUDIENCE)["appid"] == CLIENT
    assert before <= token.expires_ms / 1000 - entra.life_seconds <= time.time()  # not measured
    (request,) = entra.requests_to(TOKEN)
    assert (request.form["grant_type"], request.form["scope"]) == ("client_credentials", PURVIEW)


def test_a_token_is_requested_once_per_scope(entra: EntraServer) -> None:
    tokens = source(entra)
    hubs = "https://contoso.servicebus.windows.net/.default"
    assert tokens.token(PURVIEW) is tokens.token(PURVIEW)
    assert entra.claims(tokens.token(hubs).text)["aud"] == "https://contoso.servicebus.windows.net"
    assert len(entra.requests_to(TOKEN)) == 2


def test_an_expiring_token_is_replaced(entra: EntraServer) -> None:
    entra.life_seconds = 240  # azure-identity keeps none that has less than five minutes left
    tokens, clock = source(entra), FakeClock(time.time())
    tokens._clock = clock
    first = tokens.token(PURVIEW)
    assert tokens.token(PURVIEW) is first
    clock.now = first.expires_ms / 1000 - 10
    assert tokens.token(PURVIEW).text != first.text


def test_forget_fetches_a_new_token_despite_the_cache_of_the_library(entra: EntraServer) -> None:
    tokens = source(entra)
    first = tokens.token(PURVIEW)
    tokens.forget()
    assert tokens.token(PURVIEW).text != first.text


def test_settings_of_a_file_suffice(entra: EntraServer) -> None:
    settings = Settings.read(entra.properties(), "/conf/atlas-application.properties")
    assert entra.claims(EntraTokenSource.of(settings.entra, {}).token(PURVIEW).text, AUDIENCE)


def test_azure_environment_variables_suffice(entra: EntraServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(entra.certificates.ca))
    monkeypatch.setenv("AZURE_AUTHORITY_HOST", entra.url)
    monkeypatch.setenv("AZURE_TENANT_ID", TENANT)
    monkeypatch.setenv("AZURE_CLIENT_ID", CLIENT)
    monkeypatch.setenv("AZURE_CLIENT_SECRET", entra.client_secret)
    assert entra.claims(EntraTokenSource.of(Entra()).token(PURVIEW).text, AUDIENCE)


@pytest.mark.slow
@pytest.mark.parametrize("password", [None, "over the rainbow"])
def test_a_certificate_gets_a_token(entra: EntraServer, tmp_path: Path, password: str | None) -> None:
    file = tmp_path / "application.pem"
    entra.assertions.register(make_certificate(file, password))
    token = certified(entra, file, certificate_password=password).token(PURVIEW)
    assert entra.claims(token.text, AUDIENCE)
    assert "client_secret" not in entra.requests_to(TOKEN)[0].form


def test_a_workload_identity_gets_a_token_by_the_file_of_its_pod(entra: EntraServer, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(entra.assertions.federated_token())
    variables = {"AZURE_TENANT_ID": TENANT, "AZURE_CLIENT_ID": CLIENT, "AZURE_FEDERATED_TOKEN_FILE": str(file)}
    tokens = EntraTokenSource.of(Entra(**entra.authority()), variables)
    assert tokens.identity.kind is EntraCredential.WORKLOAD_IDENTITY
    assert entra.claims(tokens.token(PURVIEW).text, AUDIENCE)


@pytest.mark.parametrize("client", [None, USER_ASSIGNED])
def test_a_managed_identity_gets_a_token_of_the_metadata_service(
    entra: EntraServer, monkeypatch: pytest.MonkeyPatch, client: str | None
) -> None:
    monkeypatch.setenv(*entra.metadata_variable)
    tokens = EntraTokenSource.of(Entra(client=client))
    assert entra.claims(tokens.token(PURVIEW).text, AUDIENCE)["appid"] == client or CLIENT
    assert [each.form.get("client_id") for each in entra.requests] == [client]


def test_a_managed_identity_gets_a_token_of_app_service(entra: EntraServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in entra.app_service_variables.items():
        monkeypatch.setenv(name, text)
    assert entra.claims(EntraTokenSource.of(Entra()).token(PURVIEW).text, AUDIENCE)


def refusal(tokens: EntraTokenSource, scope: str = PURVIEW) -> EntraError:
    with pytest.raises(EntraError) as caught:
        tokens.token(scope)
    return caught.value


def test_a_wrong_secret_is_reported_with_its_setting(entra: EntraServer) -> None:
    error = refusal(source(entra, client_secret="a1b2-the-wrong-one"))
    assert error.failure_kind is FailureKind.NEEDS_ACTION
    assert "AADSTS7000215" in str(error)
    assert "give its value, not its id, in atlas.hook.spark.entra.client.secret" in str(error)


def test_an_expired_secret_is_reported(entra: EntraServer) -> None:
    entra.secret_has_expired = True
    assert "has expired: make a new one" in str(refusal(source(entra)))


def test_an_unknown_application_is_reported(entra: EntraServer) -> None:
    error = refusal(source(entra, client="cccccccc-0000-0000-0000-000000000000"))
    assert "does not know the application cccccccc-0000-0000-0000-000000000000" in str(error)
    assert "atlas.hook.spark.entra.client.id" in str(error)


def test_an_unknown_tenant_is_reported(entra: EntraServer) -> None:
    error = refusal(source(entra, tenant="fabrikam.com"))
    assert "there is no tenant fabrikam.com: check atlas.hook.spark.entra.tenant.id" in str(error)
    assert error.failure_kind is FailureKind.NEEDS_ACTION


def test_an_unknown_resource_is_reported(entra: EntraServer) -> None:
    assert "does not know https://unknown.example/.default" in str(
        refusal(source(entra), "https://unknown.example/.default")
    )


def test_a_certificate_that_was_not_uploaded_is_reported(entra: EntraServer, tmp_path: Path) -> None:
    make_certificate(tmp_path / "application.pem")
    assert "upload its public part" in str(refusal(certified(entra, tmp_path / "application.pem")))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"no certificate", "must hold a certificate and its RSA private key"),
    ],
)
def test_a_file_without_a_certificate_is_reported(
    entra: EntraServer, tmp_path: Path, content: bytes | None, expected: str
) -> None:
    file = tmp_path / "application.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=expected) as caught:
        certified(entra, file).token(PURVIEW)
    assert str(file) in str(caught.value)
    assert "atlas.hook.spark.entra.certificate.file" in str(caught.value)


def test_the_wrong_password_of_a_certificate_is_reported_without_it(entra: EntraServer, tmp_path: Path) -> None:
    file = tmp_path / "application.pem"
    make_certificate(file, "right")
    with pytest.raises(ConfigurationError, match="password must be right") as caught:
        certified(entra, file, certificate_password="wrong-4711").token(PURVIEW)
    assert "wrong-4711" not in str(caught.value)


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ({"subject": "system:serviceaccount:other:job"}, "has this subject"),
        ({"issuer": "https://oidc.example.org/other"}, "has this issuer"),
        ({"life_seconds": -900}, "check this machine's clock and AZURE_FEDERATED_TOKEN_FILE"),
    ],
)
def test_an_untrusted_pod_is_reported(
    entra: EntraServer, tmp_path: Path, token: dict[str, object], expected: str
) -> None:
    file = tmp_path / "token"
    file.write_text(entra.assertions.federated_token(**token))
    variables = {"AZURE_TENANT_ID": TENANT, "AZURE_CLIENT_ID": CLIENT, "AZURE_FEDERATED_TOKEN_FILE": str(file)}
    assert expected in str(refusal(EntraTokenSource.of(Entra(**entra.authority()), variables)))


def test_a_pod_without_its_token_file_is_reported(entra: EntraServer, tmp_path: Path) -> None:
    variables = {"AZURE_TENANT_ID": TENANT, "AZURE_CLIENT_ID": CLIENT, "AZURE_FEDERATED_TOKEN_FILE": "/no/such/file"}
    error = refusal(EntraTokenSource.of(Entra(**entra.authority()), variables))
    assert "the file that AZURE_FEDERATED_TOKEN_FILE names cannot be read" in str(error)
    assert error.failure_kind is FailureKind.NEEDS_ACTION


@pytest.mark.parametrize(
    ("content", "expected"), [(None, "No such file or directory"), ("x", "it holds no certificate")]
)
def test_an_invalid_ca_file_is_reported(entra: EntraServer, tmp_path: Path, content: str | None, expected: str) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ConfigurationError) as caught:
        source(entra, ca_file=str(file)).token(PURVIEW)
    assert f"atlas.hook.spark.entra.ca.file = {file}: {expected}; name a PEM file" in str(caught.value)


def test_a_machine_without_an_identity_is_reported(entra: EntraServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*entra.metadata_variable)
    entra.has_managed_identity = False
    error = refusal(EntraTokenSource.of(Entra()))
    assert "no managed identity is available here" in str(error)
    assert error.failure_kind is FailureKind.NEEDS_ACTION


def test_an_unreachable_server_is_transient(entra: EntraServer) -> None:
    error = refusal(source(entra, authority="https://localhost:1"))
    assert "https://localhost:1 cannot be reached" in str(error)
    assert error.failure_kind is FailureKind.TRANSIENT


def test_an_untrusted_server_certificate_is_reported(entra: EntraServer) -> None:
    error = refusal(source(entra, ca_file=str(entra.certificates.other_ca)))
    assert "its certificate is not trusted: name the authority's PEM in atlas.hook.spark.entra.ca.file" in str(error)
    assert error.failure_kind is FailureKind.NEEDS_ACTION


def test_a_server_error_is_transient(entra: EntraServer) -> None:
    entra.failures.extend([503] * 8)
    assert refusal(source(entra)).failure_kind is FailureKind.TRANSIENT


def test_a_silent_server_is_not_waited_for(entra: EntraServer) -> None:
    entra.answers.clear()  # until the test has ended
    error = refusal(source(entra, timeout_seconds=0.1))
    assert error.failure_kind is FailureKind.TRANSIENT
    assert "atlas.hook.spark.entra.timeout.seconds" in str(error)


def test_no_secret_is_in_errors_or_logs(entra: EntraServer, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = "Zk4~Q8-wrong.secret"
    texts = [str(refusal(source(entra, client_secret=wrong))), source(entra).token(PURVIEW)]
    shown = f"{texts}{caplog.text}"
    assert wrong not in shown
    assert entra.client_secret not in shown
    assert source(entra).token(PURVIEW).text not in shown


def test_a_missing_library_is_reported_with_the_fix() -> None:
    code = (
        "import sys; sys.modules['azure.identity'] = None\n"
        "from sac_kafka.settings.entra import Entra\n"
        "from sac_kafka.transport.http.entra.tokens import PURVIEW, EntraTokenSource\n"
        "try:\n    EntraTokenSource.of(Entra(), {}).token(PURVIEW)\n"
        "except Exception as error:\n    print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("ConfigurationError ")
    assert "pip install azure-identity" in done.stdout


def test_an_unknown_error_code_is_reported_in_entras_words(entra: EntraServer) -> None:
    entra.refusal = RefusedError(400, "invalid_request", 9002313, "Invalid request. Request is malformed.")
    error = refusal(source(entra))
    assert str(error).endswith(
        "AADSTS9002313: Invalid request. Request is malformed.; look 9002313 up at https://login.microsoftonline.com/error"
    )


PAGES = {
    "a page": (200, {"Content-Type": "text/html"}, b"<!DOCTYPE html><form action=/login>"),
    "a text": (200, {}, b"please log in"),
    "redirected": (302, {"Location": "https://login.example.org/x"}, b""),
}


@pytest.mark.parametrize("before", [0, 1], ids=["discovery", "token"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_a_proxy_is_transient(entra: EntraServer, name: str, before: int) -> None:
    entra.pages.extend([*[None] * before, *[PAGES[name]] * 8])
    error = refusal(source(entra))
    assert error.failure_kind is FailureKind.TRANSIENT
    assert f"the server at {entra.url} is not Entra ID: check whether a log-in page or proxy is in between" in str(
        error
    )
    assert len([each for each in entra.requests if "client_secret" in each.form]) <= before


def test_every_error_is_wrapped(entra: EntraServer) -> None:
    entra.failures.extend([200] * 20)  # with no JSON of a token
    with pytest.raises(SacKafkaError):
        source(entra).token(PURVIEW)


@pytest.mark.slow
def test_a_command_prints_only_its_own_sentence() -> None:
    """Python writes a library's log to standard error if logging is not configured; under pytest it does not."""
    code = "import sys; from sac_kafka.tools.cli.main import main; sys.exit(main(sys.argv[1:]))"
    setting = "atlas.hook.spark.entra"
    who = (f"{setting}.tenant.id={TENANT}", f"{setting}.client.id={CLIENT}", f"{setting}.client.secret=unused")
    where = (f"{setting}.authority=https://127.0.0.1:{free_port()}", "atlas.client.type=console")
    conf = [word for each in (*who, *where) for word in ("--conf", each)]
    command = [sys.executable, "-c", code, "types", "diff", "--account", "contoso", *conf]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "cannot be reached" in done.stderr
    assert len(done.stderr.splitlines()) == 1
