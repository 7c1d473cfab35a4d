"""Warn about suspicious keys of a configuration: unknown, ineffective, repeated, or written with Spark's prefix.

Keys are checked before values are read: an invalid value stops reading, and a misspelt key may be its cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sac_kafka.masking import MASK, mask_setting
from sac_kafka.settings import describe
from sac_kafka.settings.declarations.declaring import Setting, effective_key, effective_text
from sac_kafka.settings.declarations.values import PATTERNS
from sac_kafka.settings.files.reading import Configuration, lost_line, without_effect
from sac_kafka.settings.files.unknown_keys import (
    find_lookalike,
    find_without_prefix,
    invisible_in,
    is_invisible,
    unknown_keys,
)
from sac_kafka.settings.kafka import JAAS_PREFIX
from sac_kafka.settings.spark_atlas_connector import REPLACED, shared_key_fix

_ENABLED = "atlas.spark.enabled"
_KAFKA_PREFIX = "atlas.kafka."
_KAFKA_KEY = re.compile(r"(?:kafka\.)?(bootstrap\.servers|security\.protocol|(?:sasl|ssl)\.[a-z.]{1,60})")
"""Keys of Kafka's own configuration files. Here they need the prefix `atlas.kafka.`."""
_JAAS_KEY = re.compile(r"jaas\.KafkaClient\.")
_VARIABLE = re.compile(r"(?:^|[\s:/@,=])(?:\$\{([^{}]*)\}|\$\(([A-Za-z_]\w*)\)|\$([A-Za-z_]\w*)|%([A-Z_][A-Z0-9_]*)%)")
"""An unexpanded variable of a shell, a template or a batch file."""
_QUOTES = re.compile(r"""\A(?!\Z)["'\u2018-\u201f].*["'\u2018-\u201f]\Z|=\s*[\u2018-\u201f]""", re.DOTALL)
"""Quotes around a value, or typographic ones around an option in it: they are not removed."""
_REST_LOGIN = (
    ("atlas.rest.basic.auth.username", "atlas.client.username"),
    ("atlas.rest.basic.auth.password", "atlas.client.password"),
    ("atlas.hook.spark.rest.token",),
)


def suspicious_keys(configuration: Configuration) -> tuple[str, ...]:
    """Return a warning for each suspicious key; none if the hook is disabled.

    Keys under `atlas.kafka.` and `atlas.jaas.` are checked with the Kafka client's settings, not here.
    """
    if configuration.values.get(_ENABLED, "").strip().lower() == "false":
        return ()
    placed = dict.fromkeys(map(configuration.places.add_place, (*_unknown(configuration), *_of_values(configuration))))
    placed |= dict.fromkeys(_of_further(configuration))
    return (*_without_prefix(configuration), *_report_lookalikes(configuration), *_lost(configuration), *placed)


def _of_values(configuration: Configuration) -> tuple[str, ...]:
    return (
        *_report_repeats(configuration),
        *_without_password(configuration),
        *_report_variables(configuration),
        *_quoted_or_invisible(configuration),
    )


def _of_further(configuration: Configuration) -> Iterator[str]:
    """Yield the warnings of each further destination; those of what it inherits are the first's, word by word."""
    names = configuration.values.get("atlas.also", "")
    for name in filter(None, map(str.strip, names.split(","))):
        from sac_kafka.settings.destinations import own_key, properties_of

        places = replace(configuration.places, properties=configuration.values, repeated=configuration.repeated)
        own = properties_of(name, places)
        its = replace(configuration, values=own.properties, origins=own.origins, repeated=own.repeated)
        yield from map(its.places.add_place, _of_values(its))
        if own.omitted:
            key = own_key(name, own.omitted[0])
            yield configuration.places.add_place(
                f"{own.omitted[0]} is not sent to {name}, which has another server: set {key}, to nothing if that needs no login"
            )


def _unknown(configuration: Configuration) -> Iterator[str]:
    for key in configuration.prefixed:
        plain = key.removeprefix("spark.")
        yield f"{configuration.origins[key]}: {key} is read as {plain}; in this file keys have no prefix spark."
    known = _known()
    # Those of further destinations are checked when they are read.
    ours = (key for key in configuration.values if not key.startswith("atlas.also."))
    keys = [key for key in ours if find_lookalike(key, known) is None]
    replaced = dict.fromkeys(key for key in keys if key in REPLACED)
    for key, meant in sorted((replaced | unknown_keys(keys, known)).items()):
        where, fix = configuration.origins.get(key, configuration.source), REPLACED.get(key)
        if fix:
            yield f"{where}: {key} is the Spark Atlas Connector's and has no effect: {fix}"
            continue
        hint = f"; did you mean {meant}?" if meant else ""
        yield f"{where}: unknown setting {key} has no effect{hint}"


