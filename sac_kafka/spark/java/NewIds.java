package sackafka;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Numbers ids that are new with each batch by their order in its text. RDDs whose query was reported keep theirs, which identifies them. */
public class NewIds {
  private final Map known = new HashMap(); // id -> Integer
  private final Set reportedRdds;

  public NewIds(Set reportedRdds) {
    this.reportedRdds = reportedRdds;
  }

  /** Of an expression or of a plan. */
  public String of(String id) {
    Integer number = (Integer) known.get(id);
    if (number == null) known.put(id, number = Integer.valueOf(known.size()));
    return "id " + number;
  }

  public String ofRdd(String id) {
    return reportedRdds.contains(id) ? "rdd " + id : of("rdd " + id);
  }
}
