"""Settings of further destinations: what they inherit, what they do not, and errors that name their keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.settings.files.finding import Places
from sac_kafka.settings.files.reading import Configuration, read_configuration
from sac_kafka.settings.suspicious_keys import suspicious_keys

FIRST = """\
atlas.kafka.bootstrap.servers=a:9092
atlas.kafka.security.protocol=SASL_SSL
atlas.kafka.sasl.mechanism=PLAIN
atlas.kafka.sasl.password=hunter2
atlas.kafka.ssl.keystore.location=/x
atlas.jaas.KafkaClient.option.password=hunter2
atlas.hook.spark.kafka.oauth.callback=a:b
atlas.rest.address=https://a
atlas.client.username=hunter2
atlas.rest.basic.auth.password=hunter2
atlas.hook.spark.rest.token=hunter2
atlas.hook.spark.openlineage.url=https://a
atlas.hook.spark.openlineage.token=hunter2
atlas.hook.spark.entra.client.secret=hunter2
"""


def configuration(folder: Path, text: str) -> Configuration:
    (folder / "x.properties").write_text(text)
    return read_configuration(Places(option=str(folder / "x.properties")), {})


def further(folder: Path, text: str) -> Settings:
    ((_, own),) = Settings.of(configuration(folder, text)).further()
    return own


def logins(settings: Settings) -> str:
    """Return which logins settings have."""
    kafka = settings.kafka
    login = {
        "kafka": any(key.startswith(("sasl.", "ssl.keystore")) for key in kafka.properties)
        or kafka.jaas
        or kafka.oauth_callback,
        "rest": settings.rest.user or settings.rest.password or settings.rest.token,
        "openlineage": settings.openlineage.token,
        "entra": settings.entra.client_secret,
    }
    return " ".join(name for name, is_there in login.items() if is_there)


@pytest.mark.parametrize(
    ("own", "inherited"),
    [
        ("metadata.namespace=b", "kafka rest openlineage entra"),
        ("kafka.bootstrap.servers=a:9092", "kafka rest openlineage entra"),
        ("kafka.bootstrap.servers=b:9092", "rest openlineage"),
        ("rest.address=https://b", "kafka openlineage"),
        ("hook.rest.notification.address=https://b", "kafka openlineage"),
        ("hook.spark.openlineage.url=https://b", "kafka rest entra"),
    ],
)
def test_a_login_is_not_inherited_for_another_server(tmp_path: Path, own: str, inherited: str) -> None:
    assert logins(further(tmp_path, f"{FIRST}atlas.also=copy\natlas.also.copy.{own}\n")) == inherited


def test_own_login_of_another_server_is_used(tmp_path: Path) -> None:
    own = further(
        tmp_path,
        f"{FIRST}atlas.also=copy\natlas.also.copy.rest.address=https://b\natlas.also.copy.hook.spark.rest.token=t\n",
    )
    assert (own.rest.token, own.rest.user, own.rest.password) == ("t", None, None)
    assert own.kafka.properties["security.protocol"] == "SASL_SSL"  # no downgrade


def test_a_server_without_a_login_is_reported_until_one_is_set(tmp_path: Path) -> None:
    text = "atlas.kafka.sasl.password=hunter2\natlas.also=copy\natlas.also.copy.kafka.bootstrap.servers=b:9092\n"
    assert suspicious_keys(configuration(tmp_path, text)) == (
        f"{tmp_path}/x.properties, line 1: atlas.kafka.sasl.password is not sent to copy, which has another server: "
        "set atlas.also.copy.kafka.sasl.password, to nothing if that needs no login",
    )
    for own in ("kafka.sasl.password=x", "kafka.sasl.password="):
        assert not suspicious_keys(configuration(tmp_path, f"{text}atlas.also.copy.{own}\n"))


def test_own_key_replaces_the_other_key_of_the_same_setting(tmp_path: Path) -> None:
    text = "atlas.hook.rest.notification.address=https://a\natlas.also=copy\natlas.also.copy.rest.address=https://b\n"
    assert further(tmp_path, text).rest.address == "https://b"


def test_a_blank_key_unsets_that_of_the_first(tmp_path: Path) -> None:
    own = further(
        tmp_path,
        "atlas.kafka.acks=1\natlas.metadata.namespace=a\natlas.also=copy\n"
        + "".join(f"atlas.also.copy.{key}=\n" for key in ("kafka.acks", "metadata.namespace")),
    )
    assert "acks" not in own.kafka.properties
    assert own.names.namespace_is_default


def test_keys_set_twice_are_read_as_by_the_first(tmp_path: Path) -> None:
    key, twice = "atlas.hook.spark.rest.timeout.seconds", "atlas.{0}hook.spark.rest.timeout.seconds={1}\n"
    text = twice.format("", 1) + twice.format("", 2) + "atlas.also=copy\n"
    own = further(tmp_path, text)
    assert (own.rest.timeout_seconds, own.repeated) == (1, (key,))
    own = further(tmp_path, text + twice.format("also.copy.", 3))
    assert (own.rest.timeout_seconds, own.repeated) == (3, ())
    text = "atlas.also=copy\n" + twice.format("also.copy.", 4) + twice.format("also.copy.", 5)
    assert further(tmp_path, text).rest.timeout_seconds == 4
    (warning,) = suspicious_keys(configuration(tmp_path, text))
    assert f", atlas.also.copy.{key.removeprefix('atlas.')}: {key} is set 2 times with different values" in warning


def test_values_of_further_destinations_are_checked(tmp_path: Path) -> None:
    text = "atlas.metadata.namespace=${x}\natlas.also=copy\natlas.also.copy.client.file.path=$HOME/x\n"
    text += 'atlas.also.copy.rest.address="http://a"\n'
    warnings = suspicious_keys(configuration(tmp_path, text))
    assert [each.partition(": ")[2] for each in warnings] == [
        "atlas.metadata.namespace contains the unexpanded variable ${x}; write ${env:x}, or its value",
        "atlas.client.file.path contains the unexpanded variable $HOME; write ${env:HOME}, or its value",
        "atlas.rest.address contains quotes that are part of the value; remove them",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "atlas.also.copy.rest.adress=x",
            "atlas.rest.adress is no setting of a single destination; did you mean atlas.also.copy.rest.address?",
        ),
        (
            "atlas.also.copy.hook.spark.exclude=x",
            "atlas.hook.spark.exclude is no setting of a single destination; it is the same for all: set "
            "atlas.hook.spark.exclude",
        ),
        (
            "atlas.also.cpoy.client.type=x",
            "atlas.also does not list cpoy; did you mean atlas.also.copy.client.type?",
        ),
        (
            "atlas.also.zzz.client.type=x",
            "atlas.also does not list zzz; add it there, or remove this line",
        ),
    ],
)
def test_a_wrong_key_is_reported_with_its_line_and_the_nearest(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        further(tmp_path, f"atlas.also=copy\n{line}\n")
    assert str(raised.value) == f"{tmp_path}/x.properties, line 2: {line.partition('=')[0]}: {message}"


def test_no_further_destinations_with_a_blank_value(tmp_path: Path) -> None:
    settings = Settings.of(configuration(tmp_path, "atlas.also=\natlas.also.copy.client.type=console\n"))
    assert not list(settings.further())


def test_the_name_of_the_first_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigurationError, match="must not contain first, the name of the first destination in metrics"
    ):
        Settings.of(configuration(tmp_path, "atlas.also=first\n"))


@pytest.mark.parametrize("one", ["/s/other", "/s/also-two"])
def test_one_spool_directory_of_two_destinations_is_refused(tmp_path: Path, one: str) -> None:
    other = "/s/other" if one == "/s/other" else ""
    lines = ["hook.spool.dir=/s", "also=one,two", f"also.one.hook.spool.dir={one}"]
    lines += [f"also.two.hook.spool.dir={other}"] if other else []
    text = "".join(f"atlas.{line}\n" for line in lines)
    with pytest.raises(ConfigurationError, match="has the same directory; name another one"):
        Settings.of(configuration(tmp_path, text))


def test_a_message_names_the_key_of_the_destination(tmp_path: Path) -> None:
    text = "atlas.kafka.acks=1\natlas.also=copy\natlas.also.copy.rest.address=https://b\n"
    source, file = further(tmp_path, text).source, tmp_path / "x.properties"
    assert source.add_place("atlas.metadata.namespace is not set").endswith(
        ": atlas.also.copy.metadata.namespace is not set"
    )
    inherited = source.add_place("atlas.kafka.acks = 1: no")
    assert inherited == f"{file}, line 1: atlas.also.copy.kafka.acks = 1: no"
    assert source.add_place(inherited) == inherited
    own = source.add_place("atlas.rest.address = https://b: no")
    assert own == f"{file}, line 3, atlas.also.copy.rest.address: atlas.rest.address = https://b: no"
    assert source.add_place(own) == own
    assert source.name_keys("check atlas.rest.address") == "check atlas.also.copy.rest.address"
