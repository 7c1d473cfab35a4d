"""The entry point of `sac-kafka`.

Exit status: 0 done, 1 the answer is no (a difference was found), 2 it could not be done.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from sac_kafka.cli import check, config, databricks, replay, run, runner, show, spool, types
