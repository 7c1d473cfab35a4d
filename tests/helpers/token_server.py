"""A token server as OAUTHBEARER needs one: client credentials, Azure's metadata endpoint, and the keys to check by.

with TokenServer() as server:
    KafkaBroker(work, listeners=ALL, tokens=server.issuer_for_brokers)
"""

from __future__ import annotations

import base64
import json
import secrets
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import parse_qs, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from stack.listeners import TokenIssuer

AUDIENCE = "kafka"
CLIENT_ID = "lineage"
KEY_ID = "tests"


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class TokenServer:
    """Listens on free ports of loopback; gives RS256 tokens to its one client, whose `sub` is the client's id.

    With a key store (PEM, key and certificates) it gives tokens over TLS, too.
    """

    def __init__(self, life_seconds: float = 3600, key_store: Path | None = None) -> None:
        self.client_secret = secrets.token_urlsafe(24)
        self.life_seconds = life_seconds
        self.requests: list[tuple[str, dict[str, list[str]]]] = []
        self._key = rsa.generate_private_key(65537, 2048)
        self._servers = [ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self)) for _ in range(2 if key_store else 1)]
        if key_store:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(key_store)
            self._servers[1].socket = context.wrap_socket(self._servers[1].socket, server_side=True)
        self._threads = [
            threading.Thread(target=server.serve_forever, args=(0.05,), name="token-server", daemon=True)
            for server in self._servers
        ]

    @property
    def url(self) -> str:
        return f"http://localhost:{self._servers[0].server_port}"

    @property
    def secure_token_url(self) -> str:
        return f"https://localhost:{self._servers[1].server_port}/token"

    @property
    def token_url(self) -> str:
        return f"{self.url}/token"

    @property
    def issuer_for_brokers(self) -> TokenIssuer:
        return TokenIssuer(f"{self.url}/jwks", self.url, AUDIENCE)

    def token(self, subject: str = CLIENT_ID, **claims: object) -> str:
        now = time.time()
        body = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": subject,
            "iat": int(now),
            "exp": int(now + self.life_seconds),
            "scope": "produce",
            **claims,
        }
        parts = [{"alg": "RS256", "typ": "JWT", "kid": KEY_ID}, body]
        signed = ".".join(_base64(json.dumps(part).encode()) for part in parts)
        signature = self._key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{signed}.{_base64(signature)}"

    def keys(self) -> dict[str, object]:
        numbers = self._key.public_key().public_numbers()
        key = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": KEY_ID}
        n, e = (_base64(each.to_bytes((each.bit_length() + 7) // 8, "big")) for each in (numbers.n, numbers.e))
        return {"keys": [{**key, "n": n, "e": e}]}

    def is_client(self, authorization: str, form: dict[str, list[str]]) -> bool:
        """Return whether the request is the client's, by HTTP's Basic or by the form."""
        if authorization.startswith("Basic "):
            name, _, secret = base64.b64decode(authorization[6:]).decode().partition(":")
        else:
            name, secret = form.get("client_id", [""])[0], form.get("client_secret", [""])[0]
        return (name, secret) == (CLIENT_ID, self.client_secret)

    def __enter__(self) -> TokenServer:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server, thread in zip(self._servers, self._threads, strict=True):
            server.shutdown()
            server.server_close()
            thread.join()


def _handler_of(server: TokenServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            place = urlsplit(self.path)
            query = parse_qs(place.query)
            if place.path == "/jwks":
                self._answer(200, server.keys())
            elif place.path == "/imds" and self.headers.get("Metadata") == "true" and "resource" in query:
                server.requests.append(("imds", query))
                self._answer(200, self._token())
            else:
                self._answer(400, {"error": "invalid_request"})

        def do_POST(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())
            server.requests.append(("token", form))
            if not server.is_client(self.headers.get("Authorization", ""), form):
                self._answer(401, {"error": "invalid_client", "error_description": "unknown client or wrong secret"})
            elif form.get("grant_type") != ["client_credentials"]:
                self._answer(400, {"error": "unsupported_grant_type"})
            else:
                self._answer(200, self._token())

        def _token(self) -> dict[str, object]:
            return {"access_token": server.token(), "token_type": "Bearer", "expires_in": server.life_seconds}

        def _answer(self, status: int, body: dict[str, object]) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, form: str, *arguments: object) -> None:
            """Be quiet."""

    return Handler
