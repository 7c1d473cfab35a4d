package com.acme.moved;

import com.acme.moved.shaded.openlineage.DatasetIdentifier;
import com.acme.moved.shaded.openlineage.OpenLineage;
import com.acme.moved.shaded.openlineage.LineageRelationProvider;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.RelationProvider;

/** A V1 source whose provider says what its options name. */
public class NamedProvider implements RelationProvider, CreatableRelationProvider, LineageRelationProvider {
  @Override
  public BaseRelation createRelation(SQLContext context, scala.collection.immutable.Map<String, String> parameters) {
    return new NamedRelation(context, parameters.apply("its.own.name"));
  }

  @Override
  public BaseRelation createRelation(
      SQLContext context, SaveMode mode, scala.collection.immutable.Map<String, String> parameters, Dataset<Row> data) {
    data.count();
    return createRelation(context, parameters);
  }

  @Override
  public DatasetIdentifier getLineageDatasetIdentifier(String event, OpenLineage openLineage, Object context, Object parameters) {
    if (!event.endsWith("SparkListenerSQLExecutionEnd")) throw new IllegalStateException(event);
    ((SQLContext) context).getConf("spark.app.name");
    String name = ((scala.collection.immutable.Map<String, String>) parameters).apply("its.own.name");
    return new DatasetIdentifier("shop.public." + name, "postgres://db1:5432");
  }
}
