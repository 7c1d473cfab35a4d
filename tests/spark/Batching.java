package sackafka;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Tells `MicroBatches` what it is told to: a line is a call and its arguments, the last one in base64; the answer is what came out of
 * the queue by then, in base64.
 */
public class Batching {
  private final TextQueue texts;
  private final Counters counters = new Counters();
  private final MicroBatches batches;

  private Batching(int mostEvents) {
    this.texts = new TextQueue(mostEvents, 100000000L);
    this.batches = new MicroBatches(texts, counters);
  }

  public static void main(String[] arguments) throws Exception {
    Batching batching = null;
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] part = line.split("\t", -1);
      int last = part.length - 1;
      part[last] = new String(Base64.getDecoder().decode(part[last]), StandardCharsets.UTF_8);
      if (part[0].equals("new")) batching = new Batching(Integer.parseInt(part[1]));
      String answer = batching.answer(part);
      System.out.println(Base64.getEncoder().encodeToString(answer.getBytes(StandardCharsets.UTF_8)));
      System.out.flush();
    }
  }

  private String answer(String[] part) throws Exception {
    if (part[0].equals("new")) return "";
    if (part[0].equals("start"))
      batches.started(Long.parseLong(part[1]), Long.parseLong(part[2]), part[3].length() == 0 ? null : part[3], part[4]);
    else if (part[0].equals("end")) {
      RepeatedBatch same =
          batches.ended(Long.parseLong(part[1]), part[4], part[2].equals("true"), Long.parseLong(part[3]), 1000);
      if (same != null) return "repeated\t" + same.executions() + "\t" + same.batchId() + "\t" + same.time() + "\t" + same.rowsWritten() + same.notes();
    } else if (part[0].equals("quiet")) batches.say(part[1], false);
    else if (part[0].equals("other")) batches.other(part[1]);
    else if (part[0].equals("forget")) batches.forget();
    else if (part[0].equals("told")) batches.toldRdd(part[1]);
    else if (part[0].equals("counters")) return String.valueOf(counters.line());
    else if (!part[0].equals("drain")) throw new IllegalArgumentException(part[0]);
    StringBuilder out = new StringBuilder();
    if (!part[0].equals("quiet")) texts.drain(0, 100000000, out);
    return out.toString();
  }
}
