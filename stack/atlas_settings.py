"""The files that configure the Atlas server: graph in BerkeleyDB, index in Solr, Kafka outside, one user in a file.

Pure but for `write_home`. The settings are those of Atlas 2.1.0 (`org.apache.atlas.AtlasConfiguration` and the
atlas-application.properties of its documentation).
"""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

from stack.errors import StackError
from stack.files import write_private
from stack.ports import LOOPBACK
from stack.properties import atlas_properties, java_properties
from stack.web_application import SOLR_CONFIGURATION

SOLR_CORES = ("vertex_index", "edge_index", "fulltext_index")
HOOK_GROUP = "atlas"
"""The consumer group in which the server reads ATLAS_HOOK; its committed offset is its progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtlasLayout:
    """Where a server finds and keeps its things, and whom it talks to."""

    home: Path
    bind_host: str
    http_port: int
    solr_port: int
    kafka_bootstrap: str
    user: str
    password: str

    @property
    def conf(self) -> Path:
        """The folder of the configuration files (`atlas.conf`)."""
        return self.home / "conf"

    @property
    def data(self) -> Path:
        """The folder of the graph (`atlas.data`)."""
        return self.home / "data"

    @property
    def logs(self) -> Path:
        """The folder of the logs (`atlas.log.dir`)."""
        return self.home / "logs"

    @property
    def models(self) -> Path:
        """The folder of the type definitions that the server loads at its start."""
        return self.home / "models"

    @property
    def solr(self) -> Path:
        """Solr's home: its cores, each with configuration and index."""
        return self.home / "solr"


def application_properties(layout: AtlasLayout) -> dict[str, str]:
    """Return the server's atlas-application.properties."""
    return {
        "atlas.graph.storage.backend": "berkeleyje",
        "atlas.graph.storage.directory": str(layout.data / "graph"),
        "atlas.graph.storage.lock.wait-time": "10000",
        "atlas.graph.storage.transactions": "true",
        "atlas.graph.index.search.backend": "solr",
        "atlas.graph.index.search.solr.mode": "http",
        "atlas.graph.index.search.solr.http-urls": f"http://{LOOPBACK}:{layout.solr_port}/solr",
        "atlas.graph.index.search.max-result-set-size": "1000",
        "atlas.EntityAuditRepository.impl": "org.apache.atlas.repository.audit.InMemoryEntityAuditRepository",
        "atlas.search.gremlin.enable": "false",
        "atlas.notification.embedded": "false",
        "atlas.notification.create.topics": "false",  # Atlas would ask a ZooKeeper; the stack makes them
        "atlas.notification.consumer.retry.interval": "500",
        "atlas.notification.log.failed.messages": "true",
        "atlas.kafka.bootstrap.servers": layout.kafka_bootstrap,
        "atlas.kafka.zookeeper.connect": f"{LOOPBACK}:1",  # mandatory, and never used
        "atlas.kafka.hook.group.id": HOOK_GROUP,
        "atlas.kafka.enable.auto.commit": "false",
        "atlas.kafka.auto.offset.reset": "earliest",
        "atlas.kafka.session.timeout.ms": "30000",
        "atlas.kafka.poll.timeout.ms": "1000",
        "atlas.kafka.max.poll.interval.ms": "3600000",  # a wide table takes minutes, and then is not to be read once more
        "atlas.server.bind.address": layout.bind_host,
        "atlas.server.http.port": str(layout.http_port),
        "atlas.rest.address": f"http://{LOOPBACK}:{layout.http_port}",
        "atlas.enableTLS": "false",
        "atlas.server.ha.enabled": "false",
        "atlas.webserver.minthreads": "4",
        "atlas.webserver.maxthreads": "16",
        "atlas.authentication.method.kerberos": "false",
        "atlas.authentication.method.ldap.type": "none",
        "atlas.authentication.method.file": "true",
        "atlas.authentication.method.file.filename": str(layout.conf / "users-credentials.properties"),
        "atlas.authorizer.impl": "none",
        "atlas.rest-csrf.enabled": "false",
    }


def log_properties(layout: AtlasLayout) -> dict[str, str]:
    """Return the log4j settings: application.log for everything, failed.log for the messages that were dropped."""
    return {
        "log4j.rootLogger": "WARN,APPLICATION",
        "log4j.logger.org.apache.atlas": "INFO",
        "log4j.logger.org.apache.solr": "ERROR",
        "log4j.logger.org.apache.kafka": "ERROR",
        "log4j.logger.org.apache.zookeeper": "OFF",
        "log4j.logger.FAILED": "INFO,FAILED",
        "log4j.additivity.FAILED": "false",
        **_appender("APPLICATION", layout.logs / "application.log", "%d %-5p - [%t:%x] ~ %m (%C{1}:%L)%n"),
        **_appender("FAILED", layout.logs / "failed.log", "%d %m%n"),
    }


def user_line(user: str, password: str) -> str:
    """Return a line of the server's file of users: `name=GROUP::sha256`, the digest salted with the name in braces."""
    digest = hashlib.sha256(f"{password}{{{user}}}".encode()).hexdigest()
    return f"{user}=ADMIN::{digest}\n"


def write_home(layout: AtlasLayout, models: Path, web_application: Path) -> None:
    """Make the home: configuration and models are replaced, missing cores of the index are added."""
    if not any(models.rglob("*.json")):
        raise StackError(f"{models} holds no type definitions (*.json) for Atlas to load")
    for folder in (layout.conf, layout.data, layout.logs, layout.solr):
        folder.mkdir(parents=True, exist_ok=True)
    write_private(layout.conf / "atlas-application.properties", atlas_properties(application_properties(layout)))
    write_private(layout.conf / "users-credentials.properties", user_line(layout.user, layout.password))
    (layout.conf / "atlas-log4j.properties").write_text(java_properties(log_properties(layout)))
    shutil.rmtree(layout.models, ignore_errors=True)
    shutil.copytree(models, layout.models)
    (layout.solr / "solr.xml").write_text("<solr/>\n")
    for core in SOLR_CORES:
        shutil.copytree(web_application / SOLR_CONFIGURATION, layout.solr / core / "conf", dirs_exist_ok=True)
        (layout.solr / core / "core.properties").write_text(f"name={core}\n")


def _appender(name: str, file: Path, pattern: str) -> dict[str, str]:
    return {
        f"log4j.appender.{name}": "org.apache.log4j.FileAppender",
        f"log4j.appender.{name}.File": str(file),
        f"log4j.appender.{name}.layout": "org.apache.log4j.PatternLayout",
        f"log4j.appender.{name}.layout.ConversionPattern": pattern,
    }
