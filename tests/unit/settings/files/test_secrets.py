"""Masking of secrets: texts that are masked, and texts that are not."""

from __future__ import annotations

import pytest

from sac_kafka.masking import MAX_LINE_LENGTH, SecretMapping, is_secret, mask_line, mask_setting, mask_text
from tests.helpers.every_row import every_row
from tests.unit.settings.files.secrets_of_short_names import SHORT
from tests.unit.settings.files.texts_without_secrets import WITHOUT_SECRETS

OF_CLIENTS = ('Failed to acquire SASL OAUTHBEARER token: {"error": "invalid_client"}', "SharedAccessKeyName=local")
"""Messages to and from Kafka clients; the driver, which masks the data of a job, would mask these, too."""


SECRET = """
    sasl.jaas.config atlas.kafka.sasl.jaas.config sasl.password ssl.truststore.password ssl.key.password
    ssl.keystore.key ssl.key.pem sasl.oauthbearer.client.secret sasl.oauthbearer.client.credentials.client.secret
    atlas.jaas.KafkaClient.option.password atlas.jaas.KafkaClient.option.clientSecret
    sasl.oauthbearer.assertion.private.key.passphrase fs.azure.account.key.x.dfs.core.windows.net
    atlas.jaas.KafkaClient.option.pass atlas.jaas.KafkaClient.option.passcode basic.auth.user.info
    schema.registry.basic.auth aws.credential my.credentials user.pass librdkafka.sasl.pasword DB_PASS userPass pw
    user.pw dbPw account_sas db.creds master.key
"""
OPEN = """
    atlas.rest.basic.auth.username hadoop.security.credential.provider.path
    sasl.oauthbearer.client.credentials.client.id sasl.oauthbearer.token.endpoint.url SharedAccessKeyName pass_count
    sas_program compass bypass bootstrap.servers atlas.hook.spark.kafka.oauth.callback
    cert.stores.credential.provider.path ssl.truststore.location security.protocol
"""


@every_row(("key", "expected"), [*((key, True) for key in SECRET.split()), *((key, False) for key in OPEN.split())])
def test_secret_values_are_recognised_by_their_key(key: str, expected: bool) -> None:
    assert is_secret(key) is expected


@every_row(
    "text",
    [
        "https://ada:hunter2@host/x",
        "https://ada:hun@hunter2@host/x",
        "https://hunter2@github.com/x",
        "abfss://container:hunter2@account.dfs.core.windows.net/x",
        "jdbc:oracle:thin:ada/hunter2@db:1521:x",
        "jdbc:sqlserver://h;user=a;password=hunter2;x=y",
        "jdbc:mysql://h/x?user=a&PASSWORD=hunter2&y=z",
        'Module required username="u" password="a \\"b; hunter2" ;',
        "password='it is hunter2'",
        '{"password": "hunter2"}',
        "pwd=hunter2",
        "https://h/x?sv=1&sig=hunter2&se=2",
        "https://h/x?X-Amz-Signature=hunter2&X-Amz-Security-Token=hunter2",
        "Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=hunter2=",
        "AccountKey=hunter2==;EndpointSuffix=x",
        "fs.s3a.secret.key=hunter2",
        "Authorization: Bearer hunter2hunter2",
        "access_token=hunter2",
        "refused: eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.hunter2-hunter2_x",
        "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nhunter2",
        f"aB38Q~hunter2.{'x_-~1' * 5}y",
        "https://h/oauth?code=hunter2&x=1",
        "https://h/oauth?x=1&key=hunter2",
        "password=two words hunter2",
        "jdbc:sqlserver://h;password={pa}}s;hunter2};x=1",
        "jdbc:oracle:thin:u/a@hunter2@//h:1521/s",
        "https://u:a/hunter2@host",
        "https://u:a#hunter2@host",
        "OAuthPvtKey=hunter2;x=1",
        "SSLClientKey=hunter2",
        "-----BEGIN RSA PRIVATE KEY-----\nhunter2",
        "ghp_hunter2Hunter2hunter2hunter2",
        "xoxb-123456789012-123456789012-hunter2Hunter2",
        "Basic aHVudGVyMg0hunter2",
        "password='it''s hunter2'",
        "password := hunter2",
        "set password:=two hunter2",
        "eyJhbGciOiJSUzI1NiJ9.hunter2",
        "eyJhbGciOiJub25lIn0.hunter2.",
        "ALTER USER ada WITH PASSWORD 'hunter2'",
        'create login ada password "hunter2"',
        "PASSWORD N'hunter2'",
        "OPTIONS (token 'hunter2', 'secret.key' 'hunter2')",
        "password 'never closed hunter2",
        "CREATE USER ada IDENTIFIED BY hunter2;",
        "create user ada identified by hunter2",
        "ALTER USER ada IDENTIFIED BY PASSWORD 'hunter2'",
        "identified by 'it''s hunter2'",
        'CREATE USER ada IDENTIFIED WITH mysql_native_password AS "hunter2"',
        "grant select on t to ada identified by hunter2",
        "user.pass=hunter2",
        "db_pass=hunter2",
        "DB_PASS=hunter2",
        "userPass=hunter2",
        "PASSWORD    'hunter2'",
        "password   =    'hunter2'",
        "password\n\n\n\n=\n\n\n\n'hunter2'",
        "OPTIONS (`password` 'hunter2')",
        "SET PASSWORD FOR ada = PASSWORD('hunter2')",
        "PASSWORD ( 'hunter2' )",
        "('password','hunter2')",
        'option("password", "hunter2")',
        "IDENTIFIED WITH m BY hunter2",
        "IDENTIFIED    BY    hunter2",
        "create user ada; grant x to ada identified by hunter2",
        "create user 'a;b' identified by hunter2",
        "Authorization: Bearer aaaabbbbccccddddeeee",
        "tokens=hunter2",
        "max.token.length=hunter2",
        "the key is sk-proj-aB3_hunter2Hunter2hunter2-x",
        "sk-hunter2Hunter2hunter2hunter2",
        "sk-ant-api03-hunter2Hunter2hunter2-x_hunter2",
        "sk_live_hunter2Hunter2hunter2x",
        "sk_test_hunter2Hunter2hunter2x",
        "github_pat_11ABCDEFG0hunter2Hunter_hunter2Hunter2hunter2",
        "glpat-hunter2-Hunter2xxxxxx",
        "AIzaSyA1234hunter2_b-c_d-e_f-g_h-i_j-k_l",
        *SHORT,
    ],
)
def test_a_secret_inside_a_text_is_masked(text: str) -> None:
    assert "hunter2" not in mask_text(text)
    assert "****" in mask_text(text)


