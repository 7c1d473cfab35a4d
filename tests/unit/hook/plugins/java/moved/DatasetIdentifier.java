package com.acme.moved.shaded.openlineage;

import java.util.Collections;
import java.util.List;

public final class DatasetIdentifier {
  private final String name;
  private final String namespace;

  public DatasetIdentifier(String name, String namespace) {
    this.name = name;
    this.namespace = namespace;
  }

  public String getName() {
    return name;
  }

  public String getNamespace() {
    return namespace;
  }

  public List<Object> getSymlinks() {
    return Collections.emptyList();
  }
}
