"""A driver that posts to Atlas' notification endpoint, which fails at first: every message arrives, in order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.judge.judging import assert_good
from tests.helpers.secret_search import used
from tests.live.spark import drivers
from tests.live.spark.drivers import hook_conf, run
from tests.unit.transport.notification_server import NotificationServer

pytestmark = pytest.mark.spark

PASSWORD = used("s3cret-of-a-driver")


def test_a_driver_posts_the_messages_that_it_would_send_to_kafka(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with NotificationServer() as server:
        server.replies = [(503, {}, b"")]
        conf = hook_conf(
            tmp_path,
            hook_rest_notification_enabled="true",
            rest_address=server.address,
            rest_basic_auth_username="ada",
            rest_basic_auth_password=PASSWORD,
        )
        del conf["spark.atlas.client.type"], conf["spark.atlas.client.file.path"]
        ended = run(drivers.nothing, tmp_path, conf)
    assert ended.code == 0, ended.output
    stats = ended.report["stats"]
    assert stats["sink"] == f"rest {server.address}"
    assert (stats["errors"], stats["messages"]["dropped"], stats["messages"]["spooled"]) == ({}, 0, 0)
    assert stats["messages"]["delivered"] == len(server.posted) > 0
    assert len(server.requests) > 1
    assert_good(json.dumps(each) for each in server.posted)
    types = [each["typeName"] for message in server.posted for each in message["message"]["entities"]["entities"]]
    assert "spark_process" in types
    assert PASSWORD not in ended.output + ended.log
