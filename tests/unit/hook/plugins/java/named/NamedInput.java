package com.acme.named;

import io.openlineage.spark.shade.client.OpenLineage;
import io.openlineage.spark.shade.client.utils.DatasetIdentifier;
import io.openlineage.spark.shade.extension.v1.InputDatasetWithDelegate;
import io.openlineage.spark.shade.extension.v1.InputDatasetWithFacets;
import io.openlineage.spark.shade.extension.v1.InputDatasetWithIdentifier;
import io.openlineage.spark.shade.extension.v1.InputLineageNode;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;

/** A leaf that says itself what it reads: one dataset, and where it has a delegate what that is. Rows are the delegate's, or another's. */
public class NamedInput extends Node implements InputLineageNode {
  private final boolean delegates;

  public NamedInput(LogicalPlan rows, boolean delegates) {
    super(rows);
    this.delegates = delegates;
  }

  @Override
  public List<InputDatasetWithFacets> getInputs(String event, OpenLineage openLineage) {
    DatasetIdentifier lake = new DatasetIdentifier("raw/events", "s3://lake");
    lake = lake.withSymlink("bronze.events", "hive://metastore:9083", DatasetIdentifier.SymlinkType.TABLE);
    InputDatasetWithFacets named =
        new InputDatasetWithIdentifier(
            lake, openLineage.newDatasetFacetsBuilder(), openLineage.newInputDatasetInputFacetsBuilder());
    InputDatasetWithFacets other = new InputDatasetWithDelegate(rows, null, null);
    return delegates ? Arrays.asList(named, other) : Collections.singletonList(named);
  }
}
