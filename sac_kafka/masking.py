"""Mask secrets in logs, error messages and reprs: secret settings, and secrets within ordinary text.

Used wherever a setting, a URL or the text of another library's error is displayed. If in doubt, text is masked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

MASK = "********"
_PLACEHOLDER = '"…"'
"""Placeholder for a password in examples of our own messages; it is not masked."""

_SHORT = r"(?:\A|[._-])(?:passw?|pw|sas|creds?)\Z|(?-i:[a-z0-9](?:Passw?|Pw|Sas)\Z)"
"""Short secret names; unlike the others they are not searched within a name, such as `pass_count`."""
_KEY_OWNER = "access|account|api|auth|client|master|private|pvt|sas"
_SECRET_KEY = re.compile(
    rf"jaas\.config|option\.pass|{_SHORT}|pas+w|pwd|pass[._-]?phrase|secret|token(?!\.endpoint|\.renew)|\.pem$|keystore\.key$|"
    r"user\.info|basic\.auth(?!\.user(name)?$)|credential(?!s?\.(provider\.path|client\.id)$)|"
    rf"(shared|{_KEY_OWNER})[._-]?key(?!name|id)|signature|(^|[._-])sig$",
    re.IGNORECASE,
)
_SECRET_NAME = re.compile(
    rf"passw(?:or)?d|pwd|pass[._-]?(?:phrase|code)|secret|token(?!\.endpoint)|(?:{_KEY_OWNER})[._-]?key(?!name|id)|"
    rf"signature|x-amz-credential|\Asig\Z|{_SHORT}",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"(?:tokens|passwords|secrets|credentials|[._-](?:counts?|length|size|limit|max|min))\Z", re.IGNORECASE
)
"""Suffixes of parameter names whose values are not secret if they are numbers."""
_NUMBER = re.compile(r"\d{1,9}(?![\w.+/=-])")
_SUSPECT = re.compile(r"pass|pwd?|secret|token|key|signature|cred|sig|sas|code", re.IGNORECASE)
_URL_NAME = re.compile(r"(?:.*-)?(?:subscription|functions)-key|code|key", re.IGNORECASE)
"""Names that are secret only as parameters of a URL."""
_KEY_IN_WORDS = re.compile(
    r"""\b((?:api|access|private|secret)[ \t]key["'`]?[ \t]{0,9}[=:][ \t]{0,9})(?!\*{3})(?:"[^"]*"?|'[^']*'?|[^\s;&,]+)""",
    re.IGNORECASE,
)
_LITERAL = r"""(?=\\?["']|[NnEeRr]')"""
_PARAMETER = re.compile(  # up to the value; without = or : in between, as in PASSWORD 'x', the value must be quoted
    r"""(?<![\w.$-])([\w.$-]+)\\?["'`]?(?:\s*(:?=|%3[Dd]|:)\s*|(?:\s+|\s*\(\s*|(?<=["'])\s*,\s*)"""
    rf"{_LITERAL})"
)
_SPOKEN = re.compile(rf"""(?<![\w.$-])([\w.$-]+)\\?["'`]?\s+{_LITERAL}""")
"""Like `_PARAMETER`, but only parameters without = or :."""
_QUOTED = {  # a doubled quote is an escaped quote, or opens a nested literal; an unclosed literal extends to the end
    '"': re.compile(r'""(?![\s,;)&}\]"\'])(?:(?!"").)*(?:""|\Z)|"(?:[^"\\]|\\.|"")*(?:"|\\?\Z)', re.DOTALL),
    "'": re.compile(r"''(?![\s,;)&}\]\"'])(?:(?!'').)*(?:''|\Z)|'(?:[^'\\]|\\.|'')*(?:'|\\?\Z)", re.DOTALL),
    "\\": re.compile(  # JSON within JSON, SQL within Java
        r"\\\"(?:[^\\]|\\[^\"])*(?:\\\"|\\?\Z)|\\'(?:[^\\]|\\[^'])*(?:\\'|\\?\Z)|[^\s;&]+", re.DOTALL
    ),
    "{": re.compile(r"\{(?:[^}]|\}\})*(?:\}|\Z)"),  # SQL Server's syntax
}
_BRACE = re.compile("[{}]")
_BARE = re.compile(r"[^\s;&]+")
_MORE_WORD = re.compile(r"[ \t]+(?![\w.$-]+\\?[\"'`]?\s*(?:=|:|%3[Dd]))[^\s;&]+")
_IDENTIFIED = re.compile(
    r"(?P<begun>\b(?:(?:create|alter)\s+(?:user|role)|grant)\s)|(?P<ended>;(?!\S))|"  # a statement about users
    r"\b(?P<word>identified)\s+(?:with\s+\S{1,64}\s+)?(?P<by>by|as)\s+(?:(?:password|values)\s+)?(?=\S)",
    re.IGNORECASE,
)
_SQL_WORD = re.compile(r"[^\s;,)]+")
_MIXED = r"(?=[A-Za-z]*[0-9])(?=[a-z0-9]*[A-Z])(?=[A-Z0-9]*[a-z])"
"""Lookahead for text that mixes digits, upper and lower case, which names chosen by people rarely do."""
_RUN = rf"{_MIXED}[A-Za-z0-9]{{20,}}"
_PARTS = r"(?:[A-Za-z0-9]*[_-]){0,9}"
_TOKEN = re.compile(  # tokens with a known form: JWT, GitHub, GitLab, OpenAI, Stripe, Slack, Google, Databricks, Entra ID
    rf"(?<!\w)(?<!\w-)(?:eyJ{_MIXED}[A-Za-z0-9]{{12,}}[\w-]*(?:\.[\w-]*){{0,2}}|gh[oprsu]_{_RUN}|github_pat_{_PARTS}{_RUN}\w*|"
    r"glpat-(?=[\w-]{0,19}[0-9])(?=[\w-]{0,19}[A-Z])(?=[\w-]{0,19}[a-z])[\w-]{20,}|"
    rf"sk-(?:(?:proj|svcacct|admin|ant)-{_PARTS})?{_RUN}[\w-]*|sk_(?:live|test)_{_RUN}|"
    rf"xox[a-z]-(?:{_PARTS}{_RUN}|(?:[0-9]{{9,14}}-){{2,3}}[A-Za-z0-9]{{10,}})[\w-]*|"
    rf"AIza(?=[\w-]{{0,34}}[0-9])(?=[\w-]{{0,34}}[A-Z])(?=[\w-]{{0,34}}[a-z])[\w-]{{35}})|dapi[0-9a-f]{{32}}|"
    r"(?<![\w.~-])[\w.~-]{3}[0-9]Q~[\w.~-]{31,34}(?![\w.~-])"
)
_BEARER = re.compile(
    r"\b((?i:Bearer))\s{1,3}(?=[\w.~+/-]*?(?:[a-z][A-Z]|[0-9]|=)|[\w.~+/-]{20})[\w.~+/=-]{8,}"
)  # a lower-case word is prose
_BASIC = re.compile(r"\b((?i:Basic))\s{1,3}(?=[\w+/]*?(?:[a-z][A-Z]|[0-9]|[\w+/]=))[\w+/=]{8,}")
_USER = re.compile(r"[^/?#:@\s\"']*")
_USER_INFO = re.compile(r"[^/\s\"'?#]*@")  # greedy, because a password may contain an @
_PORT = re.compile(r"\d{1,5}(?:[/?,;\s]|\Z)")
_WORD = re.compile(r"[^\s\"'?#]*")
_BEHIND_MARK = re.compile(r"[?#][^\s\"'@/&]*@")  # a password that contains ? or # without percent-encoding
_ORACLE = re.compile(r"jdbc:oracle:\w{1,20}:(?!@)", re.IGNORECASE)
_CONTAINER = re.compile(r"(?:\A|\W)(?:abfs|wasb)s?\Z", re.IGNORECASE)  # schemes with container@account, not user@host
_LOGIN = re.compile(  # user:password@host without a scheme, or after https:/ (path normalization removes a slash)
    r"(?:(?<=:/)|(?<![\w:/@.$+-]))(?!jdbc:)[\w.$+-]+:(?![/\\])(?:(?!://)[^\s\"'<>]){1,300}@(?=[\w\[])"
)
_WORDS = re.compile(r"\S+")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL
)


