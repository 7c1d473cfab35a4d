"""Settings as arguments of `attach`: which keyword stands for which key, and values as texts.

One rule: a keyword is the key without `atlas.hook.spark.` or `atlas.`, with `_` for each dot (`job_name`, `client_type`,
`rest_address`, `kafka_bootstrap_servers`). A key may also be given in full, `**{"atlas.client.type": "console"}`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from sac_kafka.config.unknown_keys import OWN_PREFIX, RETIRED
from sac_kafka.config.values import nearest
from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import KAFKA_PREFIX, describe

_PREFIX = "atlas."
_SPARK_PREFIX = "spark."
_KAFKA = "kafka_"
_PREFIXES = ("spark_", "atlas_", "hook_spark_")
"""What a keyword leaves out of its key, in the order of the key."""


def keyword_of(key: str) -> str:
    """The keyword of a key.

    >>> keyword_of("atlas.hook.spark.job.name"), keyword_of("atlas.rest.address")
    ('job_name', 'rest_address')
    """
    own = key.removeprefix(OWN_PREFIX)
    return (own if own != key else key.removeprefix(_PREFIX)).replace(".", "_")


def keywords() -> dict[str, str]:
    """Keyword to key, of all settings; those of Kafka's client are the ones that begin with `kafka_`."""
    return {keyword_of(key): key for key in (*(key for each in describe() for key in each.keys), *RETIRED)}


def properties_of(arguments: Mapping[str, object]) -> dict[str, str]:
    """The arguments as a file would have them: keys and texts. None is "not set".

    >>> properties_of({"job_name": "daily", "kafka_bootstrap_servers": ["a:9092", "b:9092"], "namespace": None})
    {'atlas.hook.spark.job.name': 'daily', 'atlas.kafka.bootstrap.servers': 'a:9092,b:9092'}

    Raises:
        ConfigurationError: A keyword is none, or a value has no text.
    """
    known = keywords()
    given = {name: value for name, value in arguments.items() if value is not None}
    return {_key(name, known): _text(name, value) for name, value in given.items()}


def _key(name: str, known: Mapping[str, str]) -> str:
    if name in known:
        return known[name]
    if name.removeprefix(_SPARK_PREFIX).startswith(_PREFIX):
        return name.removeprefix(_SPARK_PREFIX)
    if name.startswith(_KAFKA):
        return KAFKA_PREFIX + name.removeprefix(_KAFKA).replace("_", ".")
    bare = name
    for prefix in _PREFIXES:
        bare = bare.removeprefix(prefix)
    meant = nearest(bare, known)
    cure = f"did you mean {meant}?" if meant else "give its key in full, **{'atlas.…': …}"
    raise ConfigurationError(f"attach({name}=…): there is no such setting; {cure}")


def _text(name: str, value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str() | int() | float():
            return str(value)
        case os.PathLike():
            return str(os.fspath(value))
        case list() | tuple():
            return ",".join(_text(name, each) for each in value)
    raise ConfigurationError(
        f"attach({name}=…): a value of type {type(value).__name__} is no setting; give a text, number, bool, path or list"
    )
