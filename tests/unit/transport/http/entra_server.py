"""A stand-in of Microsoft Entra ID and of a machine's metadata service, after Microsoft's documentation of both.

with EntraServer(make_certificates(folder)) as entra:
    tokens = EntraTokenSource.of(Entra(**entra.settings()), {})          # a client secret
    monkeypatch.setenv(*entra.metadata_variable)                    # a managed identity
    entra.claims(token)                                             # what a server that takes tokens would look at

Documented at https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow (token, certificate,
federated), …/certificate-credentials (the assertion), …/reference-error-codes, and
https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token (metadata service),
https://learn.microsoft.com/azure/app-service/overview-managed-identity (App Service).
"""

from __future__ import annotations

import json
import secrets
import ssl
import threading
import time
import uuid
from base64 import urlsafe_b64encode
from collections import deque
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt

from stack.certificates import Certificates
from tests.helpers.loopback_server import HttpRequest, LoopbackServer, Reply
from tests.unit.transport.http.entra_assertions import Assertions, RefusedError, key_of

TENANT = "11111111-2222-3333-4444-555555555555"
CLIENT = "66666666-7777-8888-9999-aaaaaaaaaaaa"
USER_ASSIGNED = "bbbbbbbb-cccc-dddd-eeee-ffffffffffff"
AUDIENCES = ("https://purview.azure.net",)
"""The resources that the tenant knows, in addition to every Event Hubs namespace."""
_EVENT_HUBS = ".servicebus.windows.net"
_KEY_ID = "stand-in"
_IMDS = "/metadata/identity/oauth2/token"
_APP_SERVICE = "/msi/token"


@dataclass(frozen=True, slots=True)
class Request:
    """A request: `form` is the body or the query, each key with its first value."""

    method: str
    path: str
    form: dict[str, str]
    headers: dict[str, str] = field(default_factory=dict)


