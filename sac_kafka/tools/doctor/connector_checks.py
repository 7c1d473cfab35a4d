"""Find what is left of the Spark Atlas Connector for `sac-kafka doctor`: listeners, jars, keys of Cloudera's Spark."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from sac_kafka.settings.spark_atlas_connector import (
    JAR,
    LISTENERS,
    PACKAGES,
    OldListener,
    old_listeners,
    old_spark_keys,
)
from sac_kafka.spark.installation import spark_to_submit
from sac_kafka.transport.diagnostics.findings import Finding, Verdict

NAME = "connector"
_DEFAULTS = "spark-defaults.conf"
_PROPERTY = re.compile(r"((?:[^\s\\=:]|\\.)+)(?:\s*[=:]\s*|\s+)(.*)", re.DOTALL)
_JAR_LISTS = {"spark.jars": ",", "spark.yarn.dist.jars": ",", "spark.driver.extraClassPath": os.pathsep}
"""Keys of Spark with jars of the driver's class path, and their separator; so has the variable."""
_COORDINATES = "spark.jars.packages"
_VARIABLE = "SPARK_DIST_CLASSPATH"
_IN_JARS = tuple(package.replace(".", "/").encode() for package in PACKAGES)
_END_OF_JAR = 66_000
"""A jar ends with the position of its directory, and a comment of at most 65,535 bytes."""


def check_connector(conf: Mapping[str, str], properties_file: Path | None = None) -> Iterator[Finding]:
    """Check the configuration and the class path that spark-submit would use here."""
    spark = spark_to_submit()
    home = spark.home if spark is not None else None
    file = properties_file or _defaults_file(home)
    try:
        defaults = {} if file is None else _properties(file)
    except OSError as error:
        yield Finding(
            Verdict.WRONG, NAME, f"{file} cannot be read: {error.strerror or error}; name a file like {_DEFAULTS}"
        )
        return
    place = f"{file}, " if file is not None else ""
    all_of_them = {**defaults, **conf}
    jars = [*_jars(all_of_them), *_jars_of(os.environ.get(_VARIABLE, ""), os.pathsep, _VARIABLE)]
    jars += [(f"{home}/jars", jar) for jar in sorted(Path(home, "jars").glob("*.jar"))] if home else []
    found = [*_old_jars(jars), *_old_coordinates(all_of_them)]
    places = {key: "--conf " if key in conf else place for key in all_of_them}
    yield from findings_of(all_of_them, found, places)
    if not (found or old_listeners(all_of_them) or any(old_spark_keys(all_of_them))):
        looked = ", ".join(str(each) for each in (file, home and f"{home}/jars") if each)
        where = f" in {looked}" if looked else ": Spark not found here, only the options were checked"
        unread = f"; no {_DEFAULTS} was found: set SPARK_CONF_DIR to its folder" if looked and file is None else ""
        yield Finding(Verdict.GOOD, NAME, f"no listener and no jar of the Spark Atlas Connector{where}{unread}")


def findings_of(conf: Mapping[str, str], jars: Iterable[str], places: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for each setting and each jar of the connector.

    `jars` are descriptions of the connector's jars, `places` the text before each key.
    """
    jars = list(jars)
    for listener in old_listeners(conf):
        yield _finding_of(listener, places.get(listener.key, ""), has_jar=bool(jars))
    for sentence in old_spark_keys(conf):
        yield Finding(Verdict.DOUBT, NAME, f"{places.get(sentence.partition(' ')[0], '')}{sentence}")
    for jar in jars:
        yield Finding(Verdict.DOUBT, NAME, f"{jar} is the Spark Atlas Connector; remove it, after its listeners")


def _finding_of(each: OldListener, place: str, *, has_jar: bool) -> Finding:
    """Return what the connector's classes in a key do: with its jar both report, without it the job may fail."""
    text = f"{place}{each}: remove this; "
    if has_jar:
        return Finding(Verdict.DOUBT, NAME, f"{text}the Spark Atlas Connector reports each flow, too")
    is_harmless = each.key == [*LISTENERS][-1]
    verdict = Verdict.DOUBT if is_harmless else Verdict.WRONG
    return Finding(verdict, NAME, f"{text}without the connector's jar {LISTENERS[each.key]}")


# ---- Spark's configuration


def _defaults_file(home: Path | None) -> Path | None:
    """Return the file that spark-submit reads; None without one."""
    folder = os.environ.get("SPARK_CONF_DIR", "").strip() or (f"{home}/conf" if home else "")
    file = Path(folder, _DEFAULTS)
    return file if folder and file.exists() else None


def _properties(file: Path) -> dict[str, str]:
    """Return the settings of a file of Java properties, as spark-submit reads it. Raises OSError."""
    text = file.read_text("utf-8", errors="replace")
    lines = re.sub(r"(?<!\\)((?:\\\\)*)\\\n\s*", r"\1", text).splitlines()
    found = (_PROPERTY.fullmatch(line.strip()) for line in lines if not line.lstrip().startswith(("#", "!")))
    return {each[1]: each[2].strip() for each in found if each}


# ---- jars


def _jars(conf: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    for key, separator in _JAR_LISTS.items():
        yield from _jars_of(conf.get(key, ""), separator, key)


def _jars_of(text: str, separator: str, place: str) -> Iterator[tuple[str, Path]]:
    """Yield the jars of a class path or a list, those of `folder/*` too, with the place that names them."""
    for entry in filter(None, (each.strip() for each in text.split(separator))):
        path = Path(unquote(re.sub(r"^(?:file|local):/*(?=/)", "", entry)))
        yield from ((place, each) for each in ([path] if path.name != "*" else sorted(path.parent.glob("*.jar"))))


def _old_jars(jars: Iterable[tuple[str, Path]]) -> Iterator[str]:
    seen = set()
    for place, jar in jars:
        if jar not in seen and (JAR in jar.name or has_old_classes(jar)):
            yield f"{place}: {jar}"
        seen.add(jar)


def _old_coordinates(conf: Mapping[str, str]) -> Iterator[str]:
    for each in conf.get(_COORDINATES, "").split(","):
        if JAR in each:
            yield f"{_COORDINATES}: {each.strip()}"


def has_old_classes(jar: Path) -> bool:
    """Return whether the directory of a jar has classes of the connector; False if it cannot be read."""
    try:
        with jar.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _END_OF_JAR))
            end = file.read()
            at = end.rfind(b"PK\5\6")
            length, start = struct.unpack("<II", end[at + 12 : at + 20])
            file.seek(start)
            directory = file.read(length)
    except (OSError, struct.error):
        return False
    return any(package in directory for package in _IN_JARS)
