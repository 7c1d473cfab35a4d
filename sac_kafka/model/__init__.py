"""Represent lineage: processes, their input and output datasets, column dependencies, and changes of catalogs.

The interface of inputs and outputs: `lineage.extract` builds these values, and `atlas` reads nothing else. They know neither
Catalyst nodes nor entities, and contain no secrets and no literals.
"""

from __future__ import annotations

from sac_kafka.model.columns import ColumnLineage as ColumnLineage
from sac_kafka.model.columns import ColumnSource as ColumnSource
from sac_kafka.model.columns import Dependency as Dependency
from sac_kafka.model.columns import RowClause as RowClause
from sac_kafka.model.columns import are_copies as are_copies
from sac_kafka.model.columns import may_hold_literals as may_hold_literals
from sac_kafka.model.datasets import KINDS_OF_DATASET as KINDS_OF_DATASET
from sac_kafka.model.datasets import SESSION_CATALOG as SESSION_CATALOG
from sac_kafka.model.datasets import Column as Column
from sac_kafka.model.datasets import Database as Database
from sac_kafka.model.datasets import Dataset as Dataset
from sac_kafka.model.datasets import HBaseDataset as HBaseDataset
from sac_kafka.model.datasets import KindOfDataset as KindOfDataset
from sac_kafka.model.datasets import ModelDataset as ModelDataset
from sac_kafka.model.datasets import OtherDataset as OtherDataset
from sac_kafka.model.datasets import PathDataset as PathDataset
from sac_kafka.model.datasets import RdbmsDataset as RdbmsDataset
from sac_kafka.model.datasets import TableDataset as TableDataset
from sac_kafka.model.datasets import TopicDataset as TopicDataset
from sac_kafka.model.datasets import kind_of as kind_of
from sac_kafka.model.datasets import row_of as row_of
from sac_kafka.model.datasets import shown_name as shown_name
from sac_kafka.model.processes import APPENDED as APPENDED
from sac_kafka.model.processes import READ_BEFORE as READ_BEFORE
from sac_kafka.model.processes import REPLACED as REPLACED
from sac_kafka.model.processes import SPARK as SPARK
from sac_kafka.model.processes import Application as Application
from sac_kafka.model.processes import Change as Change
from sac_kafka.model.processes import ColumnRenamed as ColumnRenamed
from sac_kafka.model.processes import DatabaseDefined as DatabaseDefined
from sac_kafka.model.processes import DatabaseDropped as DatabaseDropped
from sac_kafka.model.processes import DatasetDescribed as DatasetDescribed
from sac_kafka.model.processes import DatasetRead as DatasetRead
from sac_kafka.model.processes import DriverRead as DriverRead
from sac_kafka.model.processes import Engine as Engine
from sac_kafka.model.processes import Extent as Extent
from sac_kafka.model.processes import Outcome as Outcome
from sac_kafka.model.processes import Process as Process
from sac_kafka.model.processes import Requester as Requester
from sac_kafka.model.processes import RowsRemoved as RowsRemoved
from sac_kafka.model.processes import Run as Run
from sac_kafka.model.processes import SessionFacts as SessionFacts
from sac_kafka.model.processes import Stream as Stream
from sac_kafka.model.processes import TableDefined as TableDefined
from sac_kafka.model.processes import TableDropped as TableDropped
from sac_kafka.model.processes import TableRenamed as TableRenamed
from sac_kafka.model.processes import distinct_reads as distinct_reads
