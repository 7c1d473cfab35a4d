package com.acme.moved.shaded.openlineage;

/** One that cannot be made: connectors that leave the client out have no more of it. */
public interface OpenLineage {}
