"""Compiles Java source in the driver, with the Janino compiler that every Spark carries for its generated code."""

from __future__ import annotations

from typing import Any


def cook(gateway: Any, spark_loader: Any, parent: Any, source: str) -> Any:  # noqa: ANN401 Py4J objects
    """Give the class loader of a compilation unit's classes.

    Args:
        gateway: Py4J's.
        spark_loader: The class loader that has Spark, and with it the compiler.
        parent: The class loader of what the source refers to.
        source: One compilation unit.
    """
    none = gateway.new_array(gateway.jvm.java.lang.Class, 0)
    nothing = gateway.new_array(gateway.jvm.java.lang.Object, 0)
    compiler_class = spark_loader.loadClass("org.codehaus.janino.SimpleCompiler")
    compiler = compiler_class.getConstructor(none).newInstance(nothing)
    compiler.setParentClassLoader(parent)
    compiler.cook(source)
    return compiler.getClassLoader()
