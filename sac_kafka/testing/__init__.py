"""Test lineage with pytest: the fixture `lineage` of this plug-in captures the lineage of a test's Spark jobs.

    def test_report(spark, lineage):
        make_report(spark)
        lineage.assert_flow(inputs=["sales.orders"], output="sales.report")
        assert lineage.columns("report.total") == {"sales.orders.amount"}

pytest loads the plug-in by itself where the package is installed; neither it nor this module loads PySpark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sac_kafka.errors import LineageTestError
    from sac_kafka.testing.lineage import Lineage

__all__ = ["Lineage", "LineageTestError"]

_MODULES = {"Lineage": "sac_kafka.testing.lineage", "LineageTestError": "sac_kafka.errors"}


def __getattr__(name: str) -> Any:  # noqa: ANN401 a class that is loaded on first use
    """Import exported names on first use, because every pytest run imports this package."""
    if name not in _MODULES:
        raise AttributeError(f"module 'sac_kafka.testing' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)
