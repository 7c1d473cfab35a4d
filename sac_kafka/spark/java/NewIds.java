package sackafka;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Ids that are new with each batch, by the order in which its text has them. RDDs whose query was told keep theirs: they are known by it. */
public class NewIds {
  private final Map known = new HashMap(); // id -> Integer
  private final Set toldRdds;

  public NewIds(Set toldRdds) {
    this.toldRdds = toldRdds;
  }

  /** Of an expression or of a plan. */
  public String of(String id) {
    Integer number = (Integer) known.get(id);
    if (number == null) known.put(id, number = Integer.valueOf(known.size()));
    return "id " + number;
  }

  public String ofRdd(String id) {
    return toldRdds.contains(id) ? "rdd " + id : of("rdd " + id);
  }
}
