package sackafka;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.fs.Path;

/** Locations that a statement gives to single partitions. */
public class PartitionLocations {
  private static final int MOST = 1000;

  /** Those of the partitions of ADD PARTITION, or of the command SET LOCATION: each qualified; relative ones unchanged. */
  public static List of(Object o, Specification specification) throws Throwable {
    List found = new ArrayList();
    if (!Containers.isSequence(o)) {
      boolean isOfPartition = Containers.unwrap(specification.step(o, "partitionSpec")) != null;
      if (isOfPartition) add(specification.step(o, "location"), found);
      return found;
    }
    Iterator it = Containers.elements(o);
    while (it.hasNext() && found.size() < MOST) {
      Object part = it.next();
      Object location = part instanceof scala.Tuple2 ? ((scala.Tuple2) part)._2() : specification.step(part, "location");
      add(Containers.unwrap(location), found);
    }
    return found;
  }

  private static void add(Object location, List to) {
    if (location == null) return;
    String text = location.toString();
    to.add(new Path(text).isAbsolute() ? Locations.ofModel(text) : text);
  }
}
