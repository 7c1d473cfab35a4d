"""A topic of a real broker read back: every partition, from a time on, following; and each way in which it cannot be."""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sac_kafka.atlas.wire.message import parts
from sac_kafka.errors import SacKafkaError
from sac_kafka.settings import Settings
from sac_kafka.tools.messages.reader import TopicMessage, join_parts
from sac_kafka.tools.messages.records import read_topic
from sac_kafka.transport.kafka.consumer import Consumed, TopicReader
from stack.kafka import KafkaBroker
from stack.listeners import LOGIN
from stack.properties import login_module
from tests.helpers.secret_search import used
from tests.helpers.waiting import LONG_SECONDS, FakeClock, until

confluent_kafka = pytest.importorskip("confluent_kafka")
admin = pytest.importorskip("confluent_kafka.admin")

pytestmark = pytest.mark.kafka

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
USERS = {each: used(f"reader-right-of-{each}") for each in ("alice", "reader", "writer", "mallory")}
WRONG = used("reader-wrong-of-alice")


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """Yield a broker where `reader` may only read, `writer` only write, and `mallory` nothing."""
    work = tmp_path_factory.mktemp("reader")
    fast = {"log.cleaner.backoff.ms": "100", "log.cleaner.min.cleanable.ratio": "0.01"}
    fast["log.retention.ms"] = "-1"  # the records of these tests are of 1970
    refused = ["mallory", "writer", "reader"]
    with KafkaBroker(work, passwords=USERS, listeners=(LOGIN,), refused=refused, properties=fast) as running:
        _make(running, "ALL", 3)
        _allow(running, "writer", "ALL", admin.AclOperation.WRITE)
        _allow(running, "reader", "ALL", admin.AclOperation.READ)
        yield running


def _make(broker: KafkaBroker, topic: str, partitions: int = 1, **config: str) -> None:
    client = admin.AdminClient({"bootstrap.servers": broker.bootstrap()})
    named = {key.replace("_", "."): value for key, value in config.items()}
    client.create_topics([admin.NewTopic(topic, partitions, 1, config=named)])[topic].result(LONG_SECONDS)

    def is_known() -> bool:
        (found,) = client.list_topics(topic, timeout=LONG_SECONDS).topics.values()
        return found.error is None and len(found.partitions) == partitions

    until(is_known)


def _allow(broker: KafkaBroker, user: str, topic: str, operation: Any) -> None:
    client = admin.AdminClient({"bootstrap.servers": broker.bootstrap()})
    kinds = (admin.ResourceType.TOPIC, topic, admin.ResourcePatternType.LITERAL)
    rule = admin.AclBinding(*kinds, f"User:{user}", "*", operation, admin.AclPermissionType.ALLOW)
    client.create_acls([rule])[rule].result(LONG_SECONDS)


def _put(broker: KafkaBroker, topic: str, *records: tuple[int, bytes | None, int], **config: Any) -> None:
    """Records of (partition, value, epoch milliseconds), one after the other."""
    producer = confluent_kafka.Producer({"bootstrap.servers": broker.bootstrap(), "linger.ms": 0, **config})
    for partition, value, stamp in records:
        producer.produce(topic, value, key=b"k", partition=partition, timestamp=stamp)
        assert producer.flush(LONG_SECONDS) == 0
    producer.close()


def _reader(broker: KafkaBroker, topic: str) -> TopicReader:
    """Make a reader that waits for LONG_SECONDS, and then fails."""
    return TopicReader({"bootstrap.servers": broker.bootstrap()}, topic, "kafka", LONG_SECONDS)


def _values(broker: KafkaBroker, topic: str, since_ms: int | None = None, last: int | None = None) -> list[bytes]:
    with _reader(broker, topic) as reader:
        return sorted(each.value for each in reader.read(since_ms, last=last))


@pytest.fixture(scope="module")
def filled(broker: KafkaBroker) -> str:
    _put(broker, "ALL", (0, b"a", 1000), (1, b"b", 2000), (0, b"c", 3000), (0, None, 3500), (0, b"d", 4000))
    return "ALL"


def test_reads_all_partitions_since_a_time_and_the_newest(broker: KafkaBroker, filled: str) -> None:
    assert _values(broker, filled) == [b"a", b"b", b"c", b"d"]
    assert _values(broker, filled, since_ms=2000) == [b"b", b"c", b"d"]
    assert _values(broker, filled, since_ms=5000) == []
    assert _values(broker, filled, last=1) == [b"b", b"d"]
    with _reader(broker, filled) as reader:
        assert next(iter(reader.read(4000))) == Consumed(0, 3, 4000, b"k", b"d")


def test_an_empty_topic_ends_at_once(broker: KafkaBroker) -> None:
    _make(broker, "EMPTY", 2)
    assert _values(broker, "EMPTY") == []


def test_the_end_of_a_transaction_and_of_one_that_was_given_up(broker: KafkaBroker) -> None:
    _make(broker, "TRANSACTIONS")
    producer = confluent_kafka.Producer({"bootstrap.servers": broker.bootstrap(), "transactional.id": "t"})
    producer.init_transactions(LONG_SECONDS)
    for value, end in ((b"done", producer.commit_transaction), (b"given up", producer.abort_transaction)):
        producer.begin_transaction()
        producer.produce("TRANSACTIONS", value)
        producer.flush(LONG_SECONDS)
        end(LONG_SECONDS)
    producer.close()
    assert _values(broker, "TRANSACTIONS") == [b"done", b"given up"]  # as Atlas' own consumer reads


