"""Make the destinations of a hook: the output and its memory, and the spool over the transport of the sink."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sac_kafka.atlas.context import Context, context_of
from sac_kafka.guard import Guard
from sac_kafka.hook.destination import Destination
from sac_kafka.hook.dialects import output_of, receiver_of
from sac_kafka.hook.emitter import Emitter, Output
from sac_kafka.hook.sent_file import load_sent_file
from sac_kafka.model import Application, SessionFacts
from sac_kafka.model.cache import Cache
from sac_kafka.settings import Settings
from sac_kafka.stages.completeness import WriteCounter
from sac_kafka.stages.table_places import TablePlaces
from sac_kafka.transport.base import Transport
from sac_kafka.transport.factory import content_of, make_transport
from sac_kafka.transport.reader import is_purview
from sac_kafka.transport.spool.directory import writable_directory
from sac_kafka.transport.spool.options import name_destinations, options_of
from sac_kafka.transport.spool.spool import Spool

if TYPE_CHECKING:
    from sac_kafka.spark.port import SparkDriver
    from sac_kafka.spark.session import Metastore, Session

_CATALOG = "spark.sql.catalog."


@dataclass(frozen=True, slots=True)
class OpenDestination:
    """A destination whose files are open.

    Attributes:
        settings: Its settings.
        spool: The spool over its transport.
        output: Makes its messages.
        context: What all messages share.
        facts: The properties of the session on which names depend; None if they do not.
        places: The tables by location that earlier runs have saved there; None if there are none.
        name: Its name in the settings.
    """

    settings: Settings
    spool: Spool
    output: Output
    context: Context
    facts: SessionFacts | None
    places: TablePlaces | None
    name: str = ""

    def destination(self, writes: WriteCounter, guard: Guard, clock: Callable[[], int]) -> Destination:
        """Return the destination; `writes` is the completeness of writes, as for `Emitter`."""
        emitter = Emitter(self.output, writes, guard, clock, is_first=not self.name)
        return Destination(emitter, self.spool, self.settings.sink.topic, guard, clock, self.name)


def open_destinations(
    settings: Settings,
    driver: SparkDriver,
    session: Session,
    application: Application,
    metastore: Metastore,
    undo: ExitStack,
) -> tuple[OpenDestination, ...]:
    """Open all destinations of the settings; `undo` closes them.

    Raises:
        SacKafkaError: The settings of a sink are wrong, or the driver lacks something that it needs.
    """
    opened = []
    for name, own in name_destinations(settings, writable_directory):
        facts = _session_facts(session, driver, metastore) if is_purview(own) else None
        context = _context(own, application, session, metastore)
        tables = _namespace_of_tables(session, metastore)
        transport = make_transport(own, driver)
        opened.append(_open(own, name, transport, context, undo, facts, driver.spark_file, tables))
    return tuple(opened)


def open_without_driver(settings: Settings, application: Application, undo: ExitStack) -> tuple[OpenDestination, ...]:
    """Open all destinations outside of a driver; `undo` closes them.

    Raises:
        SacKafkaError: The settings of a sink are wrong, or it needs a driver.
    """
    opened = []
    for name, own in name_destinations(settings, writable_directory):
        context = context_of(application, own.names, content_of(own), receiver=receiver_of(own))
        opened.append(_open(own, name, make_transport(own), replace(context, cache=Cache()), undo))
    return tuple(opened)


def _open(
    settings: Settings,
    name: str,
    transport: Transport,
    context: Context,
    undo: ExitStack,
    facts: SessionFacts | None = None,
    spark_file: Callable[[str], str | None] = lambda _: None,
    tables: str = "",
) -> OpenDestination:
    if settings.sink.also or name:
        from sac_kafka.transport.threaded import ThreadedTransport

        transport = ThreadedTransport(transport)
    spool = Spool(transport, options_of(settings), context.application.application_id)
    undo.callback(spool.close, 0.0)
    sent_file = load_sent_file(settings, spool.name)
    output = output_of(settings, context, sent_file, facts or SessionFacts(), spark_file, tables)
    places = sent_file.places if sent_file and settings.names.paths_as_tables else None
    return OpenDestination(settings, spool, output, context, facts, places, name)


def _context(settings: Settings, application: Application, session: Session, metastore: Metastore) -> Context:
    """Return the properties that all messages of the application share."""
    return context_of(
        application,
        settings.names,
        content_of(settings),
        is_hive=metastore.uris is not None,
        metastore=metastore.database,
        source_ip=session.conf.get("spark.driver.host", ""),
        receiver=receiver_of(settings),
    )


def _namespace_of_tables(session: Session, metastore: Metastore) -> str:
    """Return OpenLineage's namespace of the session's tables: the metastore, else the warehouse directory, as its jar does."""
    if metastore.uris:
        return f"hive://{metastore.uris.partition(',')[0].strip().partition('://')[2]}"
    return session.conf.get("spark.sql.warehouse.dir", "")


def _session_facts(session: Session, driver: SparkDriver, metastore: Metastore) -> SessionFacts:
    """Return the properties of the session on which the names of Purview's assets depend."""
    keys = (key.removeprefix(_CATALOG) for key in session.conf if key.startswith(_CATALOG))
    return SessionFacts(
        mounts=driver.mounts(session.conf),
        is_hive=metastore.uris is not None,
        configured_catalogs=frozenset(key for key in keys if "." not in key),
    )
