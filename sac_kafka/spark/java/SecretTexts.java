package sackafka;

import java.util.regex.Pattern;

/** Texts that are secrets by themselves. */
class SecretTexts {
  /** A run of letters and digits with all three kinds: names that people give have words in them instead. */
  private static final String MIXED = "(?=[A-Za-z]*+[0-9])(?=[a-z0-9]*+[A-Z])(?=[A-Z0-9]*+[a-z])";
  private static final String RUN = MIXED + "[A-Za-z0-9]{20,}+";
  private static final String PARTS = "(?:[A-Za-z0-9]*+[_-]){0,9}";
  /** What is a secret by itself: JSON web tokens, headers, tokens of Databricks, GitHub, GitLab, Slack, Google, OpenAI, Anthropic, Stripe. */
  static final Pattern TOKEN =
      Pattern.compile(
          "(?<!\\w)(?<!\\w-)eyJ" + MIXED + "[A-Za-z0-9]{12,}+[\\w-]*+(?:\\.[\\w-]*+){0,2}+|(?i:bearer)\\s++(?=[\\w.~+/-]*?(?:[a-z][A-Z]|[0-9]|=)|[\\w.~+/-]{20})[\\w.~+/-]{8,}+=*+"
              + "|(?i:basic)\\s++(?=[\\w+/]*?(?:[a-z][A-Z]|[0-9]|[\\w+/]=))[\\w+/]{8,}+=*+|dapi[0-9a-f]{32}"
              + "|(?<!\\w)(?<!\\w-)(?:gh[oprsu]_" + RUN + "|github_pat_" + PARTS + RUN + "\\w*+"
              + "|glpat-(?=[\\w-]{0,19}[0-9])(?=[\\w-]{0,19}[A-Z])(?=[\\w-]{0,19}[a-z])[\\w-]{20,}+"
              + "|xox[a-z]-(?:" + PARTS + RUN + "|(?:[0-9]{9,14}+-){2,3}+[A-Za-z0-9]{10,}+)[\\w-]*+"
              + "|AIza(?=[\\w-]{0,34}[0-9])(?=[\\w-]{0,34}[A-Z])(?=[\\w-]{0,34}[a-z])[\\w-]{35}"
              + "|sk-(?:(?:proj|svcacct|admin|ant)-" + PARTS + ")?" + RUN + "[\\w-]*+|sk_(?:live|test)_" + RUN + ")");
  static final Pattern PRIVATE_KEY =
      Pattern.compile("-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\\z)", Pattern.DOTALL);
}
