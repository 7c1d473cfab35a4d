"""Every family of cases over sources: a module each, or several where there are many cases."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from tests.live.sources import (
    connectors_cases,
    databases_cases,
    delta_cases,
    delta_rows_cases,  # noqa: F401 its import adds cases
    delta_streams_cases,  # noqa: F401 as above
    derby_cases,
    formats_cases,
    hudi_cases,
    iceberg_cases,
    mariadb_cases,
    paimon_cases,
    postgres_cases,
)
from tests.live.sources.family import Family

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        connectors_cases.CONNECTORS,
        databases_cases.DATABASES,
        delta_cases.DELTA,
        derby_cases.DERBY,
        formats_cases.FORMATS,
        hudi_cases.HUDI,
        iceberg_cases.ICEBERG,
        postgres_cases.POSTGRES,
        mariadb_cases.MARIADB,
        paimon_cases.PAIMON,
    )
}


def runs(sparks: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return the Sparks of every family: of those that have jars for it, or need none, the oldest and the newest."""
    for family in FAMILIES.values():
        can = [
            spark for spark in sparks if not family.jars or any(f"{spark}.".startswith(f"{v}.") for v in family.jars)
        ]
        yield from ((family.name, spark) for spark in dict.fromkeys((can[0], can[-1])))


if __name__ == "__main__":
    for name, spark in runs(sys.argv[1:]):
        print(name, spark)
