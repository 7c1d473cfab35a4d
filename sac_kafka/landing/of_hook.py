"""What became of what a hook has sent."""

from __future__ import annotations

from sac_kafka.atlas.sent_names import SentNames
from sac_kafka.errors import SacKafkaError
from sac_kafka.landing.landed import Landed, look_up
from sac_kafka.landing.server import CatalogServer
from sac_kafka.settings import Settings


def landed_of(settings: Settings, names: SentNames, timeout_seconds: float) -> Landed:
    """Look up what was sent; a server that cannot be asked is a problem, and no error."""
    try:
        server = CatalogServer.of(settings.rest, settings.rest.timeout_seconds)
        return look_up(server, names.sent, timeout_seconds, topic=settings.sink.topic, left_out=names.left_out)
    except SacKafkaError as e:
        return Landed(left_out=names.left_out, problem=str(e))
