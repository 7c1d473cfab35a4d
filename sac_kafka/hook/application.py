"""Identify the application of a hook: its job on the platform, its name in messages, and warnings about them."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import replace

from sac_kafka.guard import Guard
from sac_kafka.lineage.runs.attribution import PythonProcess
from sac_kafka.lineage.runs.identity import (
    Identity,
    configured_name_warning,
    identity_of_known,
    job_name_warning,
    known,
)
from sac_kafka.log import logger
from sac_kafka.masking import mask_text
from sac_kafka.model import Application, Engine
from sac_kafka.names.job_names import job_name
from sac_kafka.settings import Settings
from sac_kafka.settings.names import Names
from sac_kafka.spark import processes
from sac_kafka.spark.port import SparkDriver
from sac_kafka.spark.session import Session, pipeline_name
from sac_kafka.transport.factory import namespace_warning

_UNKNOWN = Identity()


def application_of_driver(
    driver: SparkDriver, session: Session, settings: Settings, guard: Guard
) -> tuple[Application, PythonProcess]:
    """Return the application that runs in a driver, and what other Python processes of the driver need to know of this one.

    Args:
        driver: The driver's JVM.
        session: The session of the application.
        settings: The settings of this process.
        guard: The guard of reading a pipeline's specification.
    """
    names, pipeline = settings.names, _pipeline(guard)
    same_for_all = replace(settings, names=replace(names, job_name=None))
    process = PythonProcess(
        name=pipeline or session.name,
        job_name=names.job_name,
        known=known({**session.conf, **driver.thread_properties}, os.environ),
        source=settings.source.text,
        settings=hashlib.sha256(repr(same_for_all).encode()).hexdigest(),
    )
    return application_of(session, names, identity(process, names), pipeline=pipeline), process


def identity(process: PythonProcess, names: Names) -> Identity:
    """Identify the job of a process on its platform; warnings are logged if the job's name depends on it."""
    found = identity_of_known(process.known)
    for doubt in found.warnings if names.has_no_job_name else ():
        logger.warning("%s", doubt)
    return found


def warn_of_other_settings(own: PythonProcess, server: str | None, process: str) -> None:
    """Warn if the process that serves the SparkContext has other settings; `server` is what it has registered."""
    serving = PythonProcess.of(server) if server else None
    if serving is not None and serving.settings != own.settings:
        logger.warning(
            "the Python process %s serves this SparkContext with the settings of %s: those of %s differ, and have no effect "
            "but for the job's name",
            processes.shown(process),
            serving.source,
            own.source,
        )


def _pipeline(guard: Guard) -> str | None:
    """Return the name of the Declarative Pipeline that this process runs; None if it runs none or its file is unreadable."""
    with guard("specification of a pipeline"):
        return pipeline_name(sys.modules.get("__main__"), sys.argv[1:])
    return None


def application_of(
    session: Session, names: Names, identity: Identity = _UNKNOWN, pipeline: str | None = None
) -> Application:
    """Return the application with its job name; secrets in names are masked, because names go into messages.

    Args:
        session: The session of the application.
        names: The settings of names.
        identity: The identity of the job on its platform.
        pipeline: The name of the Declarative Pipeline, if it is one; the applications of all pipelines have the same name.
    """
    name = mask_text(session.name)
    return Application(
        job=job_name(names.job_name, mask_text(pipeline or name), identity.job),
        application_id=session.application_id,
        name=name,
        user=session.user,
        engine=Engine(version=session.spark_version),
        attempt=session.attempt,
        started_ms=session.started_ms,
        facts=identity.facts,
        is_job_chosen=bool(names.job_name or identity.job),
    )


def warn(settings: Settings, application: Application) -> None:
    """Warn of settings that are valid but probably not intended."""
    names = settings.names
    why = job_name_warning(application.job) if names.has_no_job_name else configured_name_warning(application.job)
    if why is not None:
        logger.warning("%s", why)
    if (doubt := namespace_warning(settings)) is not None:
        logger.warning("%s", doubt)
