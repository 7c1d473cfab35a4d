"""The search at the end of a run finds secrets in wrong places, and ignores them in right ones."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator
from pathlib import Path

import fastavro
import pytest

from stack.certificates import make_certificates
from stack.properties import atlas_properties, login_module
from stack.server_properties import PLAIN_LOGIN_MODULE
from tests.helpers.secret_search import all_secrets, search, used

SECRET = "Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey=aB3/+x0123456789abcdef="


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not below the run's own folder, where the search would rightly find what is planted here."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        login = login_module(PLAIN_LOGIN_MODULE, {"username": "$ConnectionString", "password": SECRET})
        (folder / "atlas-application.properties").write_text(
            atlas_properties(
                {"atlas.kafka.sasl.jaas.config": login, "atlas.kafka.ssl.key.password": "key-of-12-letters"}
            )
        )
        yield folder


def places(folder: Path) -> set[str]:
    return {found.place for found in search(folder, all_secrets(folder))}


def test_a_secret_in_the_configuration_alone_is_no_finding(folder: Path) -> None:
    (folder / "job.log").write_text("INFO password=*** SharedAccessKey=***")

    assert SECRET in all_secrets(folder)
    assert places(folder) == set()


@pytest.mark.parametrize(
    "text",
    [
        f"WARNING cannot log in with {SECRET}",
        "key aB3/+x0123456789abcdef= refused",
        "?sig=aB3%2F%2Bx0123456789abcdef%3D",
        *(f"Basic {base64.b64encode(user + b':' + SECRET.encode() + b'x').decode()}" for user in (b"", b"u", b"us")),
        "key-of-12-letters",
    ],
)
def test_a_secret_is_found_in_a_log_in_any_form(text: str, folder: Path) -> None:
    (folder / "job.log").write_text(text)

    assert places(folder) == {"job.log"}


def test_a_secret_is_found_in_the_name_of_a_spool_file_and_below_compression(folder: Path) -> None:
    spool = folder / "spool"
    spool.mkdir()
    (spool / "app-key-of-12-letters.avro").touch()
    schema = {"type": "record", "name": "r", "fields": [{"name": "value", "type": "bytes"}]}
    with (spool / "deflated.avro").open("wb") as file:
        fastavro.writer(file, schema, [{"value": b"x" * 100}, {"value": SECRET.encode()}], codec="deflate")

    assert places(folder) == {"the name of spool/app-key-of-12-letters.avro", "a record of spool/deflated.avro"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.properties", "my.access.key=only-here-123"),
        ("x.properties", "atlas.rest.address=https://ada:only-here-123@atlas:21000"),
        ("conf.json", '{"spark.hadoop.fs.s3a.secret.key": "only-here-123", "spark.app.name": "a"}'),
        ("conf.json", '{"url": "jdbc:postgresql://ada:only-here-123@db/x"}'),
    ],
)
def test_secrets_by_key_and_in_urls_are_searched_for(name: str, text: str, folder: Path) -> None:
    (folder / name).write_text(text)
    (folder / "job.log").write_text("it was only-here-123")

    assert places(folder) == {"job.log"}


def test_a_private_key_is_a_secret(folder: Path) -> None:
    made = make_certificates(folder / "certificates")
    assert places(folder) == set()

    (folder / "other.json").write_text(made.key_store("broker").read_text())

    assert places(folder) == {"other.json"}


def test_a_registered_secret_is_searched_for(folder: Path) -> None:
    registered = used("only-this-test-knows-" + "it")
    (folder / "job.log").write_text(registered)

    assert places(folder) == {"job.log"}


def test_a_finding_does_not_show_the_secret(folder: Path) -> None:
    (folder / "job.log").write_text(SECRET)

    found_text = "\n".join(map(str, search(folder, all_secrets(folder))))

    assert "atlas-application.properties" in found_text
    assert "aB3" not in found_text
