"""Translate `sasl.mechanism=OAUTHBEARER` of Kafka's Java client for librdkafka: the source of tokens and its settings.

Sources: `OAuthBearerLoginModule`, `OAuthBearerLoginCallbackHandler` and `OAuthBearerUnsecuredLoginCallbackHandler` of
kafka-clients 4.3; librdkafka's CONFIGURATION.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import unquote, urlsplit

from sac_kafka.errors import ConfigurationError, NeedsDriverError, NeedsJvmClientError, SacKafkaError
from sac_kafka.masking import mask_text
from sac_kafka.settings.entra import Entra
from sac_kafka.settings.files.jaas import JaasEntry
from sac_kafka.transport.kafka.settings.code_loading import CALLBACK_KEY
from sac_kafka.transport.kafka.settings.context import ConnectionContext, Secured
from sac_kafka.transport.kafka.settings.event_hubs import namespace_host
from sac_kafka.transport.kafka.settings.login import check_module
from sac_kafka.transport.kafka.settings.oauth_tokens import TokenError, TokenSource, from_file, import_function
from sac_kafka.transport.kafka.settings.tls_material import Stores, system_certificates

PLACE = "atlas.hook.spark.entra.*"
MODULE = "oauthbearer.OAuthBearerLoginModule"
AZURE_IMDS = "azure_imds"
_HANDLER = "sasl.login.callback.handler.class"
_URL = "sasl.oauthbearer.token.endpoint.url"
_RETRIEVER = "sasl.oauthbearer.jwt.retriever.class"
_OWN_HANDLERS = (".OAuthBearerLoginCallbackHandler", ".OAuthBearerUnsecuredLoginCallbackHandler")
_OWN_RETRIEVERS = ("Default", "ClientCredentials", "JwtBearer", "File")
_ASSERTION = "sasl.oauthbearer.assertion."
_JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
_ASSERTION_KEYS = {
    "template.file": "jwt.template.file",  # has another name in librdkafka
    **{name: name for name in ("algorithm", "file", "private.key.file", "private.key.passphrase")},
    **{f"claim.{name}": f"claim.{name}" for name in ("aud", "exp.seconds", "iss", "jti.include", "nbf.seconds", "sub")},
}
_EXAMPLE = f'org.apache.kafka.common.security.{MODULE} required clientId="…" clientSecret="…";'


def from_entra(kafka: Mapping[str, str], login: JaasEntry | None, entra: Entra) -> TokenSource | None:
    """Return a source of tokens for an Event Hubs namespace; None for other brokers or if the login has options.

    Raises:
        ConfigurationError: The identity in the settings or the environment is invalid.
    """
    host = namespace_host(kafka.get("bootstrap.servers", "").split(","))
    if not host or (login is not None and login.options):
        return None
    from sac_kafka.transport.http.entra.tokens import EntraTokenSource

    tokens, scope = EntraTokenSource.of(entra), f"https://{host}/.default"

    def fetch(_config: str) -> tuple[str, float]:
        try:
            token = tokens.token(scope)
        except SacKafkaError as error:  # its message is a sentence, so that the class name is not needed
            raise TokenError(str(error)) from None
        return token.text, token.expires_ms / 1000

    return TokenSource(fetch, PLACE)


def oauth(kafka: Mapping[str, str], login: JaasEntry | None, context: ConnectionContext) -> Secured:
    """Translate an OAuth login.

    Raises:
        ConfigurationError: A setting is missing or invalid.
        NeedsDriverError: A function is configured as the source of tokens, and must not be loaded here.
        NeedsJvmClientError: A Java class is configured as the source of tokens.
    """
    if login is not None:
        check_module(login, "OAUTHBEARER", MODULE)
    if context.kafka.oauth_callback == AZURE_IMDS:
        return Secured(_managed_identity(kafka, login))
    if context.kafka.oauth_callback:
        if not context.runs_callback:
            raise NeedsDriverError(
                f"{CALLBACK_KEY} = {mask_text(context.kafka.oauth_callback)}: outside a driver a file's function is not run; "
                f"if you trust it, add --conf {CALLBACK_KEY}=MODULE:FUNCTION"
            )
        fetch = import_function(context.kafka.oauth_callback, CALLBACK_KEY)
        module, _, name = context.kafka.oauth_callback.partition(":")
        return _from_python(fetch, f"{CALLBACK_KEY} ({name} of {module})")
    _refuse_java(kafka)
    url = kafka.get(_URL, "")
    if url.startswith("file:"):
        return _from_python(from_file(unquote(urlsplit(url).path)), f"atlas.kafka.{_URL} = {url}")
    if url:
        return _client_credentials(kafka, login, context, url)
    if (tokens := from_entra(kafka, login, context.entra)) is not None:
        return Secured({"sasl.oauthbearer.method": "default"}, tokens)
    if login is not None and any(name.startswith("unsecuredLogin") for name in login.options):
        raise NeedsJvmClientError(f"{login.place}: only Kafka's Java client makes unsigned tokens (unsecuredLogin…)")
    raise ConfigurationError(
        f"atlas.kafka.{_URL} is not set, so that there is no source of OAUTHBEARER tokens; set it, with {_EXAMPLE}, or "
        f"{CALLBACK_KEY}"
    )


def _refuse_java(kafka: Mapping[str, str]) -> None:
    handler, retriever = kafka.get(_HANDLER, ""), kafka.get(_RETRIEVER, "")
    if handler and not handler.endswith(_OWN_HANDLERS):
        raise NeedsJvmClientError(
            f"atlas.kafka.{_HANDLER} = {handler}: librdkafka cannot run a Java handler; set {CALLBACK_KEY} to a Python "
            "function, or to azure_imds"
        )
    if retriever and retriever.rpartition(".")[2].removesuffix("JwtRetriever") not in _OWN_RETRIEVERS:
        raise NeedsJvmClientError(f"atlas.kafka.{_RETRIEVER} = {retriever}: librdkafka cannot run a Java class")


def _from_python(fetch: Callable[[str], object], place: str) -> Secured:
    return Secured({"sasl.oauthbearer.method": "default"}, TokenSource(fetch, place))


def _client_credentials(
    kafka: Mapping[str, str], login: JaasEntry | None, context: ConnectionContext, url: str
) -> Secured:
    if urlsplit(url).scheme not in ("http", "https"):
        raise ConfigurationError(f"atlas.kafka.{_URL} = {mask_text(url)}: must begin with https:, http: or file:")
    options = login.options if login is not None else {}
    config = {"sasl.oauthbearer.method": "oidc", "sasl.oauthbearer.token.endpoint.url": url}
    config |= _assertion(kafka) or _client(kafka, options, login)
    scope = options.get("scope") or kafka.get("sasl.oauthbearer.scope", "")
    if scope:
        config["sasl.oauthbearer.scope"] = scope
    if claim := kafka.get("sasl.oauthbearer.sub.claim.name"):
        config["sasl.oauthbearer.sub.claim.name"] = claim
    if extensions := _extensions(options, "extension_"):
        config["sasl.oauthbearer.extensions"] = extensions
    # The token server's certificate is verified with a separate trust store in the login's options.
    place = f"{login.place}: " if login is not None else "atlas.kafka."
    trust = Stores(options, place, context.driver).trust("https.ca.pem")
    if not trust.config and (system := system_certificates()):
        # librdkafka's HTTP client searches only the default path of the distribution on which it was built.
        config["https.ca.location"] = system
    return Secured(config | trust.config, warnings=trust.warnings)


def _client(kafka: Mapping[str, str], options: Mapping[str, str], login: JaasEntry | None) -> dict[str, str]:
    """Return client id and secret, from the settings of newer Kafka clients, else from the options of the login."""
    key = "sasl.oauthbearer.client.credentials.client"
    name = kafka.get(f"{key}.id") or options.get("clientId", "")
    secret = kafka.get(f"{key}.secret") or options.get("clientSecret", "")
    if not name or not secret:
        missing = "clientId" if not name else "clientSecret"
        place = login.place if login is not None else "atlas.kafka.sasl.jaas.config"
        raise ConfigurationError(
            f"{place}: the option {missing}, which {_URL} requires, is missing or empty; write it as {_EXAMPLE}"
        )
    return {"sasl.oauthbearer.client.id": name, "sasl.oauthbearer.client.secret": secret}


def _assertion(kafka: Mapping[str, str]) -> dict[str, str]:
    found = {
        f"{_ASSERTION}{target}": kafka[_ASSERTION + name]
        for name, target in _ASSERTION_KEYS.items()
        if kafka.get(_ASSERTION + name)
    }
    return found and {"sasl.oauthbearer.grant.type": _JWT_BEARER, **found}


def _extensions(options: Mapping[str, str], prefix: str) -> str:
    return ",".join(f"{name[len(prefix) :]}={text}" for name, text in options.items() if name.startswith(prefix))


def _managed_identity(kafka: Mapping[str, str], login: JaasEntry | None) -> dict[str, str]:
    """Return the settings for the managed identity of an Azure machine; `clientId` selects one of several."""
    host = kafka.get("bootstrap.servers", "").split(",")[0].strip().rpartition("://")[2].rpartition(":")[0]
    query = f"api-version=2018-02-01&resource=https://{host}"
    options = login.options if login is not None else {}
    name = kafka.get("sasl.oauthbearer.client.credentials.client.id") or options.get("clientId")
    config = {
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.metadata.authentication.type": AZURE_IMDS,
        "sasl.oauthbearer.config": f"query={query}" + (f"&client_id={name}" if name else ""),
    }
    return config | ({"sasl.oauthbearer.token.endpoint.url": kafka[_URL]} if kafka.get(_URL) else {})
