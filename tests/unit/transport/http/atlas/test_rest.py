"""The transport to Atlas' notification endpoint, against a real HTTP server: what is posted, and its settings."""

from __future__ import annotations

import base64

import pytest

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import Settings
from sac_kafka.transport.factory import make_transport
from tests.helpers.secret_search import used
from tests.unit.transport.http.atlas.bench import Sender, numbers, record, transport
from tests.unit.transport.notification_server import PATH, NotificationServer
from tests.unit.transport.outcomes import Outcomes

PASSWORD = used("s3cret-of-rest")


def test_waiting_records_share_one_request_in_order(server: NotificationServer, sender: Sender) -> None:
    rest = transport(server)
    for number in range(3):
        sender.send(rest, record(number))
    assert sender.outcomes == []
    rest.service(0)
    assert sender.outcomes == [(0, None), (1, None), (2, None)]
    assert [[each["n"] for each in body] for body in server.bodies] == [[0, 1, 2]]
    assert server.requests[0][:2] == ("POST", PATH)
    assert server.requests[0][2]["Content-Type"] == "application/json"
    assert rest.name == f"rest {server.address}"
    assert (rest.problem(), rest.position(), rest.retry_after(), rest.failure_counts) == (None, None, 0.0, {})


def test_only_a_single_record_may_exceed_the_body_limit(server: NotificationServer, sender: Sender) -> None:
    rest = transport(server, **{"atlas.notification.rest.body.max.length.bytes": "10000"})
    for number, size in enumerate((4000, 4000, 4000, 20_000, 100, 100)):
        sender.send(rest, record(number, size))
    assert rest.flush(60) == 0
    assert [[each["n"] for each in body] for body in server.bodies] == [[0, 1], [2], [3], [4, 5]]
    assert numbers(server) == list(range(6))


def test_a_full_body_is_posted_at_once(server: NotificationServer, sender: Sender) -> None:
    rest = transport(server, **{"atlas.notification.rest.body.max.length.bytes": "10000"})
    for number in range(4):
        sender.send(rest, record(number, 4000))
    assert len(sender.outcomes) >= 2
    rest.close(60)
    assert numbers(server) == [0, 1, 2, 3]


def test_parts_of_a_message_go_together(server: NotificationServer, sender: Sender) -> None:
    rest = transport(server)
    sender.send(rest, record(0, parts=3))
    sender.send(rest, record(1))
    rest.close(60)
    assert numbers(server) == [0, 0, 0, 1]
    assert sender.outcomes == [(0, None), (1, None)]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, None),
        (
            {"atlas.rest.basic.auth.username": "ada", "atlas.rest.basic.auth.password": PASSWORD},
            "Basic " + base64.b64encode(f"ada:{PASSWORD}".encode()).decode(),
        ),
        ({"atlas.client.username": "ada", "atlas.client.password": "p"}, "Basic YWRhOnA="),
        ({"atlas.hook.spark.rest.token": PASSWORD}, f"Bearer {PASSWORD}"),
    ],
)
def test_the_login_decides_the_authorization_header(
    server: NotificationServer, sender: Sender, keys: dict[str, str], expected: str | None
) -> None:
    server.authorization = expected
    rest = transport(server, **keys)
    sender.send(rest, record(0))
    rest.close(60)
    assert sender.failures == []
    assert server.requests[0][2].get("Authorization") == expected
    assert PASSWORD not in repr(vars(rest)) + rest.name


