package sackafka.launching;

/** Writes lines to the driver's standard error; no text in them can forge another line. */
final class Log {
  private static final String[] NAMES = {"\\t", "\\n", null, null, "\\r"};

  private Log() {}

  /** Writes a line of the hook. */
  static void warn(String text) {
    System.err.println("sac_kafka: " + escaped(text));
  }

  /** Returns a text with control, bidirectional and invisible characters written as escapes, as `sac_kafka/escaping.py` does. */
  static String escaped(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); ) {
      int code = text.codePointAt(i);
      i += Character.charCount(code);
      String name = code >= 9 && code <= 13 ? NAMES[code - 9] : null;
      if (!isUnsafe(code)) out.appendCodePoint(code);
      else if (name != null) out.append(name);
      else out.append(String.format(code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", new Object[] {Integer.valueOf(code)}));
    }
    return out.toString();
  }

  private static boolean isUnsafe(int code) {
    switch (Character.getType(code)) {
      case Character.CONTROL:
      case Character.FORMAT:
      case Character.SURROGATE:
      case Character.LINE_SEPARATOR:
      case Character.PARAGRAPH_SEPARATOR:
        return true;
      default:
        return isInvisible(code);
    }
  }

  /** Whether a letter or mark is not to be seen. */
  private static boolean isInvisible(int code) {
    return code == 0x34f || code == 0x115f || code == 0x1160 || code == 0x17b4 || code == 0x17b5 || code == 0x3164
        || code == 0xffa0 || code >= 0x180b && code <= 0x180f || code >= 0xfe00 && code <= 0xfe0f
        || code >= 0xfff0 && code <= 0xfffb || code >= 0xe0000 && code <= 0xe0fff;
  }
}
