"""Trust stores and key stores become PEM in memory, by content; an unreadable one is an error with the fix."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.kafka import Kafka
from sac_kafka.transport.driver import KerberosLogin, StoreContents
from sac_kafka.transport.kafka.settings import tls_material
from sac_kafka.transport.kafka.settings.context import ConnectionContext
from sac_kafka.transport.kafka.settings.librdkafka_settings import Translation, translate
from sac_kafka.transport.kafka.settings.tls_material import blocks, is_self_signed, pem
from tests.unit.transport.kafka.tls_examples import Examples, make_examples

JKS, JCEKS, PKCS12 = b"\xfe\xed\xfe\xed....", b"\xce\xce\xce\xce....", b"\x30\x82...."


@dataclass
class ScriptedDriver:
    """A driver with scripted answers, which remembers the calls."""

    contents: StoreContents | str = field(default_factory=StoreContents)
    credentials: dict[str, str] | str = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    calls: list[tuple[object, ...]] = field(default_factory=list)

    def system_property(self, name: str) -> str | None:
        return self.properties.get(name)

    def read_store(self, kind: str, content: bytes, password: str | None, key_password: str | None) -> StoreContents:
        self.calls.append((kind, content, password, key_password))
        if isinstance(self.contents, str):
            raise ConfigurationError(self.contents)
        return self.contents

    def credential(self, alias: str, provider_path: str | None) -> str | None:
        self.calls.append((alias, provider_path))
        if isinstance(self.credentials, str):
            raise ConfigurationError(self.credentials)
        return self.credentials.get(alias)

    def kafka_connector(self) -> str:
        return "org.apache.spark:spark-sql-kafka-0-10_2.13:4.3.0"

    def has_kafka_producer(self) -> bool:
        return False

    def kafka_client(self, properties: object) -> object:
        raise AssertionError("unexpected call")

    def kerberos_login(self) -> KerberosLogin:
        return KerberosLogin()


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Examples:
    return make_examples(tmp_path_factory.mktemp("certificates"))


def translated(changes: dict[str, str], driver: ScriptedDriver | None = None, **around: object) -> Translation:
    settings = {"bootstrap.servers": "h:9093", "security.protocol": "SSL", **changes}
    return translate(settings, 0, ConnectionContext(driver=driver, kafka=Kafka(**around)))  # type: ignore[arg-type]


def write(folder: Path, content: bytes | str, name: str = "store.jks") -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize("declared", ["PEM", "JKS", None])
def test_a_pem_trust_store_is_recognised_despite_its_type(
    declared: str | None, examples: Examples, tmp_path: Path
) -> None:
    path = write(tmp_path, "comment\n" + examples.root, "trust.jks")
    kind = {"ssl.truststore.type": declared} if declared else {}
    translation = translated({"ssl.truststore.location": path, **kind})
    assert translation.config["ssl.ca.pem"] == examples.root
    assert translation.warnings == ()


@pytest.mark.parametrize(("content", "kind"), [(JKS, "JKS"), (JCEKS, "JCEKS"), (PKCS12, "PKCS12")])
def test_other_trust_stores_are_read_by_the_driver(
    content: bytes, kind: str, examples: Examples, tmp_path: Path
) -> None:
    driver = ScriptedDriver(StoreContents((examples.root_der, examples.signed_der)))
    settings = {
        "ssl.truststore.location": write(tmp_path, content, "trust.pem"),
        "ssl.truststore.password": "changeit",
        "ssl.truststore.type": "PEM",
    }
    translation = translated(settings, driver)
    assert driver.calls == [(kind, content, "changeit", None)]
    assert translation.config["ssl.ca.pem"] == examples.root + examples.signed
    assert translation.warnings == ()


def test_a_store_of_another_format_is_read_under_its_declared_type(examples: Examples, tmp_path: Path) -> None:
    driver = ScriptedDriver(StoreContents((examples.root_der,)))
    translated({"ssl.truststore.location": write(tmp_path, b"BCFKS?"), "ssl.truststore.type": "BCFKS"}, driver)
    assert driver.calls[0][0] == "BCFKS"


def test_a_trust_store_without_a_root_is_warned_about(examples: Examples, tmp_path: Path) -> None:
    warnings = translated({"ssl.truststore.location": write(tmp_path, examples.signed)}).warnings
    assert len(warnings) == 1
    assert "none of its 1 certificates is self-signed" in warnings[0]
    assert translated({"ssl.truststore.certificates": examples.root + examples.signed}).warnings == ()


@pytest.mark.parametrize("separator", [" ", "\\n", "\\r\\n", ""])
def test_pem_on_one_line_gets_its_line_breaks_back(separator: str, examples: Examples) -> None:
    text = examples.root.replace("\n", separator)
    assert translated({"ssl.truststore.certificates": text}).config["ssl.ca.pem"] == examples.root


def test_the_store_of_the_jvm_is_trusted_by_default(examples: Examples, tmp_path: Path) -> None:
    """Kafka's Java client does so: `-Djavax.net.ssl.trustStore` is how a company's CA reaches all of a JVM."""
    driver = ScriptedDriver(
        StoreContents((examples.root_der,)),
        properties={
            "javax.net.ssl.trustStore": write(tmp_path, PKCS12),
            "javax.net.ssl.trustStorePassword": "secret-of-jvm",
        },
    )
    assert translated({}, driver).config["ssl.ca.pem"] == examples.root
    assert driver.calls == [("PKCS12", PKCS12, "secret-of-jvm", None)]
    driver.contents = "keystore password was incorrect; correct its password"
    with pytest.raises(ConfigurationError, match=r"or set atlas\.kafka\.ssl\.truststore\.location") as caught:
        translated({}, driver)  # never the system's certificates instead, which may be more than the owner trusts
    assert str(caught.value).startswith("the driver's system property javax.net.ssl.trustStore = ")
    with pytest.raises(
        ConfigurationError, match=r"set the driver's system property javax\.net\.ssl\.trustStorePassword"
    ):
        translated({}, ScriptedDriver(properties={"javax.net.ssl.trustStore": write(tmp_path, PKCS12)}))
    with pytest.raises(ConfigurationError, match="No such file"):
        translated({}, ScriptedDriver(properties={"javax.net.ssl.trustStore": str(tmp_path / "gone")}))
    assert "ssl.ca.pem" not in translated({}, ScriptedDriver()).config


def test_the_store_of_the_jvm_may_have_another_format(examples: Examples, tmp_path: Path) -> None:
    properties = {"javax.net.ssl.trustStore": write(tmp_path, b"own"), "javax.net.ssl.trustStoreType": "BCFKS"}
    driver = ScriptedDriver(StoreContents((examples.root_der,)), properties=properties)
    assert translated({}, driver).config["ssl.ca.pem"] == examples.root
    assert driver.calls == [("BCFKS", b"own", None, None)]


def test_the_store_of_the_jdk_is_trusted_if_the_system_has_none(
    examples: Examples, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = ScriptedDriver(StoreContents((examples.root_der,)), properties={"java.home": str(tmp_path)})
    (tmp_path / "lib" / "security").mkdir(parents=True)
    (tmp_path / "lib" / "security" / "cacerts").write_bytes(JKS)
    monkeypatch.setattr(tls_material, "SYSTEM_CERTIFICATES", (str(tmp_path / "none"),))
    assert translated({}, driver).config["ssl.ca.pem"] == examples.root
    assert driver.calls[-1] == ("JKS", JKS, "changeit", None)
    driver.contents = "of no use"
    unreadable = translated({}, driver)
    assert "ssl.ca.pem" not in unreadable.config
    assert "of no use; the certificates of the operating system are used instead" in unreadable.warnings[0]
    monkeypatch.setattr(tls_material, "SYSTEM_CERTIFICATES", (str(tmp_path / "lib/security/cacerts"),))
    assert "ssl.ca.pem" not in translated({}, driver).config


def test_a_pem_key_store_is_key_and_chain_of_one_file_or_two_texts(examples: Examples, tmp_path: Path) -> None:
    path = write(tmp_path, examples.signed + examples.key + examples.root)
    expected = {"ssl.key.pem": examples.key, "ssl.certificate.pem": examples.signed + examples.root}
    config = translated({"ssl.keystore.location": path, "ssl.keystore.type": "PEM", "ssl.key.password": "k"}).config
    assert {key: config[key] for key in expected} == expected
    assert config["ssl.key.password"] == "k"
    inline = {"ssl.keystore.key": examples.key, "ssl.keystore.certificate.chain": examples.signed + examples.root}
    translation = translated({"ssl.keystore.type": "PEM", **inline})
    assert {key: translation.config[key] for key in expected} == expected
    body = examples.key.splitlines()[1]
    assert body not in repr(translation) + repr(blocks(examples.key))


@pytest.mark.parametrize(("given", "key_password"), [("key-password", "key-password"), (None, "store-password")])
def test_other_key_stores_are_read_by_the_driver(
    given: str | None, key_password: str, examples: Examples, tmp_path: Path
) -> None:
    driver = ScriptedDriver(
        StoreContents((examples.root_der,), examples.key_der, (examples.signed_der, examples.root_der))
    )
    settings = {
        "ssl.keystore.location": write(tmp_path, JKS),
        "ssl.keystore.password": "store-password",
        **({"ssl.key.password": given} if given else {}),
    }
    config = translated(settings, driver).config
    assert driver.calls == [("JKS", JKS, "store-password", key_password)]
    assert config["ssl.certificate.pem"] == examples.signed + examples.root
    assert config["ssl.key.pem"] == pem("PRIVATE KEY", examples.key_der)
    assert "ssl.key.password" not in config  # it is not encrypted any more


def test_a_key_store_in_pkcs12_needs_no_driver(tmp_path: Path) -> None:
    path = write(tmp_path, PKCS12)
    config = translated({"ssl.keystore.location": path, "ssl.keystore.password": "p"}).config
    assert (config["ssl.keystore.location"], config["ssl.keystore.password"]) == (path, "p")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"ssl.truststore.location": "/no/such/file"}, "cannot be read: No such file or directory"),
        (
            {"ssl.truststore.location": "C:certsca.pem"},
            "double every backslash in a properties file, or write / instead",
        ),
        ({"ssl.truststore.location": "{jks}"}, "is a JKS store, which only a Spark driver's JVM can read"),
        ({"ssl.truststore.location": "{p12}"}, "keytool -list -rfc"),
        ({"ssl.keystore.location": "{jks}"}, "openssl pkcs12 -in FILE"),
        ({"ssl.truststore.location": "{junk}"}, "is neither PEM nor a JKS, JCEKS or PKCS#12 store"),
        ({"ssl.truststore.location": "{key}"}, "contains no PEM certificate"),
        ({"ssl.keystore.location": "{root}"}, "contains no PEM private key"),
        ({"ssl.keystore.location": "{key}"}, "contains no PEM certificate"),
        ({"ssl.truststore.certificates": "junk"}, "contains no PEM certificate"),
        ({"ssl.truststore.location": "{root}", "ssl.truststore.certificates": "x"}, "are both set"),
        ({"ssl.keystore.location": "{root}", "ssl.keystore.key": "x"}, "are both set"),
        ({"ssl.keystore.key": "x"}, "only one of"),
    ],
)
def test_an_unusable_store_is_one_error_with_the_fix(
    settings: dict[str, str], expected: str, examples: Examples, tmp_path: Path
) -> None:
    contents = {"jks": JKS, "p12": PKCS12, "junk": b"junk", "key": examples.key, "root": examples.root}
    for name, content in contents.items():
        write(tmp_path, content, f"{name}.pem")
    named = {
        key: text.format_map({name: str(tmp_path / f"{name}.pem") for name in contents})
        for key, text in settings.items()
    }
    with pytest.raises(ConfigurationError) as caught:
        translated(named)
    assert expected in str(caught.value)
    assert str(caught.value).startswith(("atlas.kafka.ssl.", "only one of atlas.kafka.ssl."))


@pytest.mark.parametrize(
    ("contents", "key", "expected"),
    [
        ("keystore password was incorrect; correct its password", "ssl.truststore", "(JKS): keystore password"),
        (StoreContents(), "ssl.truststore", "set atlas.kafka.ssl.truststore.password"),
        (StoreContents((b"x",)), "ssl.keystore", "set atlas.kafka.ssl.keystore.password"),
    ],
)
def test_a_store_that_the_driver_cannot_read_is_one_error(
    contents: StoreContents | str, key: str, expected: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigurationError, match=r"^atlas\.kafka\.ssl\.") as caught:
        translated({f"{key}.location": write(tmp_path, JKS)}, ScriptedDriver(contents))
    assert expected in str(caught.value)


def test_settings_for_librdkafka_itself_replace_the_stores() -> None:
    native = {"librdkafka.ssl.ca.location": "/x/ca.pem", "ssl.truststore.location": "/no/such/file"}
    config = translated(native).config
    assert config["ssl.ca.location"] == "/x/ca.pem"
    assert "ssl.ca.pem" not in config


def test_the_trust_stores_password_comes_from_the_credential_store(
    examples: Examples, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = {"ssl.truststore.location": write(tmp_path, JKS)}
    driver = ScriptedDriver(StoreContents((examples.root_der,)), {"truststore.password": "stored"})
    around = {"is_tls_enabled": True, "stores_provider_path": "jceks://file/x.jceks"}
    translated(settings, driver, **around)
    assert driver.calls == [("truststore.password", "jceks://file/x.jceks"), ("JKS", JKS, "stored", None)]
    driver.credentials = {}
    translated({**settings, "ssl.truststore.password": "given"}, driver, **around)
    assert driver.calls[-1] == ("JKS", JKS, "given", None)
    assert caplog.messages == []
    translated(settings, driver, **around)
    assert driver.calls[-1] == ("JKS", JKS, None, None)
    assert "has no alias truststore.password" in caplog.messages[0]


def test_a_credential_store_that_cannot_be_read_is_a_warning_as_in_atlas(
    examples: Examples, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = {"ssl.truststore.location": write(tmp_path, JKS)}
    driver = ScriptedDriver(StoreContents((examples.root_der,)), "permission denied")
    around = {"is_tls_enabled": True, "stores_provider_path": "jceks://file/x.jceks"}
    assert translated({**settings, "ssl.truststore.password": "given"}, driver, **around).config["ssl.ca.pem"]
    assert driver.calls[-1] == ("JKS", JKS, "given", None)
    assert len(caplog.messages) == 1
    assert "cert.stores.credential.provider.path = jceks://file/x.jceks" in caplog.messages[0]
    assert "permission denied" in caplog.messages[0]


def test_the_trust_stores_password_is_looked_up_for_tls_only(tmp_path: Path) -> None:
    driver = ScriptedDriver()
    settings = {"security.protocol": "PLAINTEXT", "ssl.truststore.location": write(tmp_path, JKS)}
    translated(settings, driver, is_tls_enabled=True, stores_provider_path="jceks://file/x.jceks")
    assert driver.calls == []


def test_the_alias_of_the_trust_store_goes_before_a_masked_password(examples: Examples, tmp_path: Path) -> None:
    driver = ScriptedDriver(StoreContents((examples.root_der,)), {"truststore.password": "stored"})
    settings = {"ssl.truststore.location": write(tmp_path, JKS), "ssl.truststore.password": "********"}
    translated(settings, driver, is_tls_enabled=True, stores_provider_path="jceks://file/x.jceks")
    assert driver.calls == [("truststore.password", "jceks://file/x.jceks"), ("JKS", JKS, "stored", None)]


def test_a_masked_password_is_looked_up_under_its_own_key(examples: Examples, tmp_path: Path) -> None:
    driver = ScriptedDriver(
        StoreContents((), examples.key_der, (examples.signed_der,)), {"atlas.kafka.ssl.keystore.password": "stored"}
    )
    settings = {"ssl.keystore.location": write(tmp_path, JKS), "ssl.keystore.password": "********"}
    translated(settings, driver, provider_path="jceks://file/x.jceks")
    assert driver.calls[-1] == ("JKS", JKS, "stored", "stored")
    driver.credentials = {}
    with pytest.raises(ConfigurationError, match=r"hadoop credential create atlas\.kafka\.ssl\.keystore\.password"):
        translated(settings, driver)
    with pytest.raises(ConfigurationError, match="only a Spark driver's JVM can read"):
        translated(settings)


def test_a_certificate_is_distinguished_from_its_issuers(examples: Examples) -> None:
    assert is_self_signed(examples.root_der)
    assert not is_self_signed(examples.signed_der)
    for end in range(len(examples.signed_der)):  # nothing raises, and what cannot be read causes no false alarm
        is_self_signed(examples.signed_der[:end])
    assert is_self_signed(b"")


@pytest.mark.parametrize("form", ["PKCS8", "TraditionalOpenSSL"])
def test_librdkafka_takes_an_encrypted_key(form: str, examples: Examples, tmp_path: Path) -> None:
    """In the form that Java takes, too, and in OpenSSL's old one, whose headers must keep their lines."""
    confluent_kafka = pytest.importorskip("confluent_kafka")
    encryption = serialization.BestAvailableEncryption(b"of-the-key")
    key = serialization.load_pem_private_key(examples.key.encode(), None)
    encrypted = key.private_bytes(
        serialization.Encoding.PEM, getattr(serialization.PrivateFormat, form), encryption
    ).decode()
    path = write(tmp_path, encrypted + examples.signed, "client.pem")
    config = translated({"ssl.keystore.location": path, "ssl.key.password": "of-the-key"}).config
    confluent_kafka.Producer({**config, "log_level": 0}).close()
    wrong = translated({"ssl.keystore.location": path, "ssl.key.password": "of-another"}).config
    with pytest.raises(confluent_kafka.KafkaException, match=r"ssl\.key\.pem"):
        confluent_kafka.Producer({**wrong, "log_level": 0})
