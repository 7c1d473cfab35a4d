"""Hold what the outcomes of an application have shown of its datasets: tables as they are now, directories of models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sac_kafka.model import Change, ColumnRenamed, Process, TableDefined, TableDropped, TableRenamed
from sac_kafka.names.aliases import Aliases
from sac_kafka.stages.batch_definitions import BatchDefinitions
from sac_kafka.stages.definitions import Definitions, ViewDefinitions
from sac_kafka.stages.model_directories import ModelDirectories
from sac_kafka.stages.table_places import TablePlaces
from sac_kafka.stages.tables import Tables


@dataclass(frozen=True, slots=True)
class KnownDatasets:
    """The datasets of an application. Inputs add what they learn, the stages apply it (`process_stages`).

    Attributes:
        aliases: The configured names of paths.
        tables: The tables by name and location.
        definitions: The current definition of each table.
        views: The definitions of views.
        models: The directories of models that are being saved or loaded, and of those that were.
        batches: The tables that batches of streaming queries create.
    """

    aliases: Aliases
    tables: Tables
    definitions: Definitions = field(default_factory=Definitions)
    views: ViewDefinitions = field(default_factory=ViewDefinitions)
    models: ModelDirectories = field(default_factory=ModelDirectories)
    batches: BatchDefinitions = field(default_factory=BatchDefinitions)

    def follow(self, change: Change) -> Iterator[Process]:
        """Update the tables by a change that is emitted now; yield the definition of a view that it renames."""
        self.definitions.apply(change)
        match change:
            case TableDefined(table=table) | ColumnRenamed(table=table):
                self.tables.learn(table)
            case TableRenamed(old=old, new=new):
                self.tables.forget(old.key)
                self.tables.learn(new)
            case TableDropped(table=table):
                self.tables.forget(table.key)
        yield from self.views.after(change)


def known_datasets(aliases: Sequence[tuple[str, str]] = (), places: TablePlaces | None = None) -> KnownDatasets:
    """Return the datasets before the first outcome; `aliases` are as for `Aliases`, `places` table locations of earlier runs."""
    paths = Aliases(aliases)
    return KnownDatasets(paths, Tables(paths, places))
