"""Receive events from a Kafka topic, as a member of a consumer group: offsets are committed when the journal has the events."""

from __future__ import annotations

import socket
from pathlib import Path

from sac_kafka.atlas.limits import digest
from sac_kafka.bridge.intake import Intake, ThreadInput
from sac_kafka.bridge.journal import FullError
from sac_kafka.errors import ConfigurationError, NeedsJvmClientError, SacKafkaError
from sac_kafka.log import logger
from sac_kafka.masking import mask_setting
from sac_kafka.settings import Settings
from sac_kafka.transport.kafka.consumer import Consumed, GroupReader
from sac_kafka.transport.kafka.settings.librdkafka_settings import librdkafka_settings

_WAIT_SECONDS = 0.5
_DIGITS = 12
_FULL_SECONDS = 1.0
_NO_JAVA = (
    "the bridge has no Java client: set atlas.kafka.bootstrap.servers to a listener of the brokers with SCRAM, OAUTHBEARER or "
    "client certificates, or have the events sent to --listen"
)


class KafkaInput(ThreadInput):
    """A topic of the configured cluster.

    Args:
        settings: The settings of the cluster (`atlas.kafka.…`).
        topic: The topic.
        group: The consumer group; bridges of one group share the partitions.
        directory: The directory of this bridge, which identifies it within the group.

    Raises:
        ConfigurationError: The settings of the cluster are missing or wrong.
    """

    name = "sac-kafka-topic"

    def __init__(self, settings: Settings, topic: str, group: str, directory: Path) -> None:
        super().__init__()
        broker = settings.kafka.properties.get("bootstrap.servers", "").strip()
        if not broker:
            raise ConfigurationError(f"--kafka {topic}: set atlas.kafka.bootstrap.servers to the brokers of the topic")
        with settings.source.placing():
            try:
                config = librdkafka_settings(settings, None).client_config()
            except NeedsJvmClientError as error:
                raise ConfigurationError(f"--kafka {topic}: {error}; {_NO_JAVA}") from error
            member = f"sac-kafka-{socket.gethostname()}-{digest(str(directory), _DIGITS)}"
            self._reader = GroupReader(
                config, topic, group, member, f"kafka {mask_setting('bootstrap.servers', broker)}"
            )
        self._topic = topic
        self._refusal = ""  # by the journal; logged once

    def run(self, intake: Intake) -> None:
        """Read and commit, then leave the group."""
        known = None
        try:
            while not self._stopped.is_set():
                records, problem = self._reader.read(_WAIT_SECONDS)
                if problem is not None and problem != known:
                    logger.warning("the topic %s cannot be read: %s", self._topic, problem)
                known = None if records else problem or known
                if kept := self._keep(records, intake):
                    self._commit(kept)
        finally:
            self._reader.close()

    def _keep(self, records: list[Consumed], intake: Intake) -> list[Consumed]:
        """Write the events into the journal, fewer at once if there is no room for all, waiting while there is for none.

        Returns:
            Those that are written: all, unless the bridge ends.
        """
        texts = [record.value.decode(errors="replace").replace("\r", " ").replace("\n", " ") for record in records]
        start, number = 0, len(texts)
        while start < len(texts) and not self._stopped.is_set():
            problem = _problem(intake, texts[start : start + number])
            if not problem:
                self._refusal = "" if number == len(texts) else self._refusal
                start += number
            elif number > 1:
                number //= 2
            else:
                if problem != self._refusal:
                    logger.warning("the topic %s is read on when there is room: %s", self._topic, problem)
                self._refusal = problem
                self._stopped.wait(_FULL_SECONDS)
        return records[:start]

    def _commit(self, records: list[Consumed]) -> None:
        try:
            self._reader.commit(records)
        except SacKafkaError as error:
            logger.warning(
                "offsets of the topic %s are not committed, so events will be read again: %s", self._topic, error
            )


def _problem(intake: Intake, texts: list[str]) -> str:
    """Keep events; return why they are not kept, "" if they are."""
    try:
        intake.keep(texts)
    except FullError as error:
        return str(error)
    return ""
