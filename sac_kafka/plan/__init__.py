"""Declare frozen copies of Catalyst nodes and listener events, under Spark's names.

Each dataclass names a Spark class, and its fields name the accessors: from these, the specification of what the listener in the
driver projects is derived. No code here touches the JVM.
"""
