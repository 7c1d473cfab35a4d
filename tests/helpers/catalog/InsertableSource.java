package sackafka.testing;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.InsertableRelation;
import org.apache.spark.sql.sources.SchemaRelationProvider;
import org.apache.spark.sql.types.StructType;

/** A V1 source of tables of any columns that counts the rows it is given and forgets them. */
public class InsertableSource implements SchemaRelationProvider {
  @Override
  public BaseRelation createRelation(
      SQLContext context, scala.collection.immutable.Map<String, String> parameters, StructType schema) {
    return new Relation(context, schema);
  }

  private static class Relation extends BaseRelation implements InsertableRelation {
    private final SQLContext context;
    private final StructType schema;

    Relation(SQLContext context, StructType schema) {
      this.context = context;
      this.schema = schema;
    }

    @Override
    public SQLContext sqlContext() {
      return context;
    }

    @Override
    public StructType schema() {
      return schema;
    }

    @Override
    public void insert(Dataset<Row> data, boolean overwrite) {
      data.count();
    }
  }
}
