"""The login out of atlas.jaas.KafkaClient.*, and its text for Kafka's Java client."""

from __future__ import annotations

import socket

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings.files.jaas import JaasEntry, jaas_text, parse, section_entry

KERBEROS = "com.sun.security.auth.module.Krb5LoginModule"
PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


def section(client: str = "KafkaClient", **keys: str) -> dict[str, str]:
    return {f"{client}.{key.replace('__', '.')}": text for key, text in keys.items()}


def test_a_section_is_a_login() -> None:
    entry = section_entry(
        section(
            loginModuleName=f" {KERBEROS} ",
            loginModuleControlFlag="Optional",
            option__keyTab=" /etc/x.keytab ",
            option__useKeyTab="true",
            option__empty="",
            option__path="C:\\x",
        )
        | {"Other.loginModuleName": "x", "KafkaClient.option.": "no name"}
    )
    assert entry is not None
    assert (entry.module, entry.control_flag) == (KERBEROS, "OPTIONAL")
    assert dict(entry.options) == {"keyTab": "/etc/x.keytab", "useKeyTab": "true", "empty": "", "path": "C:\\x"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"p/w"', "p/w"),
        ('"a\\\\b\\"c"', 'a\\b"c'),
        ('a"b', 'a"b'),
        ('"', '"'),
        ('""', ""),
        ('"a" "b"', '"a" "b"'),
        ("'a'", "'a'"),
    ],
)
def test_quoted_value_is_unquoted(written: str, meant: str) -> None:
    entry = section_entry(section(loginModuleName=PLAIN, option__password=written))
    assert entry is not None
    assert entry.options["password"] == meant


@pytest.mark.parametrize("module", [f"{PLAIN};", f'"{PLAIN}"', f"{PLAIN} required"])
def test_a_class_name_with_more_than_a_class_is_an_error(module: str) -> None:
    with pytest.raises(ConfigurationError, match="must be a class name without quotes"):
        section_entry(section(loginModuleName=module))


@pytest.mark.parametrize("flag", [{}, {"loginModuleControlFlag": " "}])
def test_the_control_flag_is_required_by_default(flag: dict[str, str]) -> None:
    entry = section_entry(section(loginModuleName=PLAIN, **flag))
    assert entry == JaasEntry(PLAIN, "REQUIRED", {})


@pytest.mark.parametrize(
    ("has_ticket", "sections", "module"),
    [
        (True, ("KafkaClient", "ticketBased-KafkaClient"), "ticketBased-KafkaClient.M"),
        (True, ("KafkaClient",), "KafkaClient.M"),
        (False, ("KafkaClient", "ticketBased-KafkaClient"), "KafkaClient.M"),
        (False, ("ticketBased-KafkaClient",), None),
        (True, ("SomeClient",), None),
    ],
)
def test_ticket_login_has_a_separate_section(has_ticket: bool, sections: tuple[str, ...], module: str | None) -> None:
    properties: dict[str, str] = {}
    for client in sections:
        properties |= section(client, loginModuleName=f"{client}.M")
    entry = section_entry(properties, has_ticket=has_ticket)
    assert (entry.module if entry else None) == module


def test_first_entry_with_a_module_counts_in_an_indexed_section() -> None:
    properties = {
        "KafkaClient.10.loginModuleName": "ten",
        "KafkaClient.2.loginModuleName": "two",
        "KafkaClient.2.option.principal": "p",
        "KafkaClient.1.option.principal": "of no module",
        "KafkaClient.x.loginModuleName": "no number",
    }
    assert section_entry(properties) == JaasEntry("two", "REQUIRED", {"principal": "p"})
    assert section_entry(properties | {"KafkaClient.loginModuleName": "plain"}) == JaasEntry("plain", "REQUIRED", {})


@pytest.mark.parametrize(
    ("principal", "expected"),
    [
        ("kafka/_HOST@REALM", "kafka/HERE@REALM"),
        ("kafka/_host@REALM", "kafka/_host@REALM"),
        ("kafka/other@REALM", "kafka/other@REALM"),
        ("kafka/_HOST", "kafka/_HOST"),
        ("me@REALM", "me@REALM"),
    ],
)
def test_host_in_a_principal_is_this_host(principal: str, expected: str) -> None:
    entry = section_entry(section(loginModuleName=KERBEROS, option__principal=principal, option__other="a/_HOST@b"))
    assert entry is not None
    assert entry.options["principal"] == expected.replace("HERE", socket.getfqdn().lower())
    assert entry.options["other"] == "a/_HOST@b"


def test_a_section_without_a_module_is_an_error_that_shows_no_value() -> None:
    with pytest.raises(
        ConfigurationError, match=r"atlas\.jaas\.KafkaClient\.loginModuleName is not set.*2 other keys"
    ) as caught:
        section_entry(section(option__password="hunter2", option__username="u"))
    assert "hunter2" not in str(caught.value)


def test_a_control_flag_that_does_not_exist_is_an_error_with_its_place() -> None:
    properties = {"KafkaClient.0.loginModuleName": PLAIN, "KafkaClient.0.loginModuleControlFlag": "often"}
    with pytest.raises(
        ConfigurationError, match=r"atlas\.jaas\.KafkaClient\.0\.loginModuleControlFlag must be required"
    ):
        section_entry(properties)


@pytest.mark.parametrize("value", ['a"b', "a\\b", "a\nb\r", "a;b=c", "", "é中\U0001f600", "'", "//", "\t\x00", "\\101"])
def test_a_text_for_kafka_reads_as_the_same_login(value: str) -> None:
    entry = JaasEntry(PLAIN, "SUFFICIENT", {"username": value, "a b": value, "1": "x"})
    assert parse(jaas_text(entry)) == entry
