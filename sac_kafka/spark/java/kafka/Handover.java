package sackafka.kafka;

import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * One record on its way through the producer. A refusal at once is the result of the method; what becomes of
 * a record that it has taken comes later, from the producer's own thread.
 */
public class Handover implements Callback {
  private final RecordProducer owner;
  private final long number;
  private final Thread thread = Thread.currentThread();
  private volatile boolean isSending;
  private Exception refusal; // only of that thread

  public Handover(RecordProducer owner, long number) {
    this.owner = owner;
    this.number = number;
  }

  /** Hands the record over; gives why it was refused, null when it was taken. */
  public Exception send(KafkaProducer producer, ProducerRecord record) {
    isSending = true;
    try {
      producer.send(record, this);
    } catch (RuntimeException e) {
      refusal = e;
    } finally {
      isSending = false;
    }
    return refusal;
  }

  public void onCompletion(RecordMetadata metadata, Exception error) {
    if (error != null && isSending && Thread.currentThread() == thread) refusal = error;
    else owner.completed(number, metadata, error);
  }
}
