"""Run the job named by the first argument, when given to `spark-submit` in its place; `sac-kafka runner` prints this path.

    spark-submit [OPTIONS] $(sac-kafka runner) [--class MAIN] APP [ARGUMENT …]

In deploy mode cluster only this file is uploaded: the package must be installed in the driver's Python environment.
"""

import os
import sys

if __name__ == "__main__":
    # Do not import from the folder of this file: its modules could shadow modules of the job.
    if sys.path and sys.path[0] == os.path.dirname(os.path.realpath(__file__)):  # noqa: PTH120 a string
        del sys.path[0]
    from sac_kafka.tools.cli.runner import main

    sys.exit(main(sys.argv[1:]))
