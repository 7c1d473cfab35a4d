"""What cards show of names: short ones, with where the thing is, and of which family it is."""

from __future__ import annotations

from sac_kafka.readable.drawing import writable
from sac_kafka.readable.graph import DatasetNode
from sac_kafka.readable.names import strip_namespace

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
"""A family, and what the names of its types have in them; the first that fits."""
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
"""The colour of each family, with a contrast of at least 4.5 on white. page.css has the same."""


def family(type_name: str) -> str:
    """Give the family of a type, which has a colour and a sign.

    >>> family("hive_table"), family("aws_s3_v2_directory"), family("kafka_topic"), family("of_a_plug_in")
    ('table', 'file', 'topic', 'other')
    """
    lowered = type_name.lower()
    return next((name for name, parts in _FAMILIES if any(part in lowered for part in parts)), OTHER)


def headed(node: DatasetNode) -> tuple[str, str]:
    """Give what a dataset's card is headed with, and where that is; a namespace that is shown stays with the title."""
    short = strip_namespace(node.full_name)
    if not node.name.startswith(f"{short}@"):
        return title_and_place(node.name)
    title, place = title_and_place(short)
    return (f"{title}{visible(node.name[len(short) :])}", place)


def title_and_place(name: str) -> tuple[str, str]:
    """Divide a name into what a card is headed with, and where that is; what steers a text's direction is escaped.

    >>> title_and_place("s3a://lake/raw/orders/"), title_and_place("sales.orders"), title_and_place("orders")
    (('orders', 's3a://lake/raw'), ('orders', 'sales'), ('orders', ''))
    """
    shown = visible(name)
    whole = shown.rstrip("/") or shown
    place, _, title = whole.rpartition("/") if "/" in whole else whole.rpartition(".")
    return (title, place) if title else (whole, "")


def visible(text: str) -> str:
    r"""Give a text with an escape for each character that turns its direction, ends its line, or is not seen.

    >>> visible("a\u202eb\nc")
    'a\\u202eb\\nc'
    """
    return writable(text.encode("utf-8", "backslashreplace").decode(), None)


def shortened(text: str, most: int) -> str:
    """Give a text of at most `most` characters: a longer one loses its middle.

    >>> shortened("customers_of_the_north", 11)
    'custo…north'
    """
    if len(text) <= most:
        return text
    kept = most - 1
    return f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"
