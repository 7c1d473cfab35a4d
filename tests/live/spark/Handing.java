package sackafka;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * Hands over what a line says, `progress` or any other word, to a thread that waits in `take` already: the answer, in base64, is the
 * words in the order in which it took them, with a `*` where the thread was to be woken.
 */
public class Handing {
  public static void main(String[] arguments) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String answer = handed(line.split("\t", -1));
      System.out.println(Base64.getEncoder().encodeToString(answer.getBytes(StandardCharsets.UTF_8)));
      System.out.flush();
    }
  }

  private static String handed(final String[] words) throws Exception {
    final HandOff handoff = new HandOff();
    final StringBuffer taken = new StringBuffer();
    Thread taker =
        new Thread() {
          public void run() {
            try {
              for (int left = words.length; left > 0; ) {
                Object e = handoff.take();
                if (e == null) continue;
                taken.append(e instanceof String ? e : "progress").append('\n');
                left--;
              }
              if (handoff.poll() != null) taken.append("more\n");
            } catch (InterruptedException e) {
              taken.append(e);
            }
          }
        };
    taker.start();
    while (taker.getState() != Thread.State.TIMED_WAITING) Thread.sleep(1);
    Field isAwaited = HandOff.class.getDeclaredField("isAwaited");
    isAwaited.setAccessible(true);
    String[] marks = new String[words.length];
    synchronized (handoff) { // the thread takes nothing before all is there
      for (int i = 0; i < words.length; i++) {
        handoff.add(event(words[i]));
        marks[i] = isAwaited.getBoolean(handoff) ? "*" : "";
      }
    }
    taker.join();
    String[] lines = taken.toString().split("\n", -1);
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < lines.length - 1; i++) out.append(lines[i]).append(i < marks.length ? marks[i] : "").append('\n');
    return out.toString();
  }

  static Object event(String word) {
    return word.equals("progress") ? (Object) new StreamingQueryListener.QueryProgressEvent(null) : word;
  }
}
