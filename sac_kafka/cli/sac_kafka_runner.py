"""The file that `spark-submit` is given in place of a job, with the job as its first argument: `sac-kafka runner` names it.

    spark-submit [OPTIONS] $(sac-kafka runner) [--class MAIN] APP [ARGUMENT …]

On a cluster only this file arrives there; the package is in the environment that the driver runs in.
"""

import os
import sys

if __name__ == "__main__":
    # The folder of this file is no place to import from: a module of the job could be called as one of ours.
    if sys.path and sys.path[0] == os.path.dirname(os.path.realpath(__file__)):  # noqa: PTH120 a text
        del sys.path[0]
    from sac_kafka.cli.runner import main

    sys.exit(main(sys.argv[1:]))
