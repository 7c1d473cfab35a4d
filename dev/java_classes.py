"""Build the jars in `sac_kafka/spark/classes/`: the hook's Java classes, compiled by javac 17 for Java 8.

    python -m dev.java_classes PYSPARK …

Each PYSPARK is the installed package of one Spark, for example build/venv-4.3.0/lib/python3.11/site-packages/pyspark; its Scala
version names the jar `scala-*.jar`. The classes in `java/driver/` use neither Scala nor Kafka, and have copies of classes of
`java/launching/`; their jar, `sac-kafka-driver.jar`, serves all drivers. The same sources and Spark give the same bytes. The jars
contain the digest of the sources (`sources.sha256`), the first ones also what their classes use of Spark, Scala and Kafka, with
the checksums of these classes (`links/PACKAGE.txt`, read by `Linkage.java`).
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sac_kafka.spark.java_classes import archive, driver_archive
from stack import jars
from stack.java import find_java

JAVAC = 17
JAVA = Path(__file__).resolve().parents[1] / "sac_kafka" / "spark" / "java"
KAFKA = "spark-kafka-3.5.7"
DIGEST = "sources.sha256"
_DRIVER = "sackafka/driver/"
_SHARED = ("Contexts.java", "Log.java", "UnreadEvents.java", "Visit.java")
"""Sources in `java/launching/` that are compiled into the package of `java/driver/`, too: two class loaders use them."""
_TIME = (1980, 1, 1, 0, 0, 0)
_OWN = ("java/", "javax/", "sackafka/")
"""Packages that every driver has."""
_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
"""Bytes of an entry of the constant pool by its tag; a UTF-8 text (1) has its own length (JVM specification, 4.4)."""
_TEXT, _CLASS, _FIELD, _METHOD, _INTERFACE_METHOD, _WIDE = 1, 7, 9, 10, 11, (5, 6)
_KINDS = {_FIELD: "field", _METHOD: "method", _INTERFACE_METHOD: "method"}


def main() -> None:
    """Write the jars."""
    for pyspark in map(Path, sys.argv[1:]):
        classes = compile_for(pyspark)
        for path, content in (
            (archive(scala_of(pyspark)), for_scala(classes, Libraries(pyspark))),
            (driver_archive(), for_driver(classes)),
        ):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            sys.stdout.write(f"{path}\n")


def scala_of(pyspark: Path) -> str:
    """Return the binary Scala version of an installed Spark, such as 2.13."""
    (library,) = (pyspark / "jars").glob("scala-library-*.jar")
    return str(re.findall(r"\d+\.\d+", library.name)[0])


def javac() -> Path | None:
    """Return the compiler; None if this machine has none of the version that the jars are built by."""
    compiler = find_java().path.with_name("javac")
    if not compiler.exists():
        return None
    version = subprocess.run([str(compiler), "-version"], capture_output=True, text=True, check=True).stdout
    return compiler if version.startswith(f"javac {JAVAC}.") else None


def libraries_of(pyspark: Path) -> list[Path]:
    """Return the jars of Spark, Scala and Kafka that the sources are compiled for."""
    return [*sorted((pyspark / "jars").glob("*.jar")), *map(Path, jars.provide(KAFKA).class_path.split(os.pathsep))]


def compile_for(pyspark: Path) -> dict[str, bytes]:
    """Return the class files of all sources, compiled for an installed Spark."""
    compiler = javac()
    if compiler is None:
        sys.exit(f"javac {JAVAC} is needed, because another one gives other bytes: set JAVA_HOME to a JDK {JAVAC}")
    class_path = os.pathsep.join(map(str, libraries_of(pyspark)))
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as copies:
        for name in _SHARED:
            text = (JAVA / "launching" / name).read_text("utf-8")
            Path(copies, name).write_text(
                text.replace("package sackafka.launching;", "package sackafka.driver;"), "utf-8"
            )
        options = (
            "--release",
            "8",
            "-nowarn",
            "-proc:none",
            "-Xlint:none",
            "-XDsuppressNotes",
            "-d",
            folder,
            "-cp",
            class_path,
        )
        subprocess.run(
            [str(compiler), *options, *map(str, sorted([*JAVA.rglob("*.java"), *Path(copies).iterdir()]))], check=True
        )
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in Path(folder).rglob("*.class")}


def for_driver(classes: Mapping[str, bytes]) -> bytes:
    """Return the jar for drivers that start no Python."""
    own = {name: code for name, code in classes.items() if name.startswith(_DRIVER)}
    return _zipped({**own, DIGEST: digest_of_sources().encode()})


def for_scala(classes: Mapping[str, bytes], libraries: Libraries) -> bytes:
    """Return the jar of the classes that a hook loads."""
    classes = {name: code for name, code in classes.items() if not name.startswith(_DRIVER)}
    links: dict[str, set[str]] = {}
    for name, code in classes.items():
        links.setdefault(name.rpartition("/")[0].replace("/", "."), set()).update(links_of(code))
    lists = {
        f"links/{package}.txt": "".join(
            f"{link}\n"
            for link in [*libraries.classes_of(of), *sorted(each for each in of if not each.startswith("class "))]
        ).encode()
        for package, of in links.items()
    }
    return _zipped({**classes, **lists, DIGEST: digest_of_sources().encode()})


def digest_of_sources() -> str:
    """Return the SHA-256 of all Java sources with their names."""
    digest = hashlib.sha256()
    for path in sorted(JAVA.rglob("*.java")):
        digest.update(f"{path.relative_to(JAVA).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()


class Libraries:
    """The classes of an installed Spark, and of Kafka, by name."""

    def __init__(self, pyspark: Path) -> None:
        self._jars: dict[str, zipfile.ZipFile] = {}
        for jar in map(zipfile.ZipFile, libraries_of(pyspark)):
            self._jars.update(dict.fromkeys(jar.namelist(), jar))

    def classes_of(self, links: Iterable[str]) -> list[str]:
        """Return a line per class that has a link, and per supertype of these: its checksum and all its supertypes."""
        above = {link.split()[1]: self._above(link.split()[1]) for link in links}
        above |= {name: self._above(name) for names in above.values() for name in names}
        return sorted(" ".join(("class", name, f"{self._file(name)[0]:x}", *above[name])) for name in above)

    def _above(self, name: str) -> tuple[str, ...]:
        """Return all supertypes of a class outside of the JDK."""
        direct = [each for each in supertypes_of(self._file(name)[1]) if not each.replace(".", "/").startswith(_OWN)]
        return tuple(sorted({*direct, *(each for one in direct for each in self._above(one))}))

    def _file(self, name: str) -> tuple[int, bytes]:
        file = f"{name.replace('.', '/')}.class"
        jar = self._jars[file]
        return jar.getinfo(file).CRC, jar.read(file)


def links_of(code: bytes) -> Iterator[str]:
    """Yield what a class file refers to outside of the JDK and the hook: classes, fields and methods, a line each."""
    pool, _ = _constant_pool(code)
    for tag, *parts in pool.values():
        if tag == _CLASS:
            owner, rest = _text(pool, parts[0]), ""
        elif tag in _KINDS:
            owner = _text(pool, parts[0])
            _, name, descriptor = pool[int(parts[1])]
            rest = f" {_text(pool, name)} {_text(pool, descriptor)}"
        else:
            continue
        if not owner.startswith(("[", *_OWN)):
            yield f"{_KINDS.get(tag, 'class')} {owner.replace('/', '.')}{rest}"


def supertypes_of(code: bytes) -> list[str]:
    """Return the superclass and the interfaces of a class file."""
    pool, end = _constant_pool(code)
    above, count = struct.unpack_from(">HH", code, end + 4)
    named = (above, *struct.unpack_from(f">{count}H", code, end + 8))
    return [_text(pool, each).replace("/", ".") for each in named if each]


_Pool = dict[int, tuple[int | str, ...]]


def _text(pool: _Pool, at: int | str) -> str:
    tag, first, *_ = pool[int(at)]
    return str(first) if tag == _TEXT else _text(pool, first)


def _constant_pool(code: bytes) -> tuple[_Pool, int]:
    """Return the entries by index, the tag and then a text or the indexes of other entries; and where they end."""
    (count,) = struct.unpack_from(">H", code, 8)
    found: dict[int, tuple[int | str, ...]] = {}
    at, index = 10, 1
    while index < count:
        tag = code[at]
        if tag == _TEXT:
            (length,) = struct.unpack_from(">H", code, at + 1)
            found[index] = (tag, code[at + 3 : at + 3 + length].decode("utf-8", "replace"))
            at += 3 + length
        else:
            size = _SIZES[tag]
            found[index] = (tag, *struct.unpack_from(f">{size // 2}H", code, at + 1))
            at += 1 + size
        index += 2 if tag in _WIDE else 1
    return found, at


def _zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name in sorted(files):
            out.writestr(zipfile.ZipInfo(name, _TIME), files[name], zipfile.ZIP_DEFLATED, 9)
    return made.getvalue()


if __name__ == "__main__":
    main()
