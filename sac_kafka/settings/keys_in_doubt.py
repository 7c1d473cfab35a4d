"""What is said of a configuration's keys, whatever their values: unknown, lost, set twice, or written as Spark's own.

It is said before the values are read, because the first wrong value ends that, and a misspelt key may be the cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sac_kafka.config.declaring import Setting, key_in_force, text_in_force
from sac_kafka.config.reading import Configuration, lost_line, without_effect
from sac_kafka.config.secrets import MASK, masked
from sac_kafka.config.unknown_keys import disguised, prefixed, unknown_keys
from sac_kafka.config.values import PATTERNS
from sac_kafka.settings import describe

_ENABLED = "atlas.spark.enabled"
_OF_KAFKA = "atlas.kafka."
_BARE_OF_KAFKA = re.compile(r"(?:kafka\.)?(bootstrap\.servers|security\.protocol|(?:sasl|ssl)\.[a-z.]{1,60})")
"""Settings of Kafka as its own files have them: in ours they stand below `atlas.kafka.`."""
_BARE_LOGIN = re.compile(r"jaas\.KafkaClient\.")
_VARIABLE = re.compile(r"(?:^|[\s:/@,=])(?:\$\{([^{}]*)\}|\$\(([A-Za-z_]\w*)\)|\$([A-Za-z_]\w*)|%([A-Z_][A-Z0-9_]*)%)")
"""A variable of a shell, a template or a batch file, as it stands where nobody has replaced it."""
_REST_LOGIN = (
    ("atlas.rest.basic.auth.username", "atlas.client.username"),
    ("atlas.rest.basic.auth.password", "atlas.client.password"),
    ("atlas.hook.spark.rest.token",),
)


def keys_in_doubt(configuration: Configuration) -> tuple[str, ...]:
    """Give a sentence for each key that is hardly meant as it stands; none where the hook is switched off.

    Of Kafka's client those without their prefix are: what stands below it is not known here.
    """
    if configuration.values.get(_ENABLED, "").strip().lower() == "false":
        return ()
    doubts = (
        *_unknown(configuration),
        *_repeated(configuration),
        *_without_password(configuration),
        *_unexpanded(configuration),
    )
    placed = (configuration.places.placed(each) for each in doubts)
    return (*_bare(configuration), *_disguised(configuration), *_lost(configuration), *placed)


def _unknown(configuration: Configuration) -> Iterator[str]:
    for key in configuration.prefixed:
        plain = key.removeprefix("spark.")
        yield f"{configuration.origins[key]}: {key} counts as {plain}; in this file keys stand without spark."
    known = _known()
    keys = [key for key in configuration.values if disguised(key, known) is None]
    for key, meant in unknown_keys(keys, known).items():
        hint = f"; did you mean {meant}?" if meant else ""
        yield f"{configuration.origins.get(key, configuration.source)}: unknown setting {key} has no effect{hint}"


def _disguised(configuration: Configuration) -> Iterator[str]:
    """Report keys that look like ours, and differ by their case, quotes, or invisible characters."""
    known = _known()
    for key in sorted(configuration.values):
        if (meant := disguised(key, known)) is not None:
            yield f"{configuration.origins.get(key, configuration.source)}: {without_effect(key, meant)}"


def _lost(configuration: Configuration) -> Iterator[str]:
    """Report lines of the file that would set a key of ours, and set nothing."""
    known = _known()
    for line in configuration.lost:
        if line.key.lower().startswith(("atlas.", "spark.atlas.")) or line.key in known:
            yield f"{line.origin}: {lost_line(line)}"


def _bare(configuration: Configuration) -> Iterator[str]:
    """Settings without what has to stand before them, unless the one that is meant is set, too."""
    known = _known()
    for key in sorted(configuration.values):
        if key.startswith(("atlas.", "spark.atlas.")) or key in known or disguised(key, known):
            continue
        found = _BARE_OF_KAFKA.fullmatch(key)
        meant = (
            f"{_OF_KAFKA}{found[1]}" if found else f"atlas.{key}" if _BARE_LOGIN.match(key) else prefixed(key, known)
        )
        if meant and meant not in configuration.values:
            where = configuration.origins.get(key, configuration.source)
            yield f"{where}: {key} has no effect; did you mean {meant}?"


def _known() -> tuple[str, ...]:
    return tuple(key for each in describe() for key in each.keys)


def _repeated(configuration: Configuration) -> Iterator[str]:
    """Keys that take one value and are set to several."""
    for setting in describe():
        key = key_in_force(setting, configuration.values)
        lines = configuration.repeated.get(key or "")
        if key is None or lines is None or (setting.kind.is_list and not setting.kind.takes_last):
            continue
        which = "last" if setting.kind.takes_last else "first"
        shown = value_in_force(setting, key, configuration)
        yield f"{key} is set {len(lines)} times, with different values; the {which} counts ({shown}): remove the others"


def _without_password(configuration: Configuration) -> Iterator[str]:
    """A user of REST who has none: the server will refuse the log-in."""
    settings = {setting.keys: key_in_force(setting, configuration.values) for setting in describe()}
    user, password, token = (settings[keys] for keys in _REST_LOGIN)
    if user is not None and password is None and token is None:
        yield f"{user} is set, but {_REST_LOGIN[1][0]} is not; set it, as in ${{env:NAME}}"


def _unexpanded(configuration: Configuration) -> Iterator[str]:
    """Report values that hold a variable which nobody has replaced. `${env:…}` and `${sys:…}` are errors of their own."""
    for setting in describe():
        key = key_in_force(setting, configuration.values)
        if key is None or setting.secret or setting.kind is PATTERNS:
            continue
        found = _VARIABLE.search(text_in_force(setting, key, configuration.values, configuration.repeated))
        name = next(filter(None, found.groups()), "") if found else ""
        if found and not name.startswith(("env:", "sys:")):
            shown = masked(key, found[0].lstrip(" \t:/@,="))
            yield f"{key} holds {shown}, a variable that nothing has replaced; write ${{env:{name or 'NAME'}}}, or its value"


def value_in_force(setting: Setting, key: str, configuration: Configuration) -> str:
    """Give what counts under a key that is set, as it may be shown."""
    lines = configuration.repeated.get(key, ())
    text = text_in_force(setting, key, configuration.values, configuration.repeated)
    if lines and setting.kind.takes_last:
        text = lines[-1]
    return MASK if setting.secret else masked(key, text)
