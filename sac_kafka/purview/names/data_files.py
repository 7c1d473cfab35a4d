"""Recognise data files by their extension."""

from __future__ import annotations

import re

_DATA_FILE = re.compile(
    r"(?!\A)\.(?:avro|csv|dat|htm|html|ion|json|jsonl|log|ndjson|npy|orc|parq|parquet|pb|psv|ssv|tab|tfrecord|tsv|txt|xml|yaml|yml"
    r"|bz2|deflate|gz|gzip|lz4|lzo|snappy|tar|tgz|zip|zst|zstd"
    r"|do[ct][mx]?|od[pst]|pdf|pp[st][mx]?|xls[bmx]?|bin|bmp|gif|jpeg|jpg|mp3|mp4|png|tif|tiff|wav|webp)\Z",
    re.IGNORECASE,
)
"""Extensions of data files, including compressed ones and those read by `binaryFile`."""
_MAX_EXTENSION_LENGTH = 9
"""Length of the longest extension, with its dot."""


def is_data_file(segment: str) -> bool:
    """Return True if a name has the extension of a data file.

    >>> is_data_file("orders.CSV"), is_data_file("orders.v2"), is_data_file("orders")
    (True, False, False)
    """
    return _DATA_FILE.search(segment, max(0, len(segment) - _MAX_EXTENSION_LENGTH)) is not None
