"""Resource sets by the patterns of every account."""

from __future__ import annotations

from sac_kafka.purview.resource_sets import replace_patterns
from tests.helpers.every_row import every_row

FOLDERS = [
    ("23", "{N}"),
    ("0f8fad5b-d9cb-469f-a165-70867728950e", "{GUID}"),
    ("0F8FAD5BD9CB469FA16570867728950E", "{GUID}"),
    ("x-0f8fad5bd9cb469fa16570867728950e-y", "x-{GUID}-y"),
    ("%7B0f8fad5bd9cb469fa16570867728950e%7D", "%7B{GUID}%7D"),
    ("2026-11-21", "{Year}-{Month}-{Day}"),
    ("2026.11_21", "{Year}.{Month}_{Day}"),
    ("2009-11-21", "{N}-{N}-{N}"),
    ("2026-13-21", "{N}-{N}-{N}"),
    ("2026-11-21T05", "{Year}-{Month}-{Day}T{Hour}"),
    ("2026-11-21T05-06-07Z", "{Year}-{Month}-{Day}T{Hour}-{Minute}-{Second}Z"),
    ("20261121Z", "{Year}{Month}{Day}Z"),
    ("2026-11-21-05Z", "{Year}-{Month}-{Day}-{Hour}Z"),
    ("run=2026-11-21", "run={Year}-{Month}-{Day}"),
    ("2026-11-21_2026-11-22", "{Year}-{Month}-{Day}_{N}-{N}-{N}"),
    ("v1.2", "v1.2"),
    ("V1.2.3-7", "V1.2.3-{N}"),
    ("w1.2", "w1.{N}"),
    ("deadbeef", "{HEX}"),
    ("deadbee", "deadbee"),
    ("x_deadbeef00112233", "x_{HEX}"),
    ("en-us", "{LOC}"),
    ("site_pt_BR", "site_{LOC}"),
    ("en-xx", "en-xx"),
    ("stage2", "stage2"),
    ("٣", "٣"),
]


@every_row(("folder", "expected"), FOLDERS)
def test_resource_set_of_a_folder(folder: str, expected: str) -> None:
    assert replace_patterns((folder, "x"), has_file=False) == (expected, "x")


def test_numbers_within_words_are_replaced_in_file_names_only() -> None:
    assert replace_patterns(("data1", "data1b2b.csv"), has_file=True) == ("data1", "data{N}b2b.csv")


def test_existing_patterns_are_kept() -> None:
    once = replace_patterns(("2026", "11", "21", "0f8fad5bd9cb469fa16570867728950e", "x_1_en-us.csv"), has_file=True)
    assert replace_patterns(once, has_file=True) == once


def test_long_segment_is_replaced_like_a_short_one() -> None:
    assert replace_patterns(("7-" * 200,), has_file=False) == ("{N}-" * 200,)
