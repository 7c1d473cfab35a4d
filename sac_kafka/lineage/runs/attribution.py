"""Attribute executions to the notebook, task or Python process that runs them, since one driver may run several.

An execution belongs to the notebook or task that the properties of its jobs name; without a job, to that of the last job in its
session, or of the thread that first used the session; else to the Python process that created that; else to the application.
Its session may name the job, too.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from sac_kafka.lineage.runs.identity import identity_of_known
from sac_kafka.masking import mask_text
from sac_kafka.model import Application
from sac_kafka.model.bounds import Bounded
from sac_kafka.names.job_names import job_name
from sac_kafka.plan import wire
from sac_kafka.plan.execution import APPLICATION_NAME, JOB_NAME
from sac_kafka.plan.job_properties import IDENTITY_KEYS, identifies

MAX_SESSIONS = 10_000
"""Sessions that are remembered."""
NOT_ATTRIBUTED = "sessions of no known notebook, task or Python process"


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonProcess:
    """A Python process of the driver that has attached.

    Attributes:
        name: The name of its application.
        job_name: The configured name of its job; None without one.
        known: The keys of its platform with their values (`identity.known`).
        source: Where its settings come from.
        settings: A digest of its settings.
    """

    name: str
    job_name: str | None = None
    known: Mapping[str, str] = field(default_factory=dict, repr=False)
    source: str = ""
    settings: str = ""

    def text(self) -> str:
        """Return the process as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, text: str) -> PythonProcess:
        """Return the process from its JSON."""
        return cls(**json.loads(text))


class Attribution:
    """The Python processes and sessions of a driver; returns the application under the job that runs an execution.

    Args:
        application: The application of the serving process.
        counts: Counts sessions whose executions cannot be attributed where several processes have attached.
        process: The serving process, to whose application all executions belong that are of no other process.
    """

    def __init__(self, application: Application, counts: Counter[str] | None = None, process: str = "") -> None:
        self._application = application
        self._process = process
        self._counts = Counter() if counts is None else counts
        self._pythons: dict[str, PythonProcess] = {}
        self._owners: Bounded[str, str] = Bounded(MAX_SESSIONS)
        self._last_jobs: Bounded[str, Mapping[str, str]] = Bounded(MAX_SESSIONS)
        self._not_attributed: Bounded[str | None, None] = Bounded(MAX_SESSIONS)
        self._known: Bounded[tuple[object, ...], Application] = Bounded(MAX_SESSIONS)

    def add(self, line: wire.Registration | wire.SessionOwner) -> None:
        """Add a process that has attached, or a session that a process has created."""
        if isinstance(line, wire.Registration):
            self._pythons[line.process] = PythonProcess.of(line.text)
        else:
            self._owners[line.id] = line.process
            self._of_job((line.id,), line.properties)

    def application_of(
        self, *sessions: str | None, properties: Mapping[str, str] | None = None, process: str | None = None
    ) -> Application:
        """Return the application under the job that an execution belongs to.

        Args:
            sessions: Ids of its session, and of the run of its streaming query.
            properties: Properties of its first job; None if it had none that identify anybody.
            process: The Python process that reports it, if that is known.
        """
        job = self._of_job(sessions, properties or {})
        owners = (self._owners.get(session) for session in sessions if session is not None)
        owner = process or next((known_owner for known_owner in owners if known_owner is not None), None)
        if owner not in self._pythons:
            if not job and len(self._pythons) > 1:
                self._count(next(iter(sessions), None))
            owner = self._process
        python = self._pythons.get(owner)
        key = (owner, *job.items())
        application = self._known.get(key)
        if application is None:
            application = self._known[key] = self._create_application(python, job)
        return application

    def _count(self, session: str | None) -> None:
        if session not in self._not_attributed:
            self._not_attributed[session] = None
            self._counts[NOT_ATTRIBUTED] += 1

    def _of_job(self, sessions: tuple[str | None, ...], properties: Mapping[str, str]) -> Mapping[str, str]:
        """Return the properties that identify a notebook or task: those of the job, else of the last job in the session."""
        identity = {key: properties[key] for key in IDENTITY_KEYS if properties.get(key)}
        names = [session for session in sessions if session is not None]
        if not identity or not identifies(identity):
            return next((self._last_jobs[name] for name in names if name in self._last_jobs), {})
        for name in names:
            self._last_jobs[name] = identity
        return identity

    def _create_application(self, python: PythonProcess | None, job_properties: Mapping[str, str]) -> Application:
        base = self._application
        if not job_properties and (python is None or python is self._pythons.get(self._process)):
            return base
        identity = identity_of_known({**(python.known if python is not None else {}), **job_properties})
        if python is None:
            job = base.job if identity.job is None else identity.job
            facts = {**dict(base.facts), **dict(identity.facts)}
            return replace(
                base, job=job, facts=tuple(facts.items()), is_job_chosen=base.is_job_chosen or bool(identity.job)
            )
        chosen = bool(python.job_name or identity.job)
        job = job_name(python.job_name, mask_text(python.name), identity.job)
        return replace(base, job=job, facts=identity.facts, is_job_chosen=chosen)


_REDACTED = "*********(redacted)"


def with_session_job(
    application: Application, at_start: Mapping[str, str] | None, by_now: Mapping[str, str] | None
) -> Application:
    """Return the application under the job name of one of its sessions.

    A configured job name takes precedence over one made from an application name; for each, the session's over the driver's.

    Args:
        application: The application, under the driver's job name.
        at_start: Settings of the session that differed from the driver's when the execution started; None if unknown. Spark may
            have redacted a value that looks like a secret ("hourly" contains "url").
        by_now: Those settings that name jobs, at the end of the execution or later.
    """
    now = by_now or {}
    if at_start is None:
        at_start = now
    settings = {key: now.get(key, "") if at_start[key] == _REDACTED else at_start[key] for key in at_start}
    chosen, name = settings.get(JOB_NAME, "").strip(), settings.get(APPLICATION_NAME, "").strip()
    if not chosen and (application.is_job_chosen or not name):
        return application
    return dataclasses.replace(application, job=job_name(chosen, name), is_job_chosen=bool(chosen))
