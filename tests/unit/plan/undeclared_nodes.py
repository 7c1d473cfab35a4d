"""Nodes of Spark's logical plans that no dataclass declares, with the reason and the effect on lineage.

A class is matched by its own name or by the name of anything that it extends or implements (`plan.declaration`).
"""

from __future__ import annotations

from dataclasses import dataclass

from sac_kafka.model.gaps import GapSeverity

_SQL = "org.apache.spark.sql"
_A = f"{_SQL}.catalyst.analysis"
_L = f"{_SQL}.catalyst.plans.logical"
_X = f"{_SQL}.execution"


@dataclass(frozen=True, slots=True)
class Undeclared:
    """Classes of a package; `lacking` is None if no projected plan has them, or if nothing is missing."""

    reason: str
    lacking: GapSeverity | None
    package: str
    simple_names: str

    @property
    def names(self) -> tuple[str, ...]:
        """Return the full names of the classes."""
        return tuple(f"{self.package}.{name}" for name in self.simple_names.split())


_RESOLVED = "the analyzer replaces it: no analyzed plan has it"
_OPTIMIZED = "the optimizer or the planner makes it: no analyzed plan has it"
_NAMES = "the child of a command that names what the command is about: nothing reads rows from it"
_SCRIPT = "a part of a SQL script: each statement of a script is an execution with its own plan"
_PIPELINE = "a statement of a pipeline's SQL file: Spark refuses to execute it, the pipeline runs flows instead"
_STREAM = "the plan of a streaming query: its micro-batches have their own plans"

UNDECLARED = (
    Undeclared(
        _RESOLVED,
        None,
        _A,
        """
        GeneralParameterizedQuery NameParameterizedQuery NamedStreamingRelation PlanWithUnresolvedIdentifier
        PosParameterizedQuery RelationChanges RelationTimeTravel SQLTableFunction UnresolvedDeduplicate
        UnresolvedEventTimeWatermark UnresolvedExecuteImmediate UnresolvedFunctionName UnresolvedHaving
        UnresolvedIdentifier UnresolvedInlineTable UnresolvedInsertTarget UnresolvedNamespace
        UnresolvedProcedure UnresolvedQualify UnresolvedRelation UnresolvedSubqueryColumnAliases
        UnresolvedTVFAliases UnresolvedTable UnresolvedTableOrView UnresolvedTableValuedFunction
        UnresolvedTranspose UnresolvedView V2ChangelogReference V2TableReference
        """,
    ),
    Undeclared(_RESOLVED, None, f"{_A}.resolver", "UnresolvedCteRelationRef"),
    Undeclared(_RESOLVED, None, f"{_SQL}.catalyst.catalog", "TemporaryViewRelation UnresolvedCatalogRelation"),
    Undeclared(
        _RESOLVED,
        None,
        _L,
        """
        DataFrameDropColumns InsertIntoDir InsertIntoStatement LoadData Pivot UnresolvedBinBy UnresolvedDataSource
        UnresolvedHint UnresolvedInsert UnresolvedWith Unpivot
        """,
    ),
    Undeclared(_RESOLVED, None, f"{_X}.datasources", "CreateTable"),
    Undeclared(_RESOLVED, None, f"{_SQL}.metricview.logical", "CreateMetricView MetricViewPlaceholder"),
    Undeclared("it only checks expressions: nothing executes it", None, f"{_SQL}.catalyst.encoders", "DummyExpressionHolder"),
    Undeclared(_OPTIMIZED, None, f"{_SQL}.catalyst.optimizer", "NonGroupingAggregateReference OrderedJoin"),
    Undeclared(
        _OPTIMIZED,
        None,
        _L,
        """
        ArrowEvalPython ArrowEvalPythonUDTF BatchEvalPython BatchEvalPythonUDTF DeleteFromTableWithFilters
        DomainJoin EmptyRelation Subquery WindowGroupLimit
        """,
    ),
    Undeclared(_OPTIMIZED, None, f"{_X}.adaptive", "LogicalQueryStage"),
    Undeclared(_OPTIMIZED, None, f"{_X}.columnar", "InMemoryRelation"),
    Undeclared(_OPTIMIZED, None, f"{_X}.datasources", "WriteFiles"),
    Undeclared(_OPTIMIZED, None, f"{_X}.datasources.v2", "ScanBuilderHolder WriteToDataSourceV2"),
    Undeclared(
        _NAMES,
        None,
        _A,
        """
        ResolvedNamespace ResolvedNonPersistentFunc ResolvedPersistentFunc ResolvedPersistentView ResolvedProcedure
        ResolvedTable ResolvedTempView
        """,
    ),
    Undeclared(
        _SCRIPT,
        None,
        _L,
        """
        CompoundBody ErrorCondition ExceptionHandler ForStatement IfElseStatement IterateStatement LeaveStatement
        LoopStatement RepeatStatement SearchedCaseStatement SimpleCaseStatement SingleStatement WhileStatement
        """,
    ),
    Undeclared(
        _PIPELINE,
        None,
        _L,
        """
        AutoCdcInto CreateFlowCommand CreateMaterializedViewAsSelect CreateStreamingTable
        CreateStreamingTableAsSelect CreateStreamingTableAutoCdc
        """,
    ),
    Undeclared(_STREAM, None, f"{_SQL}.catalyst.streaming", "WriteToStream WriteToStreamStatement"),
    Undeclared(_STREAM, None, f"{_X}.streaming.runtime", "OffsetHolder StreamingExecutionRelation"),
    Undeclared(_STREAM, None, f"{_X}.streaming", "OffsetHolder StreamingExecutionRelation"),
    Undeclared("BIN BY: Spark parses it, and refuses to execute it", None, _L, "BinBy"),
    Undeclared("functions of R: a job in Python has none", GapSeverity.COLUMNS, _L, "FlatMapGroupsInR FlatMapGroupsInRWithArrow"),
    Undeclared("the results of a procedure that returns several", GapSeverity.COLUMNS, _L, "MultiResult"),
    Undeclared(
        "continuous processing has no batches: nothing shows what it writes",
        GapSeverity.FLOW,
        f"{_X}.streaming.continuous",
        "WriteToContinuousDataSource",
    ),
    Undeclared(
        "a command of another system (`SparkSession.executeCommand`): only its connector knows what it does",
        GapSeverity.FLOW,
        f"{_X}.command",
        "ExternalCommandExecutor",
    ),
    Undeclared(
        "the text of the view is not SQL, and the plan does not show the source",
        GapSeverity.FLOW,
        f"{_X}.command",
        "CreateMetricViewCommand",
    ),
)  # fmt: skip
"""The undeclared nodes; a reason without classes on one Spark has some on another."""

GONE = frozenset((f"{_X}.streaming.OffsetHolder", f"{_X}.streaming.StreamingExecutionRelation"))
"""Those that only the oldest Spark has."""
