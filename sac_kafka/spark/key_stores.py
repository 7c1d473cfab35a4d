"""Read key stores and Hadoop's credential stores with the driver's JVM, which supports every format of Java clients.

Py4J converts Java strings to `str`, and cannot call methods of classes that a JDK module does not export, such as those of
certificates; methods of public classes are called on them by reflection.
"""

from __future__ import annotations

from typing import Any

from sac_kafka.errors import ConfigurationError
from sac_kafka.masking import mask_text
from sac_kafka.spark.java_errors import suspend_logging
from sac_kafka.transport.driver import StoreContents

_PROVIDER_PATH = "hadoop.security.credential.provider.path"
_CLEAR_TEXT = "hadoop.security.credential.clear-text-fallback"


@suspend_logging()
def read_store(
    gateway: Any,  # noqa: ANN401 a Py4J gateway
    kind: str,
    content: bytes,
    password: str | None,
    key_password: str | None,
) -> StoreContents:
    """Read a key store as `transport.driver.Driver.read_store` describes it.

    Raises:
        ConfigurationError: Why it cannot be read, without any secret.
    """
    try:
        reader = _Reader(gateway)
        store = gateway.jvm.java.security.KeyStore.getInstance(kind)
        store.load(gateway.jvm.java.io.ByteArrayInputStream(content), reader.characters(password))
        return reader.contents(store, key_password)
    except ConfigurationError:
        raise
    except Exception as error:  # noqa: BLE001 (Py4J has several; the reason is what counts)
        raise ConfigurationError(_reason(error, password)) from None


@suspend_logging()
def credential(context: Any, alias: str, provider_path: str | None) -> str | None:  # noqa: ANN401 a SparkContext
    """Return a password as `transport.driver.Driver.credential` describes it.

    Raises:
        ConfigurationError: Why the store cannot be read.
    """
    gateway = context._gateway
    try:
        configuration = gateway.jvm.org.apache.hadoop.conf.Configuration(context._jsc.hadoopConfiguration())
        if provider_path:
            configuration.set(_PROVIDER_PATH, provider_path)
        # The configuration may hold the alias itself, in clear text, as another user's default.
        configuration.set(_CLEAR_TEXT, "false")
        characters = configuration.getPassword(alias)
        return None if characters is None else str(gateway.jvm.java.lang.String(characters))
    except Exception as error:  # noqa: BLE001 (Py4J has several; the reason is what counts)
        raise ConfigurationError(f"Hadoop's credential store: {_text_of(error)}") from None


class _Reader:
    """Call public methods on objects of classes that are not public."""

    def __init__(self, gateway: Any) -> None:  # noqa: ANN401 a Py4J gateway
        self._gateway = gateway
        jvm = gateway.jvm
        self._nothing = gateway.new_array(jvm.java.lang.Object, 0)
        self._no_types = gateway.new_array(jvm.java.lang.Class, 0)
        self._encoded = {
            name: self._method(name, "getEncoded") for name in ("java.security.cert.Certificate", "java.security.Key")
        }

    def characters(self, text: str | None) -> Any:  # noqa: ANN401 a Java char[]
        if text is None:
            return None
        return self._method("java.lang.String", "toCharArray").invoke(text, self._nothing)

    def contents(self, store: Any, key_password: str | None) -> StoreContents:  # noqa: ANN401 a KeyStore
        trusted: list[bytes] = []
        key: bytes | None = None
        chain: tuple[bytes, ...] = ()
        aliases = store.aliases()
        while aliases.hasMoreElements():
            alias = aliases.nextElement()
            if store.isCertificateEntry(alias):
                trusted.append(self._der("java.security.cert.Certificate", store.getCertificate(alias)))
                continue
            certificates = store.getCertificateChain(alias)
            if not certificates:
                continue  # a secret key
            found = tuple(self._der("java.security.cert.Certificate", certificate) for certificate in certificates)
            trusted.append(found[0])  # Java trusts it as well
            if key is None:
                key, chain = self._key(store, alias, key_password), found
        return StoreContents(tuple(trusted), key, chain)

    def _key(self, store: Any, alias: str, password: str | None) -> bytes | None:  # noqa: ANN401 a KeyStore
        """Return a private key as PKCS#8; None without a password, when only certificates are needed."""
        if password is None:
            return None
        try:
            return self._der("java.security.Key", store.getKey(alias, self.characters(password)))
        except Exception as error:  # noqa: BLE001 (Py4J has several; the reason is what counts)
            raise ConfigurationError(
                f"the key {alias!r} cannot be recovered: {_text_of(error, password)}; set ssl.key.password, if the key's "
                "differs from the store's"
            ) from None

    def _der(self, name: str, thing: Any) -> bytes:  # noqa: ANN401 a Certificate or Key
        return bytes(self._encoded[name].invoke(thing, self._nothing))

    def _method(self, class_name: str, name: str) -> Any:  # noqa: ANN401 a java.lang.reflect.Method
        return self._gateway.jvm.java.lang.Class.forName(class_name).getMethod(name, self._no_types)


def _reason(error: Exception, password: str | None) -> str:
    text = _text_of(error, password)
    if "password" in text.lower():
        return f"{text}; correct its password"
    return f"{text}; is it whole, and of this format?"


def _text_of(error: Exception, password: str | None = None) -> str:
    """Return the message of a Java exception as one line, or its class if it has no message."""
    java = getattr(error, "java_exception", None)
    if java is None:
        text = f"{type(error).__name__}: the driver's JVM does not answer"
    else:
        text = str(java.getMessage() or java.getClass().getSimpleName())
    text = mask_text(" ".join(text.split()))[:300]
    return text.replace(password, "********") if password and len(password) > 3 else text
