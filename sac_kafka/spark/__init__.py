"""WHERE it happens: the only code that touches the driver's JVM.

The listener is Java source (`java/`), compiled in the driver by the compiler that Spark carries; Python attaches it,
polls its text and detaches it. Nothing here knows what the text means.
"""
