package com.acme.moved.shaded.openlineage;

public interface LineageRelation {
  DatasetIdentifier getLineageDatasetIdentifier(String event, OpenLineage openLineage);
}