MAX_LINE_LENGTH = 10_000
"""Maximum length of a masked line, in characters."""


def is_secret(key: str) -> bool:
    """Return whether the whole value of a setting is secret (`sasl.jaas.config`, `…password…`, `….pem`)."""
    return _SECRET_KEY.search(key) is not None


def mask_setting(key: str, value: str) -> str:
    """Return the masked value of a setting: asterisks if the setting is secret, else `mask_value` of it."""
    if key.endswith("bootstrap.servers"):
        return ",".join(_masked_server(entry) for entry in value.split(","))
    return MASK if is_secret(key) and value else mask_value(value)


def mask_value(text: str) -> str:
    """Mask secrets in the value of a setting: like `mask_text`, and also `user:password@host` without a scheme.

    `mask_text` does not mask the latter, because in data it is rarely a login: an HBase table is named
    `namespace:table@cluster`.

    >>> mask_value("kafka me:pw@host:9092")
    'kafka ********@host:9092'
    """
    result = mask_text(text)
    return _LOGIN.sub(f"{MASK}@", result) if "@" in result else result


def _masked_server(address: str) -> str:
    """Mask everything before the @ of a server without a scheme: a pasted `user:password@host:port` or connection string."""
    result = mask_text(address)
    login, at, host = result.rpartition("@")
    return f"{MASK}@{host}" if at and "://" not in login else result


