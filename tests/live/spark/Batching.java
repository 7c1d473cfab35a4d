package sackafka;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/**
 * Calls `MicroBatches`: a line is a call and its arguments, the last one in base64; the answer is what came out of
 * the queue by then, in base64.
 */
public class Batching implements EventLine {
  private final TextQueue texts;
  private final Counters counters = new Counters();
  private final MicroBatches batches;
  private boolean isHeld = false; // nothing is drained

  private Batching(int mostEvents) {
    this.texts = new TextQueue(mostEvents, 100000000L, this, "");
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

  /** Of a batch, where the run is quiet. */
  private void figures(String runId, String rows) {
    if (!batches.isQuiet(runId)) throw new IllegalArgumentException(runId);
    RepeatedBatches figures = new RepeatedBatches(runId);
    figures.read("source", Long.parseLong(rows));
    figures.sank(Long.parseLong(rows));
    batches.say(figures);
  }

  public String of(RepeatedBatches same) {
    String what = same.executions() + "\t" + same.batchId() + "\t" + same.time() + "\t" + rows(same.writes()) + same.notes();
    String read = "";
    for (int i = 0; i < same.sources().size(); i++) read += "\t" + ((SourceRows) same.sources().get(i)).numInputRows();
    return "repeated\t" + what + (read.length() == 0 ? "" : "\t" + same.batches() + read + "\t" + same.sinkRows());
  }

  /** Of each batch that is repeated: its root execution, how often, and the rows of each write. */
  private static String rows(List writes) {
    String all = "";
    for (int i = 0; i < writes.size(); i++) {
      RepeatedWrites each = (RepeatedWrites) writes.get(i);
      all += (i == 0 ? "" : " ") + each.execution() + "*" + each.batches() + each.rowsWritten();
    }
    return all;
  }

  private String answer(String[] part) throws Exception {
    if (part[0].equals("new")) return "";
    if (part[0].equals("hold")) isHeld = part[1].equals("true");
    if (part[0].equals("start"))
      batches.started(Long.parseLong(part[1]), Long.parseLong(part[2]), part[3].length() == 0 ? null : part[3], part[4]);
    else if (part[0].equals("end"))
      batches.ended(Long.parseLong(part[1]), part[4], part[2].equals("true"), Long.parseLong(part[3]), 1000);
    else if (part[0].equals("figures")) figures(part[1], part[2]);
    else if (part[0].equals("quiet")) batches.say(part[1], false);
    else if (part[0].equals("other")) batches.other(part[1]);
    else if (part[0].equals("forget")) batches.forget();
    else if (part[0].equals("reported_rdd")) batches.reportedRdd(part[1]);
    else if (part[0].equals("counters")) return String.valueOf(counters.line());
    else if (!part[0].equals("drain") && !part[0].equals("hold")) throw new IllegalArgumentException(part[0]);
    StringBuilder out = new StringBuilder();
    if (!isHeld && !part[0].equals("quiet")) texts.drain(0, 100000000, out, "");
    return out.toString();
  }
}
