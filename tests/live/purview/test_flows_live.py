"""The flows that users of today's solutions have, on a real Spark: entities, names and column mappings as Purview needs them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyspark")

from tests.live.purview import running
from tests.live.purview.checking import assert_right
from tests.live.purview.every_case import CASES, names
from tests.live.purview.running import Ran
from tests.live.spark.test_kafka_source import JARS

if TYPE_CHECKING:
    from tests.helpers.broker import Broker

pytestmark = [pytest.mark.spark, pytest.mark.exhaustive]
WITHOUT_BROKER, WITH_BROKER = names(), sorted(set(names("kafka")) - set(names()))


@pytest.fixture(scope="module")
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Ran]:
    """Return the result of each chosen case: one driver runs them all."""
    chosen = {each.callspec.params["name"] for each in request.session.items if each.fspath == request.fspath}
    broker: Broker | None = request.getfixturevalue("broker") if chosen & {*WITH_BROKER} else None
    lists = [JARS[version("pyspark")[0]]] if broker is not None else []
    if broker is not None:
        broker.create_topic("orders")
    folder: Path = tmp_path_factory.mktemp("flows")
    return running.run(folder, sorted(chosen), lists, broker.bootstrap if broker is not None else "")


@pytest.mark.parametrize("name", WITHOUT_BROKER)
def test_a_case_has_its_flows(ran: Mapping[str, Ran], name: str) -> None:
    assert_right(CASES[name], ran[name], ran.values())


@pytest.mark.exhaustive
@pytest.mark.kafka
@pytest.mark.parametrize("name", WITH_BROKER)
def test_a_case_with_a_topic_has_its_flows(ran: Mapping[str, Ran], name: str) -> None:
    assert_right(CASES[name], ran[name], ran.values())