def mask_line(text: str, max_length: int = MAX_LINE_LENGTH) -> str:
    """Mask a line of our own log or output word by word, as a safety net: its values should be masked already.

    The line is truncated to `max_length` characters, because masking longer lines would slow down the job.

    >>> mask_line("--user needs a password: set it; topic password=x")
    '--user needs a password: set it; topic password=********'
    """
    bounded = text if len(text) <= max_length else f"{text[:max_length]}…"
    result = _BASIC.sub(rf"\1 {MASK}", _BEARER.sub(rf"\1 {MASK}", _PRIVATE_KEY.sub(MASK, bounded)))
    return _WORDS.sub(lambda word: mask_value(word[0]), _without_values(_mask_identified_by(result), _SPOKEN))


def mask_text(text: str) -> str:
    """Mask user info in URLs, parameters such as `password=`, `SharedAccessKey=`, `sig=`, tokens, and private keys.

    >>> mask_text("jdbc:postgresql://bob:pw@db/x?sslmode=on&password=pw")
    'jdbc:postgresql://********@db/x?sslmode=on&password=********'
    """
    text = _PRIVATE_KEY.sub(MASK, text)
    if "@" in text:
        text = _without_oracle_users(_without_users(text))
    text = _BEARER.sub(rf"\1 {MASK}", text)
    text = _BASIC.sub(rf"\1 {MASK}", text)
    text = _TOKEN.sub(MASK, text)
    return _without_values(_mask_identified_by(text))


def _without_users(text: str) -> str:
    """Mask the user info of URLs. Each word is searched for its last @ only once, so that the time stays linear."""
    parts, done, word_end, last = [], 0, 0, -1
    at = text.find("://")
    while at >= 0:
        user = at + 3
        stop = _USER.match(text, user).end()  # type: ignore[union-attr] # it also matches the empty string
        end, has_password = -1, text[stop : stop + 1] == ":"
        if found := _USER_INFO.match(text, user):
            is_container = not has_password and _CONTAINER.search(text[max(0, at - 6) : at])
            end = found.end() - 1 if not is_container else -1
        elif has_password and not _PORT.match(text, stop + 1):
            if stop >= word_end:
                word_end = _WORD.match(text, stop).end()  # type: ignore[union-attr] # as above
                last = text.rfind("@", stop, word_end)
            behind = _BEHIND_MARK.match(text, word_end)
            end = last if last > stop else behind.end() - 1 if behind else -1
        if end > user:
            parts += [text[done:user], MASK]
            done = end
        at = text.find("://", max(done, user))
    return "".join([*parts, text[done:]])