@every_row("text", [*WITHOUT_SECRETS, *OF_CLIENTS])
def test_an_ordinary_text_stays_as_it_is(text: str) -> None:
    assert mask_text(text) == text


def test_text_after_a_secret_stays_readable() -> None:
    assert mask_text("jdbc:sqlserver://h;password=x;database=d") == "jdbc:sqlserver://h;password=********;database=d"


def test_masked_considers_key_and_value() -> None:
    assert mask_setting("sasl.password", "x") == "********"
    assert mask_setting("sasl.password", "") == ""
    assert mask_setting("url", "http://a:b@c") == "http://********@c"


def test_a_secret_mapping_is_read_only_and_shows_nothing() -> None:
    mapping = SecretMapping({"sasl.password": "hunter2", "a": "b"})
    assert dict(mapping) == {"sasl.password": "hunter2", "a": "b"}
    assert repr(mapping) == "{'sasl.password': '********', 'a': 'b'}"
    assert not hasattr(mapping, "__setitem__")


@pytest.mark.parametrize(
    ("servers", "shown"),
    [
        ("h1:9092,h2:9093", "h1:9092,h2:9093"),
        ("me:hunter2@b:9093", "********@b:9093"),
        ("h:1, me:hunter2@b:9093", "h:1,********@b:9093"),
        ("sasl_ssl://me:hunter2@b:9093", "sasl_ssl://********@b:9093"),
        (
            "Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=hunter2=",
            "Endpoint=sb://n.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=********",
        ),
    ],
)
def test_bootstrap_servers_show_no_log_in(servers: str, shown: str) -> None:
    assert mask_setting("atlas.kafka.bootstrap.servers", servers) == shown


@pytest.mark.parametrize(
    "shown",
    ["ssl.key.password = ********: wrong, set it", "PASSWORD '********' x", "IDENTIFIED BY ******** x"],
)
def test_a_mask_is_not_masked_again(shown: str) -> None:
    assert mask_text(shown) == shown


def test_a_key_in_words_is_masked_in_a_line() -> None:
    assert mask_line("its API key: hunter2, and more") == "its API key: ********, and more"


def test_password_clauses_of_sql_are_masked_in_a_line() -> None:
    assert mask_line("it printed: IDENTIFIED BY x; and more") == "it printed: IDENTIFIED BY ********; and more"
    assert mask_line("it printed: WITH PASSWORD 'two words' here") == "it printed: WITH PASSWORD ******** here"


def test_very_long_line_is_cut_before_it_is_masked() -> None:
    assert len(mask_line("password=x " * 10_000)) < MAX_LINE_LENGTH * 3
    assert mask_line("a " * 4_000) == "a " * 4_000