def test_an_end_that_was_compacted_away(broker: KafkaBroker) -> None:
    quick = {"cleanup_policy": "compact", "segment_ms": "100", "delete_retention_ms": "0"}
    _make(broker, "COMPACTED", **quick)
    now = int(time.time() * 1000)
    _put(broker, "COMPACTED", (0, b"first", now), (0, b"second", now), (0, None, now))
    _put(broker, "COMPACTED", (0, None, now + 300))  # later than `segment.ms`: a separate segment
    until(lambda: _values(broker, "COMPACTED") == [], lambda: _values(broker, "COMPACTED"))


def test_following_gives_what_comes_and_is_ended_by_its_reader(broker: KafkaBroker) -> None:
    _make(broker, "FOLLOWED", 2)
    with _reader(broker, "FOLLOWED") as reader:
        late = [(1, b"one", 1), (0, b"two", 2)]
        found = reader.read(follow=True, waiting=lambda: late and _put(broker, "FOLLOWED", late.pop(0)))
        assert [next(found).value, next(found).value] == [b"one", b"two"]
        found.close()


def _settings(broker: KafkaBroker, user: str, password: str = "", **more: str) -> Settings:
    return Settings.read(
        {
            "atlas.notification.hook.topic.name": "ALL",
            "atlas.kafka.bootstrap.servers": broker.bootstrap("SASL_SSL"),
            "atlas.kafka.security.protocol": "SASL_SSL",
            "atlas.kafka.sasl.mechanism": "PLAIN",
            "atlas.kafka.sasl.jaas.config": login_module(
                PLAIN, {"username": user, "password": password or USERS[user]}
            ),
            "atlas.kafka.ssl.truststore.location": str(broker.ca_file),
            **more,
        },
        "a test",
    )


def _refusal(settings: Settings) -> str:
    """Return why the topic cannot be read; hangs if that is not reported before the timeout."""
    with pytest.raises(SacKafkaError) as caught:
        list(read_topic(settings, math.inf))
    assert not [each for each in (*USERS.values(), WRONG) if each in str(caught.value)]
    assert "messages are kept" not in str(caught.value)
    return str(caught.value)


def test_over_sasl_ssl_with_a_message_in_parts(broker: KafkaBroker) -> None:
    _make(broker, "PARTS")
    text = '{"message": "' + "abcdefgh" * 400 + '"}'
    cut = parts(text, max_bytes=1500, compresses=False)
    _put(broker, "PARTS", *((0, each, 1) for each in cut))
    settings = _settings(broker, "alice", **{"atlas.notification.hook.topic.name": "PARTS"})
    (one,) = join_parts(read_topic(settings, LONG_SECONDS))
    assert isinstance(one, TopicMessage)
    assert (one.text, one.records, one.key, one.time_ms) == (text, len(cut), "k", 1)
    assert one.place == f"partition 0 offset {len(cut) - 1}"


@pytest.mark.parametrize("user", ["writer", "mallory"])
def test_a_missing_read_permission_is_reported(broker: KafkaBroker, filled: str, user: str) -> None:
    text = _refusal(_settings(broker, user))
    assert text.startswith("the user may not read the topic ALL; grant the user Read and Describe on it")


def test_reading_needs_no_permission_on_a_group(broker: KafkaBroker, filled: str) -> None:
    assert len(list(read_topic(_settings(broker, "reader"), LONG_SECONDS))) == 4


def test_an_unknown_topic_is_named_and_not_created(broker: KafkaBroker) -> None:
    text = _refusal(_settings(broker, "alice", **{"atlas.notification.hook.topic.name": "NOBODYS"}))
    assert text.startswith("the topic NOBODYS does not exist; create it, or set atlas.notification.hook.topic.name")
    client = admin.AdminClient({"bootstrap.servers": broker.bootstrap()})
    assert "NOBODYS" not in client.list_topics(timeout=60).topics


def test_a_wrong_password_is_reported_before_the_timeout(broker: KafkaBroker) -> None:
    assert _refusal(_settings(broker, "alice", WRONG)).startswith("the broker rejects the user name or password")


class SlowConsumer:
    """A real consumer whose calls take their time by a fake clock; a call ends once enough is known."""

    def __init__(self, consumer: Any, clock: FakeClock, is_enough: Callable[[], bool]) -> None:
        self.timeouts: list[float] = []
        self._consumer = consumer
        self._clock = clock
        self._is_enough = is_enough

    def list_topics(self, topic: str, timeout: float) -> object:
        self.timeouts.append(timeout)
        self._clock.advance(timeout)
        until(lambda: self._consumer.poll(0.01) or self._is_enough())
        return self._consumer.list_topics(topic, timeout=0.01)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._consumer, name)


@pytest.mark.parametrize(
    ("listens", "reason"),
    [
        (True, "the broker did not answer in time; check the broker and the network path to it (waited 10 s)"),
        (False, "nothing listens on the broker's port"),
    ],
)
def test_a_silent_or_missing_broker_is_reported(listens: bool, reason: str) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        if listens:
            silent.listen()
        clock = FakeClock()
        config = {"bootstrap.servers": f"127.0.0.1:{silent.getsockname()[1]}"}
        with TopicReader(config, "ALL", "kafka", 10, clock=clock) as reader:
            events = reader._callback_events.events

            def is_refused() -> bool:
                return bool(reader._errors.problem) or any("refused" in each.text for each in events)

            reader._consumer = consumer = SlowConsumer(reader._consumer, clock, lambda: listens or is_refused())
            with pytest.raises(SacKafkaError) as caught:
                next(reader.read())
            assert str(caught.value).startswith(reason)
            assert consumer.timeouts == [1.0] * 10
