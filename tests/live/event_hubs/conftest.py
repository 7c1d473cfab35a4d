"""A broker for all tests of this folder; a namespace and its endpoint for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stack.certificates import Certificates, make_certificates
from tests.helpers.broker import LocalBroker
from tests.live.event_hubs.endpoint import Endpoint
from tests.live.event_hubs.namespace import Namespace


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def namespace() -> Namespace:
    return Namespace()


@pytest.fixture
def endpoint(namespace: Namespace, broker: LocalBroker, certificates: Certificates) -> Iterator[Endpoint]:
    broker.create_topic("ATLAS_HOOK")
    with Endpoint(namespace, int(broker.bootstrap.rpartition(":")[2]), certificates) as running:
        yield running
