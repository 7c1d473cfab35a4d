"""A real Hadoop YARN as two local processes: a ResourceManager and one NodeManager on 127.0.0.1.

    with Yarn(Path("build/yarn")) as yarn:
        subprocess.run(["spark-submit", "--master", "yarn", …], env={**os.environ, **yarn.environment})
        yarn.report(application)["Final-State"]

The file system is the local one; containers are processes of this user, and their logs stay in the work folder. Used by
the tests. Everything it writes is in its work folder; it ends with the process that started it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import TracebackType
from xml.sax.saxutils import escape

from stack import process
from stack.errors import StackError
from stack.files import tail
from stack.jars import provide
from stack.java import Java, find_java
from stack.ports import LOOPBACK, free_port
from stack.rest import read_json

JARS = "yarn-3.4.1"
MEMORY_MB = 6144
START_TIMEOUT_SECONDS = 300
COMMAND_TIMEOUT_SECONDS = 300
STOP_TIMEOUT_SECONDS = 2
"""The node waits for applications that have just ended, much longer than its containers take to end."""
ENDED = ("FINISHED", "FAILED", "KILLED")
"""The states in which an application stays."""

_ANSWER_SECONDS = 5.0
_POLL_SECONDS = 0.1
_SERVERS = {
    "resourcemanager": "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
    "nodemanager": "org.apache.hadoop.yarn.server.nodemanager.NodeManager",
}
_CLIENT = "org.apache.hadoop.yarn.client.cli.ApplicationCLI"
_CLIENT_PORTS = ("", ".scheduler", ".resource-tracker", ".admin", ".webapp")
_NODE_PORTS = ("", ".localizer", ".webapp", ".collector-service")
# Its web pages are made by Guice, which reaches into java.lang.
_JAVA_OPTIONS = (
    *("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"),
    *("--add-opens", "java.base/java.lang=ALL-UNNAMED"),
)
_FIELD = re.compile(r"^\t([\w -]+?) : (.*)$", re.MULTILINE)
_LOG4J = """\
log4j.rootLogger=WARN,stdout
log4j.appender.stdout=org.apache.log4j.ConsoleAppender
log4j.appender.stdout.layout=org.apache.log4j.PatternLayout
log4j.appender.stdout.layout.ConversionPattern=%d{ISO8601} %p %c{1} %m%n
"""


class Yarn:
    """One cluster of one node; its ports are free ones.

    Args:
        work: The folder for configuration, containers and logs; what was in it before is removed at the start.
    """

    def __init__(self, work: Path) -> None:
        self.work = work.absolute()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._ports: dict[str, int] = {}

    @property
    def conf(self) -> Path:
        """The folder that HADOOP_CONF_DIR names."""
        return self.work / "conf"

    @property
    def environment(self) -> dict[str, str]:
        """What clients need."""
        return {"HADOOP_CONF_DIR": str(self.conf), "YARN_CONF_DIR": str(self.conf)}

    @property
    def url(self) -> str:
        """The web address of the ResourceManager."""
        return f"http://{LOOPBACK}:{self._ports['yarn.resourcemanager.webapp.address']}"

    def start(self, timeout_seconds: float = START_TIMEOUT_SECONDS) -> Yarn:
        """Start both servers, and return once the node has registered.

        Raises:
            StackError: No Java, no jars, or they do not come up (with the end of their logs).
        """
        shutil.rmtree(self.work, ignore_errors=True)
        self.conf.mkdir(parents=True)
        self._ports = dict(_free_ports())
        self._write_settings()
        for name, main_class in _SERVERS.items():
            self._processes[name] = process.start(self._java(main_class), self._log(name), self.work)
        try:
            self._wait_ready(timeout_seconds)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End both, and with the node all containers; nothing happens if they do not run."""
        for name in ("nodemanager", "resourcemanager"):
            running = self._processes.pop(name, None)
            if running is not None:
                process.stop(running, STOP_TIMEOUT_SECONDS)

    def report(self, application: str) -> dict[str, str]:
        """Return what `yarn application -status` says, as `State` and `Final-State`."""
        return dict(_FIELD.findall(self._command("application", "-status", application)))

    def wait_for_end(self, application: str, timeout_seconds: float) -> dict[str, str]:
        """Return the report once the application has ended.

        Raises:
            StackError: It has not within the time.
        """
        deadline = time.monotonic() + timeout_seconds
        while (report := self.report(application))["State"] not in ENDED:
            if time.monotonic() > deadline:
                raise StackError(f"{application} is {report['State']} after {timeout_seconds:.0f} s")
            time.sleep(_POLL_SECONDS)
        return report

    def kill_application(self, application: str) -> None:
        """Run `yarn application -kill`."""
        self._command("application", "-kill", application)

    def container_logs(self, application: str, name: str = "stderr") -> list[Path]:
        """Return a log of each container of an application, the driver of the first attempt first."""
        return sorted((self.work / "logs" / application).glob(f"*/{name}"))

    def __enter__(self) -> Yarn:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @cached_property
    def _java_and_class_path(self) -> tuple[Java, str]:
        return find_java(), provide(JARS).class_path

    def _java(self, main_class: str, *arguments: str) -> list[str]:
        java, jars = self._java_and_class_path
        return [str(java.path), *_JAVA_OPTIONS, "-cp", f"{self.conf}{os.pathsep}{jars}", main_class, *arguments]

    def _command(self, *arguments: str) -> str:
        """Run `yarn ARGUMENTS` and return what it prints."""
        done = subprocess.run(
            self._java(_CLIENT, *arguments),
            check=False,
            capture_output=True,
            text=True,
            timeout=COMMAND_TIMEOUT_SECONDS,
        )
        if done.returncode != 0:
            raise StackError(f"yarn {' '.join(arguments)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def _log(self, name: str) -> Path:
        return self.work / f"{name}.log"

    def _write_settings(self) -> None:
        core = {"fs.defaultFS": "file:///", "hadoop.tmp.dir": str(self.work / "tmp")}
        addresses = {key: f"{LOOPBACK}:{port}" for key, port in self._ports.items()}
        java, _ = self._java_and_class_path
        (self.conf / "core-site.xml").write_text(site(core))
        (self.conf / "yarn-site.xml").write_text(site({**addresses, **_settings(self.work, java.home)}))
        (self.conf / "log4j.properties").write_text(_LOG4J)

    def _wait_ready(self, timeout_seconds: float) -> None:
        deadline = time.monotonic() + timeout_seconds
        while self._active_nodes() != 1:
            ended = [name for name, running in self._processes.items() if running.poll() is not None]
            if ended or time.monotonic() > deadline:
                logs = "\n".join(
                    f"The end of {self._log(name)}:\n{tail(self._log(name))}" for name in ended or _SERVERS
                )
                raise StackError(f"YARN did not come up within {timeout_seconds:.0f} s. {logs}")
            time.sleep(_POLL_SECONDS)

    def _active_nodes(self) -> int:
        try:
            answer = read_json(f"{self.url}/ws/v1/cluster/metrics", _ANSWER_SECONDS)
            return int(answer.get("clusterMetrics", answer)["activeNodes"])  # some builds leave the kind out
        except (OSError, ValueError, KeyError):
            return 0


def site(settings: Mapping[str, str]) -> str:
    r"""Return the text of a configuration file of Hadoop.

    >>> site({"a": "<b>"})
    '<configuration>\\n<property><name>a</name><value>&lt;b&gt;</value></property>\\n</configuration>\\n'
    """
    rows = "\n".join(
        f"<property><name>{escape(key)}</name><value>{escape(value)}</value></property>"
        for key, value in settings.items()
    )
    return f"<configuration>\n{rows}\n</configuration>\n"


def application_of(text: str) -> str | None:
    """Return the id of the application that `spark-submit` speaks of, None where it names none yet.

    >>> application_of("Submitted application application_1763750000000_0042")
    'application_1763750000000_0042'
    """
    found = re.search(r"application_\d+_\d+", text)
    return found and found[0]


def _free_ports() -> Iterator[tuple[str, int]]:
    taken: set[int] = set()
    keys = [f"yarn.resourcemanager{kind}.address" for kind in _CLIENT_PORTS]
    for key in [*keys, *(f"yarn.nodemanager{kind}.address" for kind in _NODE_PORTS)]:
        port = free_port(frozenset(taken))
        taken.add(port)
        yield key, port


def _settings(work: Path, java_home: Path) -> dict[str, str]:
    """Return what differs from YARN's defaults, without addresses."""
    return {
        "yarn.nodemanager.local-dirs": str(work / "local"),
        "yarn.nodemanager.log-dirs": str(work / "logs"),
        "yarn.nodemanager.resource.memory-mb": str(MEMORY_MB),
        "yarn.nodemanager.resource.cpu-vcores": "8",  # as many as containers want: the tests' machine has two cores
        "yarn.nodemanager.vmem-check-enabled": "false",
        "yarn.nodemanager.pmem-check-enabled": "false",
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99.5",
        "yarn.nodemanager.admin-env": f"JAVA_HOME={java_home}",
        "yarn.scheduler.minimum-allocation-mb": "128",
        "yarn.scheduler.capacity.root.queues": "default",
        "yarn.scheduler.capacity.root.default.capacity": "100",
        "yarn.scheduler.capacity.maximum-am-resource-percent": "1.0",
        "yarn.application.classpath": "",  # there is no other Hadoop than Spark's own
        # Heartbeats by which containers are given and started: a second each by default.
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "100",
        # Containers whose cluster was killed do not look for it for a quarter of an hour.
        "yarn.resourcemanager.connect.max-wait.ms": "20000",
        "yarn.resourcemanager.connect.retry-interval.ms": "500",
    }
