"""The ways to bring jars from a Maven repository into a folder; `stack.jars` tries them in turn and checks every byte.

Plain HTTP goes only to an address that the user has given (MAVEN_REPOSITORY_URL, or a mirror in ~/.m2/settings.xml).
The default repository is used only through the clients that know it: Maven, and the Ivy that PySpark carries.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from stack import clients
from stack.errors import FetchError, StackError
from stack.jar_list import Jar
from stack.java import find_java
from stack.trust import options_of_java

HTTP_TIMEOUT_SECONDS = 60
HTTP_ATTEMPTS = 3
CLIENT_TIMEOUT_SECONDS = 600

Way = Callable[[Sequence[Jar], Path], None]


def by_http(jars: Sequence[Jar], folder: Path) -> None:
    """Download each jar from the repository that the user has named."""
    base = repository_address()
    for jar in jars:
        address = f"{base}/{jar.repository_path}"
        (folder / jar.file_name).write_bytes(_download(address, jar.size))


def by_mvn(jars: Sequence[Jar], folder: Path) -> None:
    """Let Maven copy the jars; it honours the whole of settings.xml."""
    mvn = shutil.which("mvn")
    if mvn is None:
        raise FetchError("mvn is not on the PATH")
    pom = folder / "pom.xml"
    pom.write_text(flat_pom(jars))
    options = ["-DincludeScope=runtime", f"-DoutputDirectory={folder}"]
    _run([mvn, "-B", "-q", "-f", str(pom), "dependency:copy-dependencies", *options])


def by_ivy(jars: Sequence[Jar], folder: Path) -> None:
    """Let the Ivy inside the installed PySpark retrieve the jars: needs Java only."""
    pom = folder / "pom.xml"  # Ivy reads a POM only under this very name
    pom.write_text(flat_pom(jars))
    try:
        java = find_java()
    except StackError as error:
        raise FetchError(str(error).partition("\n")[0]) from error
    trust = options_of_java(folder) if java.is_fetched else []
    command = [str(java.path), *trust, "-jar", str(ivy_jar()), "-warn", "-cache", str(folder / "ivy"), "-ivy", str(pom)]
    _run([*command, "-confs", "runtime", "-retrieve", f"{folder}/[artifact]-[revision].[ext]"])


WAYS: Mapping[str, Way] = {"http": by_http, "mvn": by_mvn, "ivy": by_ivy}


def flat_pom(jars: Sequence[Jar]) -> str:
    """Return a POM that names every jar and nothing transitive."""
    nothing = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
    rows = "\n".join(
        f"<dependency><groupId>{jar.group}</groupId><artifactId>{jar.artifact}</artifactId>"
        f"<version>{jar.version}</version><type>{jar.packaging}</type>{nothing}</dependency>"
        for jar in jars
    )
    return (
        "<project><modelVersion>4.0.0</modelVersion>"
        "<groupId>stack</groupId><artifactId>jars</artifactId><version>1</version>\n"
        f"<dependencies>\n{rows}\n</dependencies></project>\n"
    )


def repository_address() -> str:
    """Return the address of the repository that the user has named, without a slash at its end."""
    address = os.environ.get("MAVEN_REPOSITORY_URL") or _mirror(Path.home() / ".m2" / "settings.xml")
    if not address:
        raise FetchError("no address: MAVEN_REPOSITORY_URL is not set and ~/.m2/settings.xml names no mirror")
    if not address.startswith(("http://", "https://")):
        raise FetchError(f"the repository address {address!r} is neither http:// nor https://")
    return address.rstrip("/")


def ivy_jar() -> Path:
    """Find the Ivy jar of the installed PySpark (or of SPARK_HOME) without importing pyspark."""
    spec = importlib.util.find_spec("pyspark")
    roots = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    if home := os.environ.get("SPARK_HOME"):
        roots.append(Path(home))
    for root in roots:
        if found := sorted(root.glob("jars/ivy-*.jar")):
            return found[-1]
    raise FetchError("no Ivy: PySpark is not installed in this Python and SPARK_HOME names none")


def _mirror(settings: Path) -> str | None:
    """Return the mirror of the central repository in Maven's settings, else None."""
    if not settings.is_file():
        return None
    try:
        root = ElementTree.parse(settings).getroot()
    except ElementTree.ParseError as error:
        raise FetchError(f"{settings} is not XML: {error}") from error
    for mirror in root.iterfind(".//{*}mirror"):
        covers = {name.strip() for name in (mirror.findtext("{*}mirrorOf") or "").split(",")}
        address = (mirror.findtext("{*}url") or "").strip()
        if address and "!central" not in covers and covers & {"*", "central", "external:*"}:
            return address
    return None


def _download(address: str, size: int) -> bytes:
    """Read at most one byte more than expected: a wrong answer shows in the check, however long it is."""
    for attempt in range(1, HTTP_ATTEMPTS + 1):
        try:
            with urllib.request.urlopen(address, timeout=HTTP_TIMEOUT_SECONDS) as answer:
                data: bytes = answer.read(size + 1)
                return data
        except urllib.error.HTTPError as error:
            error.close()
            if error.code < 500 or attempt == HTTP_ATTEMPTS:
                raise FetchError(f"{address}: HTTP {error.code} {error.reason}") from error
        except OSError as error:
            if attempt == HTTP_ATTEMPTS:
                raise FetchError(f"{address}: {error}") from error
        time.sleep(attempt)
    raise AssertionError("unreachable: the last attempt returns or raises")


def _run(command: Sequence[str]) -> None:
    program = Path(command[0]).name
    clients.run(command, program, CLIENT_TIMEOUT_SECONDS, shown_lines=slice(3))