def shared_keys(configuration: Configuration) -> Iterator[str]:
    """Yield a sentence for each key that the connector read and other hooks still may: no mistake, but without effect."""
    for key in sorted(configuration.values):
        if fix := shared_key_fix(key):
            yield f"{configuration.origins.get(key, configuration.source)}: {key} has no effect on sac_kafka: {fix}"


def _report_lookalikes(configuration: Configuration) -> Iterator[str]:
    """Report keys that differ from a known key only by case, quotes or invisible characters."""
    known = _known()
    for key in sorted(configuration.values):
        if (meant := find_lookalike(key, known)) is not None:
            yield f"{configuration.origins.get(key, configuration.source)}: {without_effect(key, meant)}"


def _lost(configuration: Configuration) -> Iterator[str]:
    """Report lines that seem to set a known key but have no effect."""
    known = _known()
    for line in configuration.lost:
        if line.key.lower().startswith(("atlas.", "spark.atlas.")) or line.key in known:
            yield f"{line.origin}: {lost_line(line)}"


def _without_prefix(configuration: Configuration) -> Iterator[str]:
    """Report keys that lack their prefix, unless the full key is set as well."""
    known = _known()
    for key in sorted(configuration.values):
        if key.startswith(("atlas.", "spark.atlas.")) or key in known or find_lookalike(key, known):
            continue
        found = _KAFKA_KEY.fullmatch(key)
        meant = (
            f"{_KAFKA_PREFIX}{found[1]}"
            if found
            else f"atlas.{key}"
            if _JAAS_KEY.match(key)
            else find_without_prefix(key, known)
        )
        if meant and meant not in configuration.values:
            where = configuration.origins.get(key, configuration.source)
            yield f"{where}: {key} has no effect; did you mean {meant}?"


def _known() -> tuple[str, ...]:
    return tuple(key for each in describe() for key in each.keys)


def _report_repeats(configuration: Configuration) -> Iterator[str]:
    """Report keys with a single value that are set to different values."""
    for setting in describe():
        key = effective_key(setting, configuration.values)
        lines = configuration.repeated.get(key or "")
        if key is None or lines is None or (setting.kind.is_list and not setting.kind.takes_last):
            continue
        which = "last" if setting.kind.takes_last else "first"
        value = effective_value(setting, key, configuration)
        yield f"{key} is set {len(lines)} times with different values; the {which} is used ({value}): remove the others"


def _without_password(configuration: Configuration) -> Iterator[str]:
    """Report a REST user without a password: the server would refuse the login."""
    settings = {setting.keys: effective_key(setting, configuration.values) for setting in describe()}
    user, password, token = (settings[keys] for keys in _REST_LOGIN)
    if user is not None and password is None and token is None:
        yield f"{user} is set, but {_REST_LOGIN[1][0]} is not; set it, as in ${{env:NAME}}"


def _report_variables(configuration: Configuration) -> Iterator[str]:
    """Report values with an unexpanded variable. `${env:…}` and `${sys:…}` are reported as errors elsewhere."""
    for setting in describe():
        key = effective_key(setting, configuration.values)
        if key is None or setting.secret or setting.kind is PATTERNS:
            continue
        found = _VARIABLE.search(effective_text(setting, key, configuration.values, configuration.repeated))
        name = next(filter(None, found.groups()), "") if found else ""
        if found and not name.startswith(("env:", "sys:")):
            variable = mask_setting(key, found[0].lstrip(" \t:/@,="))
            yield f"{key} contains the unexpanded variable {variable}; write ${{env:{name or 'NAME'}}}, or its value"


def _quoted_or_invisible(configuration: Configuration) -> Iterator[str]:
    """Report values with quotes, and ASCII values with invisible characters, which are read as part of the value."""
    known = _known()
    for key, value in configuration.values.items():
        is_login = key.startswith(JAAS_PREFIX)
        if key not in known and not is_login and not key.startswith(_KAFKA_PREFIX):
            continue
        if (found := _QUOTES.search(value)) and not (is_login and value[0] == value[-1] == '"'):
            fix = 'write straight double quotes (")' if found.start() else "remove them"
            yield f"{key} contains quotes that are part of the value; {fix}"
        elif (hidden := invisible_in(value)) and "".join(each for each in value if not is_invisible(each)).isascii():
            yield f"{key} contains an invisible character ({hidden}); retype the value"


def effective_value(setting: Setting, key: str, configuration: Configuration) -> str:
    """Return the effective value of a key that is set, with secrets masked."""
    lines = configuration.repeated.get(key, ())
    text = effective_text(setting, key, configuration.values, configuration.repeated)
    if lines and setting.kind.takes_last:
        text = lines[-1]
    return MASK if setting.secret else mask_setting(key, text)
