"""Choose the output of a destination and its dialect, `atlas` or `purview`, from the settings; `purview` is loaded if chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sac_kafka.atlas.context import Context, Receiver
from sac_kafka.atlas.dialect import AtlasDialect, Dialect
from sac_kafka.atlas.output import AtlasOutput
from sac_kafka.hook.sent_file import SentFile
from sac_kafka.log import logger
from sac_kafka.model import Application, SessionFacts
from sac_kafka.settings import Settings
from sac_kafka.settings.declarations.choices import DialectName
from sac_kafka.stages.output import Output
from sac_kafka.transport.factory import sink_of
from sac_kafka.transport.reader import dialect_name, is_purview

if TYPE_CHECKING:
    from sac_kafka.purview.naming_context import NamingContext

_UNKNOWN = SessionFacts()


def receiver_of(settings: Settings) -> Receiver:
    """Return what reads the messages.

    Raises:
        ConfigurationError: As for `is_purview`.
    """
    joins_parts = sink_of(settings).joins_parts(settings)
    return Receiver(topic=settings.sink.topic, joins_parts=joins_parts, is_purview=is_purview(settings))


def output_of(
    settings: Settings,
    context: Context,
    saved: SentFile | None = None,
    session: SessionFacts = _UNKNOWN,
    spark_file: Callable[[str], str | None] = lambda _: None,
    metastore: str = "",
) -> Output:
    """Return the output of a destination; `saved` is what earlier runs have sent there, the rest is as for `dialect_of`.

    `metastore` is OpenLineage's namespace of the session's tables.
    """
    if dialect_name(settings) is DialectName.OPENLINEAGE:
        from sac_kafka.hook.event_output import event_output

        return event_output(settings, context, saved.save if saved is not None else lambda: None, metastore)
    return AtlasOutput(context, dialect_of(settings, context.application, session, spark_file), saved=saved)


def dialect_of(
    settings: Settings,
    application: Application,
    session: SessionFacts = _UNKNOWN,
    spark_file: Callable[[str], str | None] = lambda _: None,
) -> Dialect:
    """Return the dialect of an application's messages.

    Args:
        settings: The settings of the hook.
        application: The application.
        session: The properties of its session on which names depend.
        spark_file: Returns the local path of a file from `--files`, None if there is no such file.

    Raises:
        ConfigurationError: As for `is_purview`; or the mapping rules are invalid.
    """
    with settings.source.placing():
        if not is_purview(settings):
            return AtlasDialect()
        from sac_kafka.purview.dialect import PurviewDialect

        naming_context = naming(settings, application, session, spark_file)
    return PurviewDialect(naming_context, settings.purview)


def check_dialect(settings: Settings) -> None:
    """Check the settings of the dialect without a driver.

    Raises:
        ConfigurationError: As for `dialect_of`; files from `--files` are not found here.
    """
    if dialect_name(settings) is DialectName.OPENLINEAGE:
        from sac_kafka.hook.event_output import check_reader

        check_reader(settings)
    dialect_of(settings, Application(job="", application_id="", name="", user=""))


def naming(
    settings: Settings,
    application: Application,
    session: SessionFacts = _UNKNOWN,
    spark_file: Callable[[str], str | None] = lambda _: None,
) -> NamingContext:
    """Return the context of names in the dialect `purview`; arguments as for `dialect_of`.

    Raises:
        ConfigurationError: The mapping rules are invalid.
    """
    from sac_kafka.purview.mapping.loading import RulePaths, load_rules
    from sac_kafka.purview.mapping.matching import with_rules
    from sac_kafka.purview.naming_context import naming_context_of

    naming_context = naming_context_of(settings.purview, settings.names, application, session)
    if settings.purview.mapping_file is None:
        return naming_context
    paths = RulePaths(configuration_file=settings.source.text, spark_files=spark_file)
    rules = load_rules(settings.purview.mapping_file, paths=paths)
    for warning in rules.warnings:
        logger.warning("%s", warning)
    return with_rules(naming_context, rules)
