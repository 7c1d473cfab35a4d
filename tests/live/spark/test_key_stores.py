"""The driver's JVM reads every kind of key store, and Hadoop's credential stores; what it cannot is one reason."""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from sac_kafka.errors import ConfigurationError
from sac_kafka.spark.driver import JvmDriver
from sac_kafka.transport.driver import StoreContents
from stack.certificates import Certificates, make_certificates
from stack.key_stores import KINDS, KeyStores, make_key_stores

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

DER, PKCS8 = serialization.Encoding.DER, serialization.PrivateFormat.PKCS8
STORE_PASSWORD, KEY_PASSWORD = "of-the-whole-store", "of-the-key-alone"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def stores(certificates: Certificates, tmp_path_factory: pytest.TempPathFactory) -> KeyStores:
    return make_key_stores(certificates, tmp_path_factory.mktemp("stores"), STORE_PASSWORD, KEY_PASSWORD)


@pytest.fixture(scope="module")
def driver(spark: SparkSession) -> JvmDriver:
    return JvmDriver(spark.sparkContext)


def key_password(kind: str) -> str:
    return STORE_PASSWORD if kind == "PKCS12" else KEY_PASSWORD


def client(certificates: Certificates) -> tuple[bytes, list[bytes]]:
    pem = certificates.key_store("client").read_bytes()
    key = serialization.load_pem_private_key(pem, None).private_bytes(DER, PKCS8, serialization.NoEncryption())
    return key, [each.public_bytes(DER) for each in x509.load_pem_x509_certificates(pem)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_trust_store_gives_its_certificates(
    kind: str, driver: JvmDriver, stores: KeyStores, certificates: Certificates
) -> None:
    ca = x509.load_pem_x509_certificate(certificates.ca.read_bytes()).public_bytes(DER)
    content = stores.trust(kind).read_bytes()
    assert driver.read_store(kind, content, STORE_PASSWORD, None) == StoreContents((ca,))
    # Without a password there is no check, and of PKCS#12 nothing at all: so it is in Java.
    assert driver.read_store(kind, content, None, None).trusted == (() if kind == "PKCS12" else (ca,))


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_store_gives_key_and_chain(
    kind: str, driver: JvmDriver, stores: KeyStores, certificates: Certificates
) -> None:
    key, chain = client(certificates)
    found = driver.read_store(kind, stores.key(kind).read_bytes(), STORE_PASSWORD, key_password(kind))
    assert (found.key, list(found.chain), found.trusted) == (key, chain, (chain[0],))
    assert key[-20:].hex() not in repr(found)
    as_trust_store = driver.read_store(kind, stores.key(kind).read_bytes(), STORE_PASSWORD, None)
    assert (as_trust_store.trusted, as_trust_store.key) == ((chain[0],), None)


@pytest.mark.parametrize("kind", KINDS)
def test_an_unreadable_store_is_a_reason_without_secrets(kind: str, driver: JvmDriver, stores: KeyStores) -> None:
    content = stores.key(kind).read_bytes()
    wrong = "a-wrong-password"
    for arguments, expected in (
        ((kind, content, wrong, wrong), "password was incorrect"),
        ((kind, content, STORE_PASSWORD, wrong), "the key 'client' cannot be recovered"),
        ((kind, content[:100], STORE_PASSWORD, wrong), "is it whole, and of this format?"),
        (("BCFKS", content, STORE_PASSWORD, wrong), "BCFKS"),
    ):
        with pytest.raises(ConfigurationError) as caught:
            driver.read_store(*arguments)
        assert expected in str(caught.value)
        assert "\n" not in str(caught.value)
        assert not any(secret in str(caught.value) for secret in (wrong, STORE_PASSWORD))


def test_the_jdks_own_store_is_read_quickly_enough(driver: JvmDriver) -> None:
    home = driver.system_property("java.home")
    content = Path(f"{home}/lib/security/cacerts").read_bytes()
    kind = "JKS" if content.startswith(b"\xfe\xed") else "PKCS12"
    assert len(driver.read_store(kind, content, "changeit", None).trusted) > 20


@pytest.fixture
def add_credential(spark: SparkSession, tmp_path: Path) -> Callable[[str, str], str]:
    """Puts a password into a credential store, and gives the path of it."""
    jvm, gateway = spark.sparkContext._jvm, spark.sparkContext._gateway
    path = f"jceks://file{tmp_path}/store.jceks"

    def characters(text: str) -> Any:
        method = jvm.java.lang.Class.forName("java.lang.String").getMethod(
            "toCharArray", gateway.new_array(jvm.java.lang.Class, 0)
        )
        return method.invoke(text, gateway.new_array(jvm.java.lang.Object, 0))

    def add(alias: str, password: str) -> str:
        configuration = jvm.org.apache.hadoop.conf.Configuration(False)
        configuration.set("hadoop.security.credential.provider.path", path)
        provider = jvm.org.apache.hadoop.security.alias.CredentialProviderFactory.getProviders(configuration).get(0)
        provider.createCredentialEntry(alias, characters(password))
        provider.flush()
        return path

    return add


@pytest.mark.parametrize("password", ["plain-password", 'pä"ss\\wörd😀'])
def test_a_credential_store_gives_passwords(
    password: str, driver: JvmDriver, add_credential: Callable[[str, str], str]
) -> None:
    path = add_credential("truststore.password", password)
    assert driver.credential("truststore.password", path) == password
    assert driver.credential("another", path) is None
    assert driver.credential("truststore.password", None) is None  # the driver's own configuration names no store


@pytest.mark.parametrize("kind", KINDS)
def test_no_password_and_no_key_is_in_the_logs_of_py4j(
    kind: str,
    driver: JvmDriver,
    stores: KeyStores,
    add_credential: Callable[[str, str], str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    path = add_credential("an.alias", "of-the-credential")
    for name in ("py4j.clientserver", "py4j.java_gateway"):
        caplog.set_level(logging.DEBUG, name)
    driver.system_property("java.version")
    read = driver.read_store(kind, stores.key(kind).read_bytes(), STORE_PASSWORD, key_password(kind))
    assert driver.credential("an.alias", path) == "of-the-credential"
    driver.has_kafka_producer()
    driver.kerberos_login()

    assert read.key is not None
    assert caplog.records
    for secret in (STORE_PASSWORD, KEY_PASSWORD, "of-the-credential", base64.b64encode(read.key).decode()[:40]):
        assert secret not in caplog.text


def test_stores_of_the_drivers_configuration_are_used(
    spark: SparkSession, driver: JvmDriver, add_credential: Callable[[str, str], str]
) -> None:
    path = add_credential("an.alias", "of-the-store")
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    configuration.set("an.alias", "in clear text")
    assert driver.credential("an.alias", None) is None
    configuration.set("hadoop.security.credential.provider.path", path)
    try:
        assert driver.credential("an.alias", None) == "of-the-store"
    finally:
        configuration.unset("hadoop.security.credential.provider.path")
        configuration.unset("an.alias")


def test_a_credential_store_that_cannot_be_read_is_a_reason(driver: JvmDriver, tmp_path: Path) -> None:
    (tmp_path / "broken.jceks").write_bytes(b"junk")
    for path in (f"jceks://file{tmp_path}/broken.jceks", "no-such-provider://x"):
        with pytest.raises(ConfigurationError, match=r"^Hadoop's credential store: .+"):
            driver.credential("an.alias", path)
