"""Define the exceptions of the package, one class per kind of cause; all are subclasses of SacKafkaError."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from sac_kafka.escaping import escape
from sac_kafka.masking import mask_line


def _safe(text: str) -> str:
    return escape(mask_line(text))


class SacKafkaError(Exception):
    """Base class of all exceptions that sac_kafka raises. Secrets in the text are masked, unsafe characters escaped."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(_safe(arg) if isinstance(arg, str) else arg for arg in args))


class ConfigurationError(SacKafkaError):
    """A setting or a configuration file is wrong: the message has the place, the value (secrets masked) and the fix."""


class WrongValuesError(ConfigurationError):
    """Values are not allowed: `sentences` has one sentence per value, the message the first one and the number of others.

    `keys` are the settings whose values cannot be read; empty if all can.
    """

    shown_by = "sac-kafka config"

    def __init__(self, *sentences: str, keys: Iterable[str] = ()) -> None:
        first, more = sentences[0], len(sentences) - 1
        super().__init__(f"{first}; and {more} more, which {self.shown_by} shows" if more else first)
        self.sentences = tuple(map(_safe, sentences))
        self.keys = tuple(keys)


class WrongRulesError(WrongValuesError):
    """A file of rules cannot be used: `sentences` has one sentence per invalid rule."""

    shown_by = "sac-kafka map check"


def sentences_of(error: ConfigurationError) -> tuple[str, ...]:
    """Return the sentences of an error, one per wrong value."""
    return error.sentences if isinstance(error, WrongValuesError) else (str(error),)


class NoConfigurationError(ConfigurationError):
    """No configuration was found and none was named: the message lists the searched places."""


class NoSettingsError(NoConfigurationError):
    """A configuration was found, but it contains no settings."""


class NeedsJvmClientError(ConfigurationError):
    """Settings require Kafka's Java client (Kerberos, Java handlers and login modules): the message says which, and why."""


class NeedsDriverError(ConfigurationError):
    """A setting requires the driver's JVM (a Java key store, a credential store), which does not exist here."""


def all_of(*steps: Callable[[], Any]) -> tuple[Any, ...]:
    """Run all steps and return their results.

    Raises:
        WrongValuesError: Several steps failed.
        ConfigurationError: One step failed, or a step needs Java or a driver and none before it failed.
    """
    results, errors = [], list[ConfigurationError]()
    for step in steps:
        try:
            results.append(step())
        except ConfigurationError as error:  # noqa: PERF203 (each step may fail)
            is_elsewhere = isinstance(error, (NeedsJvmClientError, NeedsDriverError))
            if is_elsewhere and not errors:
                raise
            errors += [] if is_elsewhere else [error]
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise WrongValuesError(*(sentence for each in errors for sentence in sentences_of(each)))
    return tuple(results)


class AttachError(SacKafkaError):
    """The hook cannot attach to this Spark session (no driver JVM, no code generation compiler, stopped context)."""


class ServedError(AttachError):
    """Another Python process on the same driver JVM serves the SparkContext.

    `listener` passes calls on to that of the serving process (`spark.listener.Listener`); None if its version differs.
    """

    def __init__(self, message: str, listener: Any = None) -> None:  # noqa: ANN401 this module imports nothing
        super().__init__(message)
        self.listener = listener


class FlowError(SacKafkaError):
    """A stated flow is wrong, and nothing of it is sent: the message has the place, the value and the fix."""


class LineageTestError(SacKafkaError):
    """A test cannot observe the lineage of its jobs: the message has the reason and the fix."""


class ProjectionError(SacKafkaError):
    """A recorded batch is not in the listener's format: the message names the line and the record."""


class MessageError(SacKafkaError):
    """A text cannot be parsed as a message, or is a message of an unsupported kind."""


class LateError(SacKafkaError):
    """A call did not return before its deadline."""


class SourceError(SacKafkaError):
    """The source of events cannot be reached any more: normal at the end of an application."""
