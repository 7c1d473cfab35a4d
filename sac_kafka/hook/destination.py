"""Open the way to the server: the spool over the sink's transport, and the file of what earlier runs have sent there."""

from __future__ import annotations

from sac_kafka.hook.dialects import is_purview
from sac_kafka.hook.sent_file import SentFile
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import Compat
from sac_kafka.spark.port import SparkDriver
from sac_kafka.transport.factory import make_transport, sink_of
from sac_kafka.transport.spool.options import options_of
from sac_kafka.transport.spool.spool import Spool


def open_spool(settings: Settings, driver: SparkDriver, application_id: str) -> Spool:
    """Return the spool over the transport of the sink.

    Raises:
        SacKafkaError: The settings of the sink are wrong, or the driver lacks something that it needs.
    """
    return Spool(make_transport(settings, driver), options_of(settings), application_id)


def load_sent_file(settings: Settings, place: str) -> SentFile | None:
    """Load the file with what earlier runs have sent to `place`; None if the sink is not a server or the file is disabled."""
    names, content = settings.names, settings.content
    if sink_of(settings).address is None or not content.sent_max_age_seconds or names.compat is Compat.SAC:
        return None
    chosen = (each.value if each is not None else "auto" for each in (content.message_form, content.table_model))
    purview = ("purview", settings.purview.process_types.value) if is_purview(settings) else ()
    sink = "|".join((place, settings.sink.topic, names.namespace, *chosen, *purview))
    sent_file = SentFile(settings.spool.dir, sink, max_age_ms=int(content.sent_max_age_seconds * 1000))
    sent_file.load()
    return sent_file
