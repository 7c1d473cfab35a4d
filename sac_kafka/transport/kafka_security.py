"""SASL and TLS settings of Kafka's Java client, translated for librdkafka. Called by `kafka_settings` only.

What cannot be translated is an error, never left out: a connection must not become less secure than its owner meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sac_kafka.config.jaas import JaasEntry, parse
from sac_kafka.config.secrets import masked
from sac_kafka.errors import ConfigurationError

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_PROTOCOL_ALIASES = {"PLAINTEXTSASL": "SASL_PLAINTEXT"}  # the word of HDP's Kafka

_LOGIN_MODULES = {
    "PLAIN": "plain.PlainLoginModule",
    "SCRAM-SHA-256": "scram.ScramLoginModule",
    "SCRAM-SHA-512": "scram.ScramLoginModule",
}
_NOT_YET = "is not supported yet"
_OTHER_LOGIN = "use a listener with PLAIN or SCRAM-SHA-512 over SASL_SSL, or atlas.client.type = file"
_UNSUPPORTED = {
    "sasl.login.callback.handler.class": f"a callback handler in Java {_NOT_YET}; {_OTHER_LOGIN}",
    "sasl.client.callback.handler.class": f"a callback handler in Java {_NOT_YET}; {_OTHER_LOGIN}",
    "sasl.login.class": f"a login class in Java {_NOT_YET}; {_OTHER_LOGIN}",
    "ssl.engine.factory.class": f"an SSL engine factory in Java {_NOT_YET}; use ssl.truststore.type = PEM",
    "config.providers": f"a configuration provider {_NOT_YET}; write the values out, or use ${{env:NAME}}",
}
_PEM_CURE = (
    "write the certificates to a PEM file (keytool -list -rfc -keystore FILE > ca.pem), name that file and set "
    "atlas.kafka.{kind}.type = PEM"
)
_PEM_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \1-----", re.DOTALL)

Result = tuple[dict[str, str], list[str]]


def protocol(kafka: Mapping[str, str]) -> str:
    """Give `security.protocol` in upper case, PLAINTEXT when it is not set (the default of Kafka's client)."""
    name = kafka.get("security.protocol", "").upper() or "PLAINTEXT"
    name = _PROTOCOL_ALIASES.get(name, name)
    if name not in PROTOCOLS:
        raise _error("security.protocol", name, f"must be one of {', '.join(PROTOCOLS)}")
    return name


def security(kafka: Mapping[str, str], native: Mapping[str, str]) -> Result:
    """Translate everything about SASL and TLS; gives settings of librdkafka and warnings.

    Args:
        kafka: Java settings, trimmed.
        native: Settings that the user gives librdkafka directly; log-in data among them are the user's own affair.

    Raises:
        ConfigurationError: Something is wrong or cannot be translated.
    """
    for key, reason in _UNSUPPORTED.items():
        if kafka.get(key):
            raise _error(key, kafka[key], reason)
    name = protocol(kafka)
    config = {"security.protocol": name.lower()}
    warnings: list[str] = []
    if name.startswith("SASL_") and not native.keys() & {"sasl.mechanism", "sasl.mechanisms", "sasl.username"}:
        config |= _sasl(kafka)
    elif not name.startswith("SASL_") and kafka.get("sasl.jaas.config"):
        warnings.append(f"atlas.kafka.sasl.jaas.config is not used, because atlas.kafka.security.protocol is {name}")
    if name.endswith("SSL"):
        config |= _trust_store(kafka) | _key_store(kafka) | _host_name_check(kafka)
    return config, warnings


def _sasl(kafka: Mapping[str, str]) -> dict[str, str]:
    mechanism = kafka.get("sasl.mechanism", "").upper()
    if not mechanism:
        raise ConfigurationError(
            "atlas.kafka.sasl.mechanism is not set, which means GSSAPI (Kerberos) to Kafka; "
            f"GSSAPI {_NOT_YET}: set it to {', '.join(_LOGIN_MODULES)}"
        )
    if mechanism not in _LOGIN_MODULES:
        raise _error("sasl.mechanism", mechanism, f"{_NOT_YET}, only {', '.join(_LOGIN_MODULES)}; {_OTHER_LOGIN}")
    text = kafka.get("sasl.jaas.config", "")
    if not text:
        raise ConfigurationError(
            f"atlas.kafka.sasl.jaas.config is not set, but atlas.kafka.sasl.mechanism is {mechanism} "
            "(atlas.jaas.* is not read yet); set it to "
            f'org.apache.kafka.common.security.{_LOGIN_MODULES[mechanism]} required username="…" password="…";'
        )
    entry = parse(text, "atlas.kafka.sasl.jaas.config")
    _check_module(entry, mechanism)
    return {
        "sasl.mechanism": mechanism,
        "sasl.username": _option(entry, "username"),
        "sasl.password": _option(entry, "password"),
    }


def _check_module(entry: JaasEntry, mechanism: str) -> None:
    expected = _LOGIN_MODULES[mechanism]
    if not ("." + entry.module).endswith("." + expected):  # the package may be shaded (kafkashaded.org.apache.…)
        raise ConfigurationError(
            f"atlas.kafka.sasl.jaas.config: the login module {entry.module} does not fit atlas.kafka.sasl.mechanism = "
            f"{mechanism}, which needs org.apache.kafka.common.security.{expected}; correct one of the two"
        )
    if entry.options.get("tokenauth", "").lower() == "true":
        raise ConfigurationError(
            f"atlas.kafka.sasl.jaas.config: tokenauth = true: log-in by delegation token {_NOT_YET}; {_OTHER_LOGIN}"
        )


def _option(entry: JaasEntry, name: str) -> str:
    value = entry.options.get(name, "")
    if not value:
        raise ConfigurationError(f'atlas.kafka.sasl.jaas.config: the option {name} is missing or empty; add {name}="…"')
    return value


def _trust_store(kafka: Mapping[str, str]) -> dict[str, str]:
    location, inline = kafka.get("ssl.truststore.location"), kafka.get("ssl.truststore.certificates")
    _check_pem("ssl.truststore", kafka, location or inline)
    if location and inline:
        raise ConfigurationError(
            "atlas.kafka.ssl.truststore.location and atlas.kafka.ssl.truststore.certificates are both set; remove one"
        )
    if inline:
        return {"ssl.ca.pem": _wrapped("ssl.truststore.certificates", inline)}
    return {"ssl.ca.location": location} if location else {}


def _key_store(kafka: Mapping[str, str]) -> dict[str, str]:
    location, key = kafka.get("ssl.keystore.location"), kafka.get("ssl.keystore.key")
    chain = kafka.get("ssl.keystore.certificate.chain")
    _check_pem("ssl.keystore", kafka, location or key or chain)
    if location and (key or chain):
        raise ConfigurationError(
            "atlas.kafka.ssl.keystore.location and atlas.kafka.ssl.keystore.key are both set; remove one"
        )
    if bool(key) != bool(chain):
        raise ConfigurationError(
            "of atlas.kafka.ssl.keystore.key and atlas.kafka.ssl.keystore.certificate.chain only one is set; set both"
        )
    config = {"ssl.key.location": location, "ssl.certificate.location": location} if location else {}
    if key and chain:
        config = {
            "ssl.key.pem": _wrapped("ssl.keystore.key", key),
            "ssl.certificate.pem": _wrapped("ssl.keystore.certificate.chain", chain),
        }
    password = kafka.get("ssl.key.password")
    return config | ({"ssl.key.password": password} if config and password else {})


def _check_pem(kind: str, kafka: Mapping[str, str], used: str | None) -> None:
    store_type = kafka.get(f"{kind}.type", "").upper() or "JKS"
    if used and store_type != "PEM":
        implied = "" if kafka.get(f"{kind}.type") else " (Kafka's default)"
        raise _error(f"{kind}.type", store_type + implied, f"{_NOT_YET}; {_PEM_CURE.format(kind=kind)}")


def _host_name_check(kafka: Mapping[str, str]) -> dict[str, str]:
    """Translate the algorithm, which Java switches off by an empty value and librdkafka by `none`."""
    key = "ssl.endpoint.identification.algorithm"
    if key not in kafka:
        return {}
    if kafka[key].lower() not in ("", "https"):
        raise _error(key, kafka[key], "must be https, or empty for no check of the host name")
    return {key: kafka[key].lower() or "none"}


def _wrapped(key: str, text: str) -> str:
    """Give PEM with its line breaks: a properties file often holds it on one line, which only Java can read."""
    blocks = _PEM_BLOCK.findall(text.replace("\\n", "\n"))
    if not blocks:
        raise ConfigurationError(f"atlas.kafka.{key}: holds no PEM (-----BEGIN … -----END …); paste the PEM text")
    return "".join(f"-----BEGIN {label}-----\n{_lines(body)}\n-----END {label}-----\n" for label, body in blocks)


def _lines(body: str) -> str:
    base64 = "".join(body.split())
    return "\n".join(base64[start : start + 64] for start in range(0, len(base64), 64))


def _error(key: str, value: str, reason: str) -> ConfigurationError:
    return ConfigurationError(f"atlas.kafka.{key} = {masked(key, value)}: {reason}")
