"""Build the jars in `sac_kafka/spark/classes/`: the hook's Java classes, compiled by javac 17 for Java 8.

    python -m dev.java_classes PYSPARK …

Each PYSPARK is the installed package of one Spark, for example build/venv-4.3.0/lib/python3.11/site-packages/pyspark; its Scala
version names the jar `scala-*.jar`. The classes in `java/driver/` use neither Scala nor Kafka, and have copies of two classes of
`java/launching/`; their jar, `sac-kafka-driver.jar`, serves all drivers. The same sources and Spark give the same bytes. The jars
contain the digest of the sources (`sources.sha256`), the first ones also what their classes use of Spark, Scala and Kafka
(`links/PACKAGE.txt`, read by `Linkage.java`).
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
from collections.abc import Iterator, Mapping
from pathlib import Path

from sac_kafka.spark.java_classes import archive, driver_archive
from stack import jars
from stack.java import find_java

JAVAC = 17
JAVA = Path(__file__).resolve().parents[1] / "sac_kafka" / "spark" / "java"
KAFKA = "spark-kafka-3.5.7"
DIGEST = "sources.sha256"
_DRIVER = "sackafka/driver/"
_SHARED = ("Contexts.java", "Visit.java")
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
            (archive(scala_of(pyspark)), for_scala(classes)),
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


def compile_for(pyspark: Path) -> dict[str, bytes]:
    """Return the class files of all sources, compiled for an installed Spark."""
    compiler = javac()
    if compiler is None:
        sys.exit(f"javac {JAVAC} is needed, because another one gives other bytes: set JAVA_HOME to a JDK {JAVAC}")
    class_path = os.pathsep.join((f"{pyspark}/jars/*", jars.provide(KAFKA).class_path))
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


def for_scala(classes: Mapping[str, bytes]) -> bytes:
    """Return the jar of the classes that a hook loads."""
    classes = {name: code for name, code in classes.items() if not name.startswith(_DRIVER)}
    links: dict[str, set[str]] = {}
    for name, code in classes.items():
        links.setdefault(name.rpartition("/")[0].replace("/", "."), set()).update(links_of(code))
    lists = {
        f"links/{package}.txt": "".join(f"{link}\n" for link in sorted(of)).encode() for package, of in links.items()
    }
    return _zipped({**classes, **lists, DIGEST: digest_of_sources().encode()})


def digest_of_sources() -> str:
    """Return the SHA-256 of all Java sources with their names."""
    digest = hashlib.sha256()
    for path in sorted(JAVA.rglob("*.java")):
        digest.update(f"{path.relative_to(JAVA).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def links_of(code: bytes) -> Iterator[str]:
    """Yield what a class file refers to outside of the JDK and the hook: classes, fields and methods, a line each."""
    pool = _constant_pool(code)

    def text(at: int) -> str:
        entry = pool[at]
        return str(entry[1]) if entry[0] == _TEXT else text(int(entry[1]))

    for tag, *parts in pool.values():
        if tag == _CLASS:
            owner, rest = text(int(parts[0])), ""
        elif tag in _KINDS:
            owner = text(int(parts[0]))
            _, name, descriptor = pool[int(parts[1])]
            rest = f" {text(int(name))} {text(int(descriptor))}"
        else:
            continue
        if not owner.startswith(("[", *_OWN)):
            yield f"{_KINDS.get(tag, 'class')} {owner.replace('/', '.')}{rest}"


def _constant_pool(code: bytes) -> dict[int, tuple[int | str, ...]]:
    """Return the entries by index: the tag, then a text or the indexes of other entries."""
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
    return found


def _zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for name in sorted(files):
            out.writestr(zipfile.ZipInfo(name, _TIME), files[name], zipfile.ZIP_DEFLATED, 9)
    return made.getvalue()


if __name__ == "__main__":
    main()