def test_the_topic_is_part_of_the_address(server: NotificationServer, sender: Sender) -> None:
    rest = transport(server)
    sender.send(rest, record(0, topic="A/B ä"))
    sender.send(rest, record(1))
    rest.service(0)
    assert server.requests[0][1] == "/api/atlas/v2/notification/topic/A%2FB%20%C3%A4"
    assert len(server.requests) == 1  # topics do not share a request


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, "atlas.rest.address is not set"),
        ({"atlas.rest.address": " , "}, "atlas.rest.address is not set"),
        ({"atlas.rest.address": "ftp://atlas"}, "is no address"),
        ({"atlas.rest.address": "http://a b"}, "is no address"),
        (
            {"atlas.rest.address": "http://ada:hunter2@atlas"},
            "holds a user name or password: give them by atlas.rest.basic",
        ),
        ({"atlas.rest.address": "http://atlas?token=hunter2"}, "without parameters"),
        ({"atlas.rest.address": "http://atlas:port"}, "is no address"),
        ({"atlas.rest.address": "http://ada:hunter2"}, r"atlas\.rest\.address = http://ada:\*+: is no address"),
        ({"atlas.rest.address": "http://ada:hun/ter2@b"}, r"atlas\.rest\.address = http://\*+@b: holds a user name"),
        ({"atlas.rest.address": "https://ada:h#n?t/r2@b:1"}, r"= https://\*{8}@b:1: holds a user name"),
        ({"atlas.rest.address": "ada:ter2,ter2@b"}, r"= \*{8}@b: holds a user name"),
        ({"atlas.rest.address": "ada:ter2://x@b"}, r"= \*{8}@b: holds a user name"),
        (
            {"atlas.hook.rest.notification.address": "x:y@b"},
            r"^here: atlas\.hook\.rest\.notification\.address = \*+@b: holds",
        ),
        (
            {"atlas.rest.address": "http://a", "atlas.hook.spark.rest.ca.file": "/no/such"},
            "/no/such: No such file or directory; name a PEM",
        ),
        (
            {"atlas.rest.address": "http://a", "atlas.rest.basic.auth.password": "hunter2"},
            "without atlas.rest.basic.auth.u",
        ),
    ],
)
def test_wrong_settings_raise_one_error(keys: dict[str, str], expected: str) -> None:
    with pytest.raises(ConfigurationError, match=expected) as caught:
        make_transport(Settings.read({"atlas.client.type": "rest", **keys}, "here"))
    for piece in ("hunter2", "ter2", "t/r2"):
        assert piece not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "keys", "in_clear"),
    [
        ("atlas:21000", {"atlas.rest.basic.auth.username": "ada"}, "http://atlas:21000"),
        ("http://atlas,https://b", {"atlas.hook.spark.rest.token": "t0ken"}, "http://atlas"),
        ("http://10.0.0.1", {"atlas.hook.spark.rest.token": "t0ken"}, "http://10.0.0.1"),
        ("https://atlas", {"atlas.rest.basic.auth.username": "ada"}, None),
        ("atlas", {}, None),
        ("localhost:21000,http://127.1.2.3:1,http://[::1]:1", {"atlas.rest.basic.auth.username": "ada"}, None),
    ],
)
def test_a_login_in_clear_is_one_warning(
    caplog: pytest.LogCaptureFixture, address: str, keys: dict[str, str], in_clear: str | None
) -> None:
    make_transport(Settings.read({"atlas.client.type": "rest", "atlas.rest.address": address, **keys}, "here"))
    warnings = [record.getMessage() for record in caplog.records]
    assert len(warnings) == (in_clear is not None)
    for line in warnings:
        assert line.startswith(f"atlas.rest.address = {in_clear}: the password or token goes over")
        assert "t0ken" not in line


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        (
            {"atlas.hook.rest.notification.enabled": "true", "atlas.rest.address": "atlas:21000"},
            "rest http://atlas:21000",
        ),
        (
            {
                "atlas.client.type": "rest",
                "atlas.rest.address": "http://server",
                "atlas.hook.rest.notification.address": "https://one:1,https://two:2/",
            },
            "rest https://one:1, https://two:2/",
        ),
        ({"atlas.hook.rest.notification.enabled": "true", "atlas.client.type": "console"}, "console"),
    ],
)
def test_the_keys_of_atlas_hooks_mean_the_same(keys: dict[str, str], name: str) -> None:
    assert make_transport(Settings.read(keys, "here")).name == name


def test_outcomes_of_the_contract(server: NotificationServer, outcomes: Outcomes) -> None:
    rest = transport(server)
    outcomes.send(rest, record(0))
    rest.close(60)
    assert outcomes.reasons == [None]
