"""Recognize keys of an Atlas server, its clients and its other hooks, which share the file and are ignored here.

Source: the keys in the Java sources and the shipped configurations of Apache Atlas (0.8 to master), `AtlasClientConf` of the
Spark Atlas Connector, and the sections that distributions add for their own hooks.
"""

from __future__ import annotations

_SERVER = frozenset(
    """
    CompiledQueryCache DeleteHandlerV1 EntityAuditRepository TypeCache TypeSystem app async audit auth authentication
    authorizer blocking classification cleanup credential csrf custom data db debug download dsl enable entity export feature
    glossary graph graphdb graphstore hbase headers home http import index jetty jwt lineage log metric metrics migration
    notifications patch plugin process proxyuser proxyusers purge query ranger realm rebuild relationship relationships request
    rest-csrf run search security server service services session simple skip soft solr ssl sso storage tasks trino types ui
    unique update use war webserver
    """.split()  # noqa: SIM905 (a list of words reads better in lines)
)
"""First parts (after `atlas.`) of keys that belong to the server, whatever follows."""

_BELOW = {
    "client": "connectTimeoutMSecs readTimeoutMSecs ha. checkModelInStart",
    "hook": "entity.ignore.pattern messages.sort.enabled",
    "notification": """
        authorize. consumer. create. embedded entities. entity. failed. fixed. hook.asynchronous hook.consumer.
        hook.failedcachesize hook.maxretries hook.numthreads hook.retry. kafka. lineage. log. metadata. parallel. partitions
        processor. relationships. replicas rest.data rest.enableTLS rest.home send. split. topics
    """,
    "rest": "create. enable. notification. server.",
    "spark": "column.enabled",
}
"""Keys of others under first parts that this hook uses as well. A key that ends in a dot is a prefix."""

_SHARED = {first: tuple(text.split()) for first, text in _BELOW.items()}
_OWN_HOOK = frozenset({"spark", "spool", "rest"})
_ALONE = frozenset({"conf", "properties"})


def is_of_atlas(key: str) -> bool:
    """Return whether a key that begins with `atlas.` belongs to an Atlas server, a client of it or another hook.

    >>> is_of_atlas("atlas.graph.storage.backend"), is_of_atlas("atlas.notification.hook.topic")
    (True, False)
    """
    first, _, rest = key.removeprefix("atlas.").partition(".")
    if first in _SERVER or (first in _ALONE and not rest):
        return True
    if first == "hook" and rest.count(".") and rest.partition(".")[0] not in _OWN_HOOK:
        return True  # another hook's
    return any(
        rest == each or rest.startswith(each if each.endswith(".") else f"{each}.") for each in _SHARED.get(first, ())
    )
