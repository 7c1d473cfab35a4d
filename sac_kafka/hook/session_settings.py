"""Find and read the settings of a session: from Spark, the environment and the arguments of `attach`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sac_kafka.errors import AttachError, ConfigurationError
from sac_kafka.log import logger
from sac_kafka.settings import Settings
from sac_kafka.settings.files.finding import Places
from sac_kafka.settings.files.reading import Configuration, read_configuration
from sac_kafka.settings.spark_atlas_connector import doubts_in_driver
from sac_kafka.settings.suspicious_keys import suspicious_keys
from sac_kafka.spark.port import SparkDriver
from sac_kafka.spark.session import Session
from sac_kafka.spark.versions import too_old
from sac_kafka.transport.spool.directory import ephemeral_directory_warning


def read_settings(driver: SparkDriver, arguments: Mapping[str, str]) -> Settings:
    """Find and read the settings, and log warnings about doubtful ones.

    Args:
        driver: The driver's JVM.
        arguments: The settings given to `attach`, which override all others: key to text.

    Raises:
        AttachError: The driver's Spark is too old, and the hook is not disabled.
        ConfigurationError: They cannot be read, or values are not allowed.
    """
    session = driver.session()
    old = too_old(session.spark_version)
    try:
        settings = _read(find_configuration(driver, session, arguments))
    except ConfigurationError:
        if old is None:
            raise
        raise AttachError(old) from None
    if old is not None and settings.sink.enabled:
        raise AttachError(old)
    for doubt in doubts_in_driver(session.conf) if settings.sink.enabled else ():
        logger.warning("%s", doubt)
    return settings


def _read(configuration: Configuration) -> Settings:
    for doubt in suspicious_keys(configuration):  # First: a misspelt key may be the cause of an error.
        logger.warning("%s", doubt)
    settings = Settings.of(configuration)
    passing = (
        ephemeral_directory_warning(settings.spool.dir) if settings.sink.enabled and settings.spool.enabled else None
    )
    if passing is not None:
        logger.warning("%s", configuration.places.add_place(passing))
    return settings


def find_configuration(driver: SparkDriver, session: Session, arguments: Mapping[str, str]) -> Configuration:
    """Find the configuration of a driver.

    Args:
        driver: The driver's JVM.
        session: Its session.
        arguments: The settings given to `attach`, which override all others: key to text.

    Raises:
        ConfigurationError: No configuration exists, or it cannot be read.
    """
    places = Places(
        system_property=driver.system_property("atlas.conf"),
        environment=os.environ.get("ATLAS_CONF"),
        working_directory=_working_directory(),
        spark_files=driver.spark_file,
        spark_conf=session.conf,
        arguments=arguments,
        file_name=driver.system_property("atlas.properties"),
    )
    places = replace(places, class_path=driver.class_path_resource(places.name))
    return read_configuration(places, driver.system_property)


def _working_directory() -> str:
    """Return the working directory, "" if it was removed."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""
