# ruff: noqa: SIM905 # words read better in lines
"""Texts in which a secret, hunter2, has a short name: the masks in Python and those in the driver's JVM hide it."""

from __future__ import annotations

SHORT_NAMES = (
    *"pw pwd pass passw passwd passphrase passcode pass_phrase secret token apikey api_key api-key sas creds cred".split(),
    *"master_key authKey db_pw user.pw adminPw PW user_passw blob-sas".split(),
)

SHORT = (
    *(
        text.format(name=name)
        for name in SHORT_NAMES
        for text in (
            "{name}=hunter2",
            "of the loader ({name}=hunter2)",
            "{name} = 'hunter2 x'",
            "jdbc:x://h:1/d?user=u&{name}=hunter2&a=1",
            "jdbc:x://h;user=u;{name}=hunter2;a=1",
            "https://h/x?q=1%26{name}%3Dhunter2",
            '{{"{name}": "hunter2"}}',
            "{name}: hunter2",
            "OPTIONS (a 'b', {name} 'hunter2')",
            "OPTIONS (`{name}` 'hunter2')",
        )
    ),
    *(f"https://h/x?a=1&{name}=hunter2" for name in ("sig", "key", "subscription-key", "x-functions-key", "code")),
    *(f"its {name} key: hunter2" for name in ("API", "access", "private", "secret")),
    "api key = hunter2",
)
