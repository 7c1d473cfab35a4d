package sackafka;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Masks on request: a line is a method and its arguments in base64, the answer is one line.
 *
 * "work" answers with a count that grows as the time does, and is the same on every machine: of a pattern the characters that
 * it reads, of a method the bytes that it allocates. "time" answers with the milliseconds of CPU: the least of a few runs. It
 * begins with short texts and stops at the first that takes too long, so that nothing hangs: the answer is infinity then.
 */
public class Masker {
  private static final int[] SIZES = new int[] {30, 300, 3000};
  private static final int RUNS = 5;

  /** The classes that read texts. */
  private static final Class[] READERS =
      new Class[] {Masking.class, SecretTexts.class, Addresses.class, SecretParameters.class, Literals.class, ForeignQuery.class};
  private final Masking masking;

  private Masker(Masking masking) {
    this.masking = masking;
  }

  public static void main(String[] arguments) throws Exception {
    List keys = Arrays.asList(arguments[0].split("\n"));
    List values = Arrays.asList(arguments[1].split("\n"));
    Masker masker = new Masker(new Masking(keys, values));
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] part = line.split("\t", -1);
      for (int i = 1; i < part.length; i++) part[i] = new String(Base64.getDecoder().decode(part[i]), StandardCharsets.UTF_8);
      String answer = masker.answer(part);
      System.out.println(Base64.getEncoder().encodeToString(answer.getBytes(StandardCharsets.UTF_8)));
      System.out.flush();
    }
  }

  private String answer(String[] part) throws Exception {
    if (part[0].equals("option")) return masking.option(part[1], part[2]);
    if (part[0].equals("patterns")) return patterns();
    if (part[0].equals("work")) return String.valueOf(work(part[1], part[2], part[3], Integer.parseInt(part[4])));
    if (part[0].equals("time")) return String.valueOf(time(part[1], part[2], part[3], Integer.parseInt(part[4])));
    if (part[0].equals("foreign")) {
      ForeignText shown = ForeignText.of("jdbc:x:y", part[2], Collections.singletonMap("x", part[1]), masking);
      return shown == null ? "(stays)" : shown.toString();
    }
    return done(part[0], part[1]);
  }

  private String done(String method, String text) throws Exception {
    if (method.equals("text")) return masking.text(text);
    if (method.equals("sql")) return masking.sql(text);
    if (method.equals("sqlWithoutLiterals")) return masking.sqlWithoutLiterals(text);
    if (method.equals("decidesRows")) return String.valueOf(ForeignQuery.parse("jdbc:x:y", text).decidesRows());
    if (method.equals("isName")) return String.valueOf(ForeignQuery.isName(text));
    Matcher m = pattern(method).matcher(text);
    while (m.find()) {}
    return "";
  }

  /** The names of all patterns of the classes that read texts, and the patterns. */
  private static String patterns() throws Exception {
    StringBuilder out = new StringBuilder();
    for (int c = 0; c < READERS.length; c++) {
      Field[] fields = READERS[c].getDeclaredFields();
      for (int i = 0; i < fields.length; i++) {
        if (fields[i].getType() != Pattern.class) continue;
        fields[i].setAccessible(true);
        out.append(READERS[c].getSimpleName()).append('.').append(fields[i].getName()).append('\t');
        out.append(((Pattern) fields[i].get(null)).pattern().replace("\n", "\\n")).append('\n');
      }
    }
    return out.toString();
  }

  private static Pattern pattern(String name) throws Exception {
    int dot = name.indexOf('.');
    for (int c = 0; c < READERS.length; c++) {
      if (!READERS[c].getSimpleName().equals(name.substring(0, dot))) continue;
      Field field = READERS[c].getDeclaredField(name.substring(dot + 1));
      field.setAccessible(true);
      return (Pattern) field.get(null);
    }
    throw new IllegalArgumentException(name);
  }

  /** A text that counts how often a pattern reads a character of it; more than enough ends the search. */
  private static final class Counted implements CharSequence {
    private static final int ENOUGH = 5000000;
    private final String text;
    private int reads;

    private Counted(String text) {
      this.text = text;
    }

    public int length() {
      return text.length();
    }

    public char charAt(int at) {
      if (++reads > ENOUGH) throw new IllegalStateException("enough");
      return text.charAt(at);
    }

    public CharSequence subSequence(int start, int end) {
      return text.substring(start, end);
    }
  }

  private long work(String method, String head, String unit, int size) throws Exception {
    StringBuilder text = new StringBuilder(head);
    while (text.length() < size) text.append(unit);
    if (method.indexOf('.') >= 0) {
      Counted counted = new Counted(text.toString());
      try {
        Matcher m = pattern(method).matcher(counted);
        while (m.find()) {}
      } catch (IllegalStateException e) {
        // counted.reads is over the limit
      }
      return counted.reads;
    }
    com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    done(method, text.toString());
    return threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
  }

  private double time(String method, String head, String unit, int size) throws Exception {
    double least = 0;
    for (int i = 0; i <= SIZES.length; i++) {
      if (least >= 50) return Double.POSITIVE_INFINITY;
      StringBuilder text = new StringBuilder(head);
      int length = i < SIZES.length ? SIZES[i] : size;
      while (text.length() < length) text.append(unit);
      least = Double.MAX_VALUE;
      for (int run = 0; run < RUNS && least > 20; run++) {
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        done(method, text.toString());
        least = Math.min(least, (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start) / 1e6);
      }
    }
    return least;
  }
}
