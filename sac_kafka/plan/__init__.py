"""WHAT Spark did: frozen copies of Catalyst nodes and listener events, under Spark's names.

A dataclass here names a Spark class, and its fields name the accessors: together they are the specification of what the
listener in the driver projects. No code here touches the JVM.
"""
