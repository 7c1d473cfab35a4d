"""Several Kafka nodes as local processes, of which one may fail: a cluster as production has it, on 127.0.0.1.

    with KafkaCluster(Path("build/cluster")) as cluster:
        cluster.create_topic("ATLAS_HOOK")
        cluster.leader("ATLAS_HOOK").kill()

Every topic has a copy on each node, and a producer with acks=all is answered once two of them have its record.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from stack import topics
from stack.certificates import make_certificates
from stack.errors import StackError
from stack.kafka import START_TIMEOUT_SECONDS, KafkaBroker, choose_ports, generated_passwords
from stack.server_properties import Ports, Protocol

NODES = 3
MIN_INSYNC_REPLICAS = 2
LEADER_TIMEOUT_SECONDS = 90


class KafkaCluster:
    """Nodes numbered from 1; all ports, passwords and certificates are known from the start.

    Args:
        work: The folder for everything; each node has a folder in it.
        nodes: How many.
        properties: Settings of every node that replace or add to the usual ones.
    """

    def __init__(self, work: Path, *, nodes: int = NODES, properties: Mapping[str, str] | None = None) -> None:
        self.work = work.absolute()
        certificates, passwords, ports = self.work / "certificates", generated_passwords(), tuple(_ports(nodes))
        made = make_certificates(certificates)
        voters = ",".join(f"{number}@127.0.0.1:{each.controller}" for number, each in enumerate(ports, 1))
        self.nodes: dict[int, KafkaBroker] = {}
        for number, each in enumerate(ports, 1):
            of_node = {**_copies(nodes), "node.id": str(number), "controller.quorum.voters": voters}
            node = KafkaBroker(
                self.work / f"node{number}",
                ports=each,
                passwords=passwords,
                properties={**of_node, **(properties or {})},
            )
            node.certificates = made  # one CA, which clients trust
            node.work.mkdir(parents=True, exist_ok=True)
            self.nodes[number] = node

    @property
    def running(self) -> list[KafkaBroker]:
        """The nodes that run."""
        return [node for node in self.nodes.values() if node.pid is not None]

    def bootstrap(self, protocol: Protocol = "PLAINTEXT") -> str:
        """Return the addresses of all nodes for `bootstrap.servers`."""
        return ",".join(node.bootstrap(protocol) for node in self.nodes.values())

    def start(self, timeout_seconds: float = START_TIMEOUT_SECONDS) -> KafkaCluster:
        """Start all nodes at once, because none of them answers alone.

        Raises:
            StackError: As `KafkaBroker.start`; no node runs then.
        """
        with ThreadPoolExecutor(len(self.nodes)) as pool:
            starts = [pool.submit(node.start, timeout_seconds) for node in self.nodes.values()]
        errors = [error for each in starts if (error := each.exception()) is not None]
        if errors:
            self.kill()
            raise errors[0]
        return self

    def create_topic(self, name: str, settings: Mapping[str, str] | None = None) -> None:
        """Make a topic of one partition with a copy on each node, and return once every node that runs knows its leader."""
        running = [node.bootstrap() for node in self.running]
        topics.create_topic(",".join(running), name, settings=settings, replicas=len(self.nodes))
        for bootstrap in running:
            topics.wait_for_leader(bootstrap, name)

    def leader(self, topic: str, timeout_seconds: float = LEADER_TIMEOUT_SECONDS) -> KafkaBroker:
        """Return the node that producers of this topic send to.

        Raises:
            StackError: No running node is the leader within the time.
        """
        deadline = time.monotonic() + timeout_seconds
        while time.monotonic() < deadline:
            for node in self.running:
                with suppress(StackError):
                    leader = self.nodes.get(topics.leader(node.bootstrap(), topic))
                    if leader is not None and leader.pid is not None:
                        return leader
            time.sleep(0.1)
        raise StackError(f"topic {topic!r} has no leader that runs after {timeout_seconds:.0f} s")

    def followers(self, topic: str) -> list[KafkaBroker]:
        """Return the running nodes that only keep copies of this topic."""
        leader = self.leader(topic)
        return [node for node in self.running if node is not leader]

    def stop(self) -> None:
        """End all nodes, together: one after the other the last would wait for the others in vain."""
        with ThreadPoolExecutor(len(self.nodes)) as pool:
            list(pool.map(KafkaBroker.stop, self.nodes.values()))

    def kill(self) -> None:
        """End all nodes as a crash would (SIGKILL)."""
        for node in self.nodes.values():
            node.kill()

    def __enter__(self) -> KafkaCluster:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()


def _ports(nodes: int) -> Iterator[Ports]:
    """Choose ports for each node that no other one of them has."""
    taken: set[int] = set()
    while nodes:
        ports = choose_ports()
        chosen = {ports.plaintext, ports.sasl_ssl, ports.controller}
        if not chosen & taken:
            taken |= chosen
            nodes -= 1
            yield ports


def _copies(nodes: int) -> dict[str, str]:
    """Return the settings that distinguish nodes of a cluster from a single one."""
    copies, in_sync = str(nodes), str(min(MIN_INSYNC_REPLICAS, nodes))
    return {
        "broker.session.timeout.ms": "1500",  # so soon another one leads where one is away
        "default.replication.factor": copies,
        "min.insync.replicas": in_sync,
        "offsets.topic.replication.factor": copies,
        "transaction.state.log.replication.factor": copies,
        "transaction.state.log.min.isr": in_sync,
    }
