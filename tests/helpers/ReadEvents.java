import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.openlineage.client.OpenLineage;
import io.openlineage.client.OpenLineageClientUtils;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the events of a file with OpenLineage's Java client, and prints those that it does not write again as they were. */
public final class ReadEvents {
  public static void main(String[] arguments) throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    int number = 0;
    for (String line : Files.readAllLines(Path.of(arguments[0]))) {
      OpenLineage.RunEvent event = OpenLineageClientUtils.runEventFromJson(line);
      JsonNode before = known(mapper.readTree(line));
      JsonNode after = known(mapper.readTree(OpenLineageClientUtils.toJson(event)));
      if (!before.equals(after)) {
        System.out.println(before + " != " + after);
      }
      number++;
    }
    System.out.println(number + " events");
  }

  /** Returns JSON without null values; the time of an event, which has several forms, is checked by reading it. */
  private static JsonNode known(JsonNode node) {
    if (node.isObject()) {
      ObjectNode kept = JsonNodeFactory.instance.objectNode();
      node.fields().forEachRemaining(field -> {
        if (!field.getValue().isNull() && !field.getKey().equals("eventTime")) {
          kept.set(field.getKey(), known(field.getValue()));
        }
      });
      return kept;
    }
    if (node.isArray()) {
      var kept = JsonNodeFactory.instance.arrayNode();
      node.forEach(each -> kept.add(known(each)));
      return kept;
    }
    return node.isNumber() ? JsonNodeFactory.instance.numberNode(node.asLong()) : node;
  }
}
