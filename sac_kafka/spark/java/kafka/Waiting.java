package sackafka.kafka;

/** A record that waits to be handed to the producer. */
public class Waiting {
  final long number;
  final String topic;
  final byte[] key;
  final byte[] value;

  public Waiting(long number, String topic, byte[] key, byte[] value) {
    this.number = number;
    this.topic = topic;
    this.key = key;
    this.value = value;
  }
}
