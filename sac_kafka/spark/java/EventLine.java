package sackafka;

/** Makes the line of an event that is complete. */
public interface EventLine {
  /** Null where it cannot be made, which is counted. */
  String of(RepeatedBatches batches);
}
