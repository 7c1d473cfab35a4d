"""A process with the original classes, Atlas' reader of properties and Kafka's reader of logins, called through our filter."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

import pyspark

from stack import compiling
from stack.errors import StackError
from stack.jars import KAFKA, provide
from stack.java import find_java

ATLAS = "atlas-judge-2.4.0"
SOURCES = (Path(__file__).parent / "Originals.java",)
COMPILED = Path(__file__).resolve().parents[5] / "build" / "originals"
OPTIONS = ("-Xss8m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
TIMEOUT_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of an original class to a request: `texts` of what it read, or the class of its exception in `refused`."""

    texts: tuple[str, ...] = ()
    refused: str | None = None

    def pairs(self, start: int = 0) -> dict[str, str]:
        return dict(zip(self.texts[start::2], self.texts[start + 1 :: 2], strict=True))


class Originals:
    """One running process. Used by one thread at a time."""

    def __init__(self, folder: Path, system: dict[str, str], environment: dict[str, str]) -> None:
        java = find_java().path
        # Kafka's newest client first: Atlas brings an old one along
        client = next(jar for jar in provide(KAFKA).class_path.split(os.pathsep) if "kafka-clients" in jar)
        # Spark's Hadoop: of that which Atlas' classes were built with the list has one jar, too little for a login
        hadoop = sorted(str(jar) for jar in Path(pyspark.__file__).parent.glob("jars/hadoop-client-*.jar"))
        jars = os.pathsep.join((client, *hadoop, provide(ATLAS).class_path))
        classes = compiling.compiled("the originals", SOURCES, COMPILED, java=java, class_path=jars)
        properties = [f"-D{name}={value}" for name, value in system.items()]
        self._process = subprocess.Popen(
            [str(java), *OPTIONS, *properties, "-cp", f"{classes}{os.pathsep}{jars}", "Originals"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment},
            text=True,
            encoding="ascii",
        )
        empty = folder / "empty.properties"
        empty.write_text("")
        self._ask("defaults", str(folder), empty.name)

    def properties(self, file: Path) -> Answer:
        return self._ask("properties", str(file.parent), file.name)

    def section(self, file: Path) -> Answer:
        return self._ask("section", str(file.parent), file.name)

    def jaas(self, text: str) -> Answer:
        return self._ask("jaas", text)

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(TIMEOUT_SECONDS)
        self._process.stdout.close()

    def _ask(self, what: str, *texts: str) -> Answer:
        assert self._process.stdin
        assert self._process.stdout
        watch = threading.Timer(TIMEOUT_SECONDS, self._process.kill)
        watch.start()
        try:
            packed = (base64.b64encode(text.encode()).decode() or "-" for text in texts)
            self._process.stdin.write(" ".join((what, *packed)) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline().split()
        finally:
            watch.cancel()
        if not answer:
            raise StackError(f"the originals have ended over {what} {texts!r}")
        if answer[0] == "refused":
            return Answer(refused=answer[1])
        return Answer(tuple(map(_unpacked, answer[1:])))


def _unpacked(digits: str) -> str:
    return "" if digits == "-" else bytes.fromhex(digits).decode("utf-16-be", "surrogatepass")