def _without_oracle_users(text: str) -> str:
    """Mask `user/password` in `jdbc:oracle:thin:user/password@host`."""
    parts, done, word_end, last = [], 0, 0, -1
    for found in _ORACLE.finditer(text):
        start = found.end()
        if start < done:
            continue
        if start >= word_end:
            word_end = next((i for i in range(start, len(text)) if text[i].isspace()), len(text))
            described = text.find("@(", start, word_end)
            last = described if described >= 0 else text.rfind("@", start, word_end)
        if last > start:
            parts += [text[done:start], MASK]
            done = last
    return "".join([*parts, text[done:]])


def _without_values(text: str, parameter: re.Pattern[str] = _PARAMETER) -> str:
    """Mask the values of parameters with secret names."""
    if not _SUSPECT.search(text):
        return text
    text = _KEY_IN_WORDS.sub(rf"\1{MASK}", text)
    parts, done, at = [], 0, 0
    while found := parameter.search(text, at):
        at = found.end()
        if text.startswith(MASK[:3], at) or text.startswith(MASK[:3], at + 1) or text.startswith(_PLACEHOLDER, at):
            continue
        if not _is_secret_parameter(text, found) or (_MEASURE.search(found[1]) and _NUMBER.match(text, at)):
            continue
        sign = found[2] if found.lastindex == 2 else None
        if sign is None and text[at] in "NnEeRr":
            at += 1  # N'…', E'…'
        end = _end_of_value(text, at, is_assigned=sign is not None and sign != ":")
        if end > at:
            parts += [text[done:at], MASK]
            done = at = end
    return "".join([*parts, text[done:]])


def _mask_identified_by(text: str) -> str:
    """Mask the password of `IDENTIFIED BY x`; in lower case an unquoted word is masked only in a statement about users."""
    if "identified" not in text.lower():
        return text
    parts, done, in_statement = [], 0, False
    for found in _IDENTIFIED.finditer(text):
        start = found.end()
        if found.start() < done or text.startswith(("?", MASK[:3]), start) or text.startswith(MASK[:3], start + 1):
            continue
        if found["word"] is None:
            in_statement = found["begun"] is not None
            continue
        is_prose = found["word"] == "Identified" and found["by"].islower()
        quoted = _QUOTED.get(text[start]) if in_statement or not is_prose else None
        is_statement = in_statement or found["word"].isupper()
        value = (quoted or _SQL_WORD).match(text, start) if quoted or is_statement else None
        if value is not None:
            parts += [text[done:start], MASK]
            done = value.end()
    return "".join([*parts, text[done:]])


def _is_secret_parameter(text: str, found: re.Match[str]) -> bool:
    name, start = found[1], found.start(1)
    before = text[start - 1 : start]
    if before == "%" and name[:2].lower() in ("26", "3f"):  # & and ? of a URL within a URL
        name, before = name[2:], "&"
    if _URL_NAME.fullmatch(name):
        return before in ("?", "&")
    if found[0].rstrip().endswith(",") and text[max(0, start - 2) : start] not in ("('", '("'):
        return False  # an element of a list, unlike the pair ('password', 'x')
    if name.lower() == "token" and text[max(0, start - 12) : start].lower() == "oauthbearer ":
        return False  # librdkafka's error "OAUTHBEARER token …": a reason follows, no token
    return _SECRET_NAME.search(name) is not None


def _end_of_value(text: str, start: int, *, is_assigned: bool) -> int:
    """Return the end of a value: after its quotes or braces, else at & or ; or a blank without a further word."""
    opening = text[start : start + 1]
    if opening == "{" and not is_assigned:
        return _end_of_object(text, start)
    quoted = _QUOTED.get(opening)
    found = (quoted or _BARE).match(text, start)
    if found is None:
        return start
    end = found.end()
    while quoted is None and is_assigned and (more := _MORE_WORD.match(text, end)):
        end = more.end()
    return end


def _end_of_object(text: str, start: int) -> int:
    """Return the position after a JSON object, the end of the text if it is not closed."""
    depth = 0
    for brace in _BRACE.finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.end()
    return len(text)


class SecretMapping(Mapping[str, str]):
    """A read-only mapping of settings whose repr masks secrets."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = dict(values or {})

    def __getitem__(self, key: str) -> str:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr({key: mask_setting(key, value) for key, value in self._values.items()})
