"""Every family of cases over sources: a module each."""

from __future__ import annotations

from tests.sources import connectors_cases, derby_cases, hudi_cases, iceberg_cases, mariadb_cases, postgres_cases
from tests.sources.family import Family

FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        connectors_cases.CONNECTORS,
        derby_cases.DERBY,
        hudi_cases.HUDI,
        iceberg_cases.ICEBERG,
        postgres_cases.POSTGRES,
        mariadb_cases.MARIADB,
    )
}
