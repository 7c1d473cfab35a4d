package sackafka.kafka;

import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Passes bytes through and learns the cluster id, which a producer only gives to its own components. */
public class ClusterSerializer extends ByteArraySerializer implements ClusterResourceListener {
  private volatile String clusterId;

  public void onUpdate(ClusterResource resource) {
    clusterId = resource.clusterId();
  }

  /** The cluster's id, null before a broker has answered. */
  public String clusterId() {
    return clusterId;
  }
}
