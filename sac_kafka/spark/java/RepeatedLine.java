package sackafka;

import java.util.ArrayList;

/** Projects batches that say nothing new, whichever thread asks, one at a time: their texts have been masked by then. */
public class RepeatedLine implements EventLine {
  private final Specification specification;
  private final Definitions definitions;
  private final Jobs jobs;
  private final ListenerSettings settings;
  private final Counters counters;
  /** None of the user's expressions, which may take for ever. */
  private final Masking masking = new Masking(new ArrayList(), new ArrayList());

  public RepeatedLine(Specification specification, Definitions definitions, Jobs jobs, ListenerSettings settings, Counters counters) {
    this.specification = specification;
    this.definitions = definitions;
    this.jobs = jobs;
    this.settings = settings;
    this.counters = counters;
  }

  public String of(RepeatedBatches batches) {
    try {
      Projection projection =
          new Projection(specification, masking, definitions, jobs, settings.literals, settings.foreignKinds, settings.budget);
      String records = projection.project(batches);
      return of(batches.micros(), records.substring(0, records.length() - 1) + batches.notes() + "]");
    } catch (Throwable t) {
      counters.count("dropped: micro-batch not followed: " + t.getClass().getName(), 1);
      return null;
    }
  }

  /** The line of an event. */
  public static String of(long micros, String records) {
    return "[\"event\"," + micros + "," + records + "]";
  }
}
