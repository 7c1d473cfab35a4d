"""Access the driver's JVM and instrument PySpark; no other package uses Py4J.

The listener is Java source (`java/`), compiled in the driver by the compiler that Spark ships. Python attaches it, polls its
text and detaches it. The text is not interpreted here, but in `plan`.
"""
