"""Convert the keyword arguments of `attach` to properties.

A keyword is the key without `atlas.hook.spark.` or `atlas.`, with `_` for each dot (`job_name`, `client_type`,
`rest_address`, `kafka_bootstrap_servers`). A full key is accepted as well: `**{"atlas.client.type": "console"}`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from sac_kafka.errors import ConfigurationError
from sac_kafka.settings import KAFKA_PREFIX, describe
from sac_kafka.settings.declarations.values import nearest
from sac_kafka.settings.files.unknown_keys import OWN_PREFIX, RETIRED

_PREFIX = "atlas."
_SPARK_PREFIX = "spark."
_KAFKA = "kafka_"
_PREFIXES = ("spark_", "atlas_", "hook_spark_")
"""Parts of a key that keywords omit, in the order in which they are stripped from a misspelt keyword."""


def keyword_of(key: str) -> str:
    """Return the keyword of a key.

    >>> keyword_of("atlas.hook.spark.job.name"), keyword_of("atlas.rest.address")
    ('job_name', 'rest_address')
    """
    own = key.removeprefix(OWN_PREFIX)
    return (own if own != key else key.removeprefix(_PREFIX)).replace(".", "_")


def keywords() -> dict[str, str]:
    """Map keywords to keys, for all declared settings; any other keyword that begins with `kafka_` is a Kafka property."""
    return {keyword_of(key): key for key in (*(key for each in describe() for key in each.keys), *RETIRED)}


def properties_of(arguments: Mapping[str, object], call: str = "attach") -> dict[str, str]:
    """Convert the arguments of a call to properties; None means "not set".

    >>> properties_of({"job_name": "daily", "kafka_bootstrap_servers": ["a:9092", "b:9092"], "namespace": None})
    {'atlas.hook.spark.job.name': 'daily', 'atlas.kafka.bootstrap.servers': 'a:9092,b:9092'}

    Raises:
        ConfigurationError: A keyword is unknown, or a value has an unsupported type.
    """
    known = keywords()
    return {_key(name, known, call): _text(name, value, call) for name, value in arguments.items() if value is not None}


def _key(name: str, known: Mapping[str, str], call: str) -> str:
    if name in known:
        return known[name]
    if name.removeprefix(_SPARK_PREFIX).startswith(_PREFIX):
        return name.removeprefix(_SPARK_PREFIX)
    if name.startswith(_KAFKA):
        return KAFKA_PREFIX + name.removeprefix(_KAFKA).replace("_", ".")
    bare = name
    for prefix in _PREFIXES:
        bare = bare.removeprefix(prefix)
    suggestion = nearest(bare, known)
    fix = f"did you mean {suggestion}?" if suggestion else "pass its full key as **{'atlas.…': …}"
    raise ConfigurationError(f"{call}({name}=…): unknown setting; {fix}")


def _text(name: str, value: object, call: str) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str() | int() | float():
            return str(value)
        case os.PathLike():
            return str(os.fspath(value))
        case list() | tuple():
            return ",".join(_text(name, each, call) for each in value)
    raise ConfigurationError(
        f"{call}({name}=…): unsupported type {type(value).__name__}; pass a str, number, bool, path or list"
    )
