package sackafka;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * Hands over what a line says, `progress` or any other word, and takes all of it: the answer, in base64, is the words in the order in
 * which they came out, each behind the milliseconds until then.
 */
public class Handing {
  public static void main(String[] arguments) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      final HandOff handoff = new HandOff();
      final String[] words = line.split("\t", -1);
      Thread bus =
          new Thread() {
            public void run() {
              for (int i = 0; i < words.length; i++) handoff.add(event(words[i]));
            }
          };
      long start = System.nanoTime();
      bus.start();
      String out = "";
      for (int left = words.length; left > 0; ) {
        Object e = handoff.take();
        if (e == null) continue;
        out += (System.nanoTime() - start) / 1000000L + " " + (e instanceof String ? e : "progress") + "\n";
        left--;
      }
      if (handoff.poll() != null) out += "more\n";
      System.out.println(Base64.getEncoder().encodeToString(out.getBytes(StandardCharsets.UTF_8)));
      System.out.flush();
    }
  }

  static Object event(String word) {
    return word.equals("progress") ? (Object) new StreamingQueryListener.QueryProgressEvent(null) : word;
  }
}
