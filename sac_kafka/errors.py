"""The errors of the package, one class a kind of cause. Everything raised on purpose descends from SacKafkaError."""

from __future__ import annotations

from sac_kafka.config.secrets import mask_line


class SacKafkaError(Exception):
    """Any error that sac_kafka raises on purpose. Its text shows no known form of a secret, whoever catches it."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(mask_line(each) if isinstance(each, str) else each for each in args))


class ConfigurationError(SacKafkaError):
    """A setting or a configuration file is wrong: the message names the place, the value (secrets masked) and the cure."""


class WrongValuesError(ConfigurationError):
    """Values are not allowed: `sentences` has one for each, the message the first and how many more there are."""

    shown_by = "sac-kafka config"

    def __init__(self, *sentences: str) -> None:
        first, more = sentences[0], len(sentences) - 1
        super().__init__(f"{first}; and {more} more, which {self.shown_by} shows" if more else first)
        self.sentences = tuple(map(mask_line, sentences))


class WrongRulesError(WrongValuesError):
    """A file of rules cannot be used: `sentences` has one for each rule that is none."""

    shown_by = "sac-kafka map check"


class NoConfigurationError(ConfigurationError):
    """There is none, and nobody has said where one is: says which places were searched."""


class NoSettingsError(NoConfigurationError):
    """A configuration was found, and none of its lines sets anything."""


class NeedsJvmClientError(ConfigurationError):
    """Settings that only Kafka's Java client can follow (Kerberos, handlers and login modules in Java): says which, and why."""


class NeedsDriverError(ConfigurationError):
    """A setting that only the driver's JVM can follow (a key store of Java, a credential store), outside of a driver."""


class AttachError(SacKafkaError):
    """The hook cannot attach to this Spark session (no driver JVM, no code generation compiler, stopped context)."""


class ServedError(AttachError):
    """Another Python on the same driver JVM has attached to the SparkContext, and reports what runs on it."""


class LineageTestError(SacKafkaError):
    """A test cannot see the lineage of its jobs: the message says why, and what to do."""


class ProjectionError(SacKafkaError):
    """A projected batch is not what the listener writes: the message names the line and the record."""


class MessageError(SacKafkaError):
    """A message that was to be read is none, or of a kind that is not read."""


class LateError(SacKafkaError):
    """A call had no answer in time."""
