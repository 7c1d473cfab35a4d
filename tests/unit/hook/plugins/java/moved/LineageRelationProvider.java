package com.acme.moved.shaded.openlineage;

public interface LineageRelationProvider {
  DatasetIdentifier getLineageDatasetIdentifier(String event, OpenLineage openLineage, Object context, Object parameters);
}