class EntraServer:
    """Listens on free ports of loopback: Entra ID over TLS, the metadata service without.

    Set `life_seconds` for how long tokens live, `secret_has_expired`, `has_managed_identity`, `refusal`; put statuses
    into `failures` that the next requests get, and whole answers into `pages`, None for the usual one; clear `answers` to
    let all of them hang, until it is set again. `requests` holds all requests.
    """

    def __init__(self, certificates: Certificates) -> None:
        self.certificates = certificates
        self.client_secret = f"Zk4~{secrets.token_urlsafe(24)}"
        self.life_seconds = 3599
        self.secret_has_expired = False
        self.has_managed_identity = True
        self.failures: deque[int] = deque()
        self.pages: deque[tuple[int, dict[str, str], bytes] | None] = deque()
        self.refusal: RefusedError | None = None
        self.answers = threading.Event()
        self.answers.set()
        self.requests: list[Request] = []
        self.header = secrets.token_urlsafe(16)  # of App Service
        self._key = key_of("tenant")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates.key_store("broker"))
        self._secure, self._plain = _Server(self, context), _Server(self)
        self.url = f"https://localhost:{self._secure.server_port}"
        self.metadata_url = f"http://127.0.0.1:{self._plain.server_port}"
        self.assertions = Assertions(CLIENT, f"{self.url}/{TENANT}/oauth2/v2.0/token")

    def settings(self) -> dict[str, Any]:
        """Return the fields of `Entra` for the application with its secret."""
        return {**self.authority(), "tenant": TENANT, "client": CLIENT, "client_secret": self.client_secret}

    def authority(self) -> dict[str, Any]:
        """Return the fields of `Entra` that lead here."""
        return {"authority": self.url, "ca_file": str(self.certificates.ca)}

    def properties(self) -> dict[str, str]:
        """Return the application with its secret as lines of atlas-application.properties."""
        keys = {"tenant": "tenant.id", "client": "client.id", "client_secret": "client.secret", "ca_file": "ca.file"}
        return {f"atlas.hook.spark.entra.{keys.get(name, name)}": text for name, text in self.settings().items()}

    @property
    def metadata_variable(self) -> tuple[str, str]:
        """The variable that leads clients to the metadata service, which is at 169.254.169.254 else."""
        return "AZURE_POD_IDENTITY_AUTHORITY_HOST", self.metadata_url

    @property
    def app_service_variables(self) -> dict[str, str]:
        """The variables that App Service and Azure Functions set."""
        return {"IDENTITY_ENDPOINT": f"{self.metadata_url}{_APP_SERVICE}", "IDENTITY_HEADER": self.header}

    def token(self, audience: str, client: str = CLIENT, **claims: object) -> str:
        """Return a token as Entra ID signs it."""
        now = int(time.time())
        body = {
            "aud": audience,
            "iss": f"https://sts.windows.net/{TENANT}/",
            "iat": now,
            "nbf": now,
            "exp": now + self.life_seconds,
            "appid": client,
            "tid": TENANT,
            "ver": "1.0",
            "uti": secrets.token_urlsafe(9),
            **claims,
        }
        return jwt.encode(body, self._key, algorithm="RS256", headers={"kid": _KEY_ID})

    def claims(self, token: str, audience: str | None = None) -> dict[str, Any]:
        """Return the claims of a token if it is ours, has not expired, and is for that audience.

        Raises:
            jwt.InvalidTokenError: It is not.
        """
        options = {"verify_aud": audience is not None}
        return jwt.decode(token, self._key.public_key(), algorithms=["RS256"], audience=audience, options=options)

    def requests_to(self, path: str) -> list[Request]:
        """Return the requests to paths that end so."""
        return [each for each in self.requests if each.path.endswith(path)]

    def answer(self, request: Request) -> tuple[int, dict[str, Any]]:
        """Status and body."""
        tenant, _, path = request.path.removeprefix("/").partition("/")
        if request.path in (_IMDS, _APP_SERVICE):
            return self._managed(request)
        if path == "v2.0/.well-known/openid-configuration":
            return self._discovery(tenant)
        if path == "discovery/v2.0/keys":
            return 200, {"keys": [self._public_key()]}
        if path == "oauth2/v2.0/token":
            try:
                return 200, self._granted(tenant, request.form)
            except RefusedError as refused:
                return refused.status, _error(refused)
        return 404, {"error": "not_found"}

    def _discovery(self, tenant: str) -> tuple[int, dict[str, Any]]:
        if tenant != TENANT:
            return 400, _error(_no_tenant(tenant))
        base = f"{self.url}/{tenant}"
        return 200, {
            "issuer": f"{base}/v2.0",
            "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
            "token_endpoint": f"{base}/oauth2/v2.0/token",
            "jwks_uri": f"{base}/discovery/v2.0/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt", "client_secret_basic"],
            "response_types_supported": ["code", "id_token"],
            "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def _granted(self, tenant: str, form: dict[str, str]) -> dict[str, Any]:
        if tenant != TENANT:
            raise _no_tenant(tenant)
        if self.refusal is not None:
            raise self.refusal
        if form.get("grant_type") != "client_credentials":
            raise RefusedError(400, "unsupported_grant_type", 70003, "The app requested an unsupported grant type.")
        if form.get("client_id") != CLIENT:
            raise RefusedError(
                400,
                "unauthorized_client",
                700016,
                f"Application with identifier '{form.get('client_id')}' was not found in the directory 'Contoso'. This can "
                "happen if the application has not been installed by the administrator of the tenant or consented to by "
                "any user in the tenant. You may have sent your authentication request to the wrong tenant.",
            )
        if "client_assertion" in form:
            self.assertions.check(form)
        elif "client_secret" not in form:
            raise RefusedError(
                401,
                "invalid_client",
                7000218,
                "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
            )
        elif form["client_secret"] != self.client_secret:
            raise RefusedError(
                401,
                "invalid_client",
                7000215,
                "Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, "
                f"not the client secret ID, for a secret added to app '{CLIENT}'.",
            )
        elif self.secret_has_expired:
            raise RefusedError(
                401,
                "invalid_client",
                7000222,
                f"The provided client secret keys for app '{CLIENT}' are expired. Visit the Azure portal to create new "
                "keys for your app: https://aka.ms/NewClientSecret, or consider using certificate credentials for added "
                "security: https://aka.ms/certCreds.",
            )
        audience = _audience(form.get("scope", ""))
        life = self.life_seconds
        return {
            "token_type": "Bearer",
            "expires_in": life,
            "ext_expires_in": life,
            "access_token": self.token(audience),
        }

    def _managed(self, request: Request) -> tuple[int, dict[str, Any]]:
        is_app_service = request.path == _APP_SERVICE
        if is_app_service and request.headers.get("x-identity-header") != self.header:
            return 401, {"statusCode": 401, "message": "Unauthorized"}
        if not is_app_service and request.headers.get("metadata") != "true":
            return 400, {"error": "invalid_request", "error_description": "Required metadata header not specified"}
        client = request.form.get("client_id", CLIENT)
        if not self.has_managed_identity or client not in (CLIENT, USER_ASSIGNED):
            return 400, {"error": "invalid_request", "error_description": "Identity not found"}
        resource = request.form.get("resource", "")
        end = int(time.time()) + self.life_seconds
        body = {
            "access_token": self.token(resource.rstrip("/"), client),
            "client_id": client,
            "expires_on": str(end),
            "resource": resource,
            "token_type": "Bearer",
        }
        return 200, body if is_app_service else {**body, "expires_in": str(self.life_seconds)}

    def _public_key(self) -> dict[str, Any]:
        numbers = self._key.public_key().public_numbers()
        parts = {
            name: urlsafe_b64encode(each.to_bytes((each.bit_length() + 7) // 8, "big")).rstrip(b"=").decode()
            for name, each in (("n", numbers.n), ("e", numbers.e))
        }
        return {"kty": "RSA", "use": "sig", "kid": _KEY_ID, **parts}

    def __enter__(self) -> EntraServer:
        for server in (self._secure, self._plain):
            server.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.answers.set()
        for server in (self._secure, self._plain):
            server.__exit__()


def _audience(scope: str) -> str:
    resource = scope.removesuffix("/.default").rstrip("/")
    if not scope.endswith("/.default"):
        raise RefusedError(
            400,
            "invalid_scope",
            1002012,
            f"The provided value for scope {scope} is not valid. Client credential flows must have a scope value with "
            "/.default suffixed to the resource identifier (application ID URI).",
        )
    if resource not in AUDIENCES and not resource.endswith(_EVENT_HUBS):
        raise RefusedError(
            400,
            "invalid_resource",
            500011,
            f"The resource principal named {resource} was not found in the tenant named Contoso.",
        )
    return resource


def _no_tenant(tenant: str) -> RefusedError:
    return RefusedError(
        400,
        "invalid_tenant",
        90002,
        f"Tenant '{tenant}' not found. Check to make sure you have the correct tenant ID and are signing into the correct "
        "cloud. Check with your subscription administrator, this may happen if there are no active subscriptions for the "
        "tenant.",
    )


def _error(refused: RefusedError) -> dict[str, Any]:
    """Return an error in the shape of the token endpoint."""
    trace, correlation = str(uuid.uuid4()), str(uuid.uuid4())
    at = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime())
    return {
        "error": refused.error,
        "error_description": f"AADSTS{refused.code}: {refused.text} Trace ID: {trace} Correlation ID: {correlation} "
        f"Timestamp: {at}",
        "error_codes": [refused.code],
        "timestamp": at,
        "trace_id": trace,
        "correlation_id": correlation,
        "error_uri": f"https://login.microsoftonline.com/error?code={refused.code}",
    }


class _Server(LoopbackServer):
    def __init__(self, entra: EntraServer, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(tls)
        self._entra = entra

    def reply(self, request: HttpRequest) -> Reply:
        entra, url = self._entra, urlsplit(request.path)
        query = request.body.decode() if request.method == "POST" else url.query
        form = {key: values[0] for key, values in parse_qs(query).items()}
        found = Request(request.method, url.path, form, {name.lower(): text for name, text in request.headers.items()})
        entra.requests.append(found)
        entra.answers.wait()
        if (page := entra.pages.popleft() if entra.pages else None) is not None:
            status, headers, content = page
        else:
            status, body = (entra.failures.popleft(), {}) if entra.failures else entra.answer(found)
            headers, content = {}, json.dumps(body).encode()
        return status, {"Content-Type": "application/json; charset=utf-8", **headers}, content
