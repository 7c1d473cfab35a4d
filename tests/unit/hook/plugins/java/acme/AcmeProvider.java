package com.acme.spark;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.RelationProvider;

/** A V1 source of tables of fixed columns; what is written is counted and forgotten. */
public class AcmeProvider implements RelationProvider, CreatableRelationProvider {
  @Override
  public BaseRelation createRelation(SQLContext context, scala.collection.immutable.Map<String, String> parameters) {
    return new AcmeRelation(context, parameters.apply("acme.host"), parameters.apply("acme.table"));
  }

  @Override
  public BaseRelation createRelation(
      SQLContext context, SaveMode mode, scala.collection.immutable.Map<String, String> parameters, Dataset<Row> data) {
    data.count();
    return createRelation(context, parameters);
  }
}
