package com.acme.named;

import io.openlineage.spark.shade.client.OpenLineage;
import io.openlineage.spark.shade.client.utils.DatasetIdentifier;
import io.openlineage.spark.shade.extension.v1.OutputDatasetWithFacets;
import io.openlineage.spark.shade.extension.v1.OutputDatasetWithIdentifier;
import io.openlineage.spark.shade.extension.v1.OutputLineageNode;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** A command that says itself what it writes; its query is a field. */
public class NamedOutput extends Node implements Command, OutputLineageNode {
  public NamedOutput(LogicalPlan query) {
    super(query);
  }

  @Override
  public List<OutputDatasetWithFacets> getOutputs(String event, OpenLineage openLineage) {
    DatasetIdentifier written = new DatasetIdentifier("silver.events", "cassandra://ring:9042");
    return Collections.singletonList(
        new OutputDatasetWithIdentifier(
            written, openLineage.newDatasetFacetsBuilder(), openLineage.newOutputDatasetOutputFacetsBuilder()));
  }

  // What Scala would add to a class with this trait, for either of its sequences.

  public void org$apache$spark$sql$catalyst$plans$logical$Command$_setter_$nodePatterns_$eq(scala.collection.Seq patterns) {}

  public void org$apache$spark$sql$catalyst$plans$logical$Command$_setter_$nodePatterns_$eq(
      scala.collection.immutable.Seq patterns) {}
}
