"""Shorten and escape names for cards, and group types into families."""

from __future__ import annotations

from sac_kafka.tools.graph.drawing import writable
from sac_kafka.tools.graph.graph import DatasetNode
from sac_kafka.tools.messages.names import strip_namespace

_FAMILIES = (
    ("topic", ("topic", "eventhub", "queue", "stream")),
    ("model", ("model", "pipeline")),
    ("view", ("view",)),
    ("table", ("table", "hbase", "collection", "index")),
    (
        "file",
        ("path", "file", "schema", "s3_", "gcs", "blob", "adls", "ozone", "resource_set", "folder", "object", "bucket"),
    ),
    ("database", ("db", "database", "keyspace")),
)
"""Families with substrings of their types' names; the first match counts."""
OTHER = "other"
COLOURS = {
    "table": "#2456c7",
    "view": "#0a7285",
    "file": "#0c7a52",
    "topic": "#8b2fb0",
    "model": "#a8480a",
    "database": "#4a5568",
    OTHER: "#56637a",
}
"""Colour of each family, with a contrast of at least 4.5 on white; page.css has the same colours."""


def family(type_name: str) -> str:
    """Return the family of a type, which determines colour and icon.

    >>> family("hive_table"), family("aws_s3_v2_directory"), family("kafka_topic"), family("of_a_plug_in")
    ('table', 'file', 'topic', 'other')
    """
    lowered = type_name.lower()
    return next((name for name, parts in _FAMILIES if any(part in lowered for part in parts)), OTHER)


def title_and_location(node: DatasetNode) -> tuple[str, str]:
    """Return title and location of a dataset's card; a displayed namespace belongs to the title."""
    short = strip_namespace(node.full_name)
    if not node.name.startswith(f"{short}@"):
        return title_and_place(node.name)
    title, place = title_and_place(short)
    return (f"{title}{visible(node.name[len(short) :])}", place)


def title_and_place(name: str) -> tuple[str, str]:
    """Split a name into the title of a card and its location, with escapes for control characters.

    >>> title_and_place("s3a://lake/raw/orders/"), title_and_place("sales.orders"), title_and_place("orders")
    (('orders', 's3a://lake/raw'), ('orders', 'sales'), ('orders', ''))
    """
    shown = visible(name)
    whole = shown.rstrip("/") or shown
    place, _, title = whole.rpartition("/") if "/" in whole else whole.rpartition(".")
    return (title, place) if title else (whole, "")


def visible(text: str) -> str:
    r"""Escape bidirectional controls, line separators and invisible characters in a text.

    >>> visible("a\u202eb\nc")
    'a\\u202eb\\nc'
    """
    return writable(text.encode("utf-8", "backslashreplace").decode(), None)
