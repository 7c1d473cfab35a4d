# ruff: noqa: SIM905 # words read better in lines
"""Random properties files, logins and sections, composed of the constructs that the originals' rules cover."""

from __future__ import annotations

import random
from pathlib import Path

SYSTEM = {"test.name": "ada", "test.path": "/opt/x"}
ENVIRONMENT = {"TEST_HOME": "/home/ada", "TEST_BACK": "a\\b", "TEST_SELF": "${a}"}
"""Without commas: Atlas takes the first element of a list in a variable, we take all of it."""

KEYS = (*r"a b c d.e atlas.kafka.x k\=z k\:z \u0061 F a\\b k\,l é x$y".split(), r"k\ y", "")
PIECES = (
    *("v 1 abc $ConnectionString \" ' = : ; # ! @ / % é \x01 \x7f".split(" ")),
    *r"""one two|,|,,| , |\,|\\,|\\\,|\\|\\\\|\|\t|\n|\r|\f|\b|\q|\'|\"|\u0041|\u00e9|\u002c|\u005c|\u20|\u|\=|\ """.split(
        "|"
    ),
    *("\t", "\f", "\v", "  ", "${ a }"),
    *r"${a} ${b} ${d.e} ${nothing} ${no:-d} ${ } $ $${a} $$${b} ${} $$ \$ \${a} ${a${b}} $\{a} ${${a}}".split(),
    *"${sys:test.name} ${sys:nothing} ${sys:} ${:a} ${x:a}".split(),
    *"${env:TEST_HOME} ${env:TEST_BACK} ${env:TEST_SELF} ${env:NOTHING}".split(),
)
ENDS = ("\n", "\n", "\n", "\r\n", "\r", "\\\n", "\\\r\n   ", "\\\\\n", " \n", "\\ \n", "")
SEPARATORS = ("=", "=", "=", " = ", ":", " ", "\t", " : ", "==", "= =", "\f=", "", "\v", "=\\\n  ")
WORDS = ("\xa0x", "\x80", *"a a.Module org.x.Plain-Login x_y $ConnectionString é a1 A.B$C required {".split())
RIGHT = (
    *r""" "v" 'v' "" v abc123 a.b-c "a;b" "a\"b" "a\\b" "a\d" "\101\60\477\8" "\400" "\0" "é\n" true """.split(),
    *r""" "$ConnectionString" "Endpoint=sb://x/;SharedAccessKey=a+b/c=" "/*" "//" '"' "'" "\a\v\f\t\r\b" a-1.2 """.split(),
    *('"a b"', "'it\\'s'", "\u4e2d", "x\u4e2d", '"\U0001f600"', "\xa0", '"\\\n"', '"\x7f"'),
)
WRONG = (
    *r"""123abc -x -1 1.5 .5 . - p@ss /etc/x a/b a=b "a 'a \ "\ // /* { ; """.split(),
    *('"a\nb"', "\U0001f600", "\x7f", "\x85", "", "a b", "\ufffd"),
)
GLUE = (*[" "] * 12, "\n", "\t", "  ", "", " /* c */ ", " // c\n", "/", "\r", "\f", "\x00", "\x1c")


def properties_text(chance: random.Random, *, includes: tuple[str, ...] = ()) -> str:
    """Generate a file of up to twelve lines, most of them valid, some with a trap in any place."""
    lines = []
    for _ in range(chance.randint(0, 12)):
        kind = chance.random()
        if kind < 0.06:
            lines.append(chance.choice(("# a comment", "  ! another", "", "   ", "alone", "\\", "=", ":v", "=v")))
        elif kind < 0.1 and includes:
            name = chance.choice((*includes, "missing.properties", "${a}.properties", ",".join(includes)))
            lines.append(f"{chance.choice(('include', 'INCLUDE', 'Include'))}{chance.choice(('=', ' = ', ' '))}{name}")
        else:
            value = "".join(chance.choice(PIECES) for _ in range(chance.randint(0, 6)))
            value += "\\uzzzz" * (chance.random() < 0.01)
            lines.append(chance.choice(KEYS) + chance.choice(SEPARATORS) + value)
        lines.append(chance.choice(ENDS))
    return "".join(lines)


def write_properties(chance: random.Random, folder: Path) -> Path:
    """Write a file, and some that it may include; as Latin-1 if that is no valid UTF-8, because we read UTF-8 too."""
    for name in ("one.properties", "two.properties"):
        _write(folder / name, properties_text(chance))
    file = folder / "top.properties"
    _write(file, properties_text(chance, includes=("one.properties", "two.properties")))
    return file


def jaas_text(chance: random.Random) -> str:
    """Generate a login that is valid three times out of four, except for its values."""

    def glue() -> str:
        return chance.choice(GLUE)

    text = chance.choice((*WORDS, '"quoted.Module"', *["a.Module"] * 20)) + " " + glue()
    flags = ("required", "Required", "OPTIONAL", "requisite", "sufficient", '"required"')
    text += chance.choice((*flags, *flags, *flags, "often", ""))
    for _ in range(chance.randint(0, 4)):
        name = chance.choice((*WORDS, "username", "password", '"a b"', "1", "-", "k"))
        equals = chance.choice((*["="] * 20, " = ", "==", ""))
        text += (
            " " + glue() + name + glue() + equals + glue() + chance.choice(WRONG if chance.random() < 0.08 else RIGHT)
        )
    text += glue() + chance.choice((*[";"] * 20, " ;", "", ";;", "; x", "; // c", "; a.B required;", ";\n/* c */"))
    return text if chance.random() < 0.9 else _damaged(chance, text)


def section_text(chance: random.Random) -> str:
    """Generate a section `atlas.jaas.KafkaClient`; values have no backslash and are not empty, where ours is more lenient."""
    lines = []
    if chance.random() < 0.9:
        module = chance.choice(("com.sun.security.auth.module.Krb5LoginModule", " a.Module ", "a.Module", "a.b-c.D$E"))
        lines.append(f"atlas.jaas.KafkaClient.loginModuleName={module}")
    if chance.random() < 0.6:
        flag = chance.choice(("required", "Optional", "REQUISITE", "sufficient", "required", "often", ""))
        lines.append(f"atlas.jaas.KafkaClient.loginModuleControlFlag = {flag}")
    for name in chance.sample(
        ("principal", "keyTab", "useKeyTab", "username", "password", "serviceName", "a-b", "x.y"), 4
    ):
        pieces = ("a b", *"v \" ' ; = @REALM kafka/_HOST@R kafka/h@R a/_HOST/b é1 // , $x /*".split())
        value = "".join(chance.choice(pieces) for _ in range(chance.randint(1, 4)))
        lines.append(f"atlas.jaas.KafkaClient.option.{name}={value}")
    chance.shuffle(lines)
    return "\n".join(lines) + "\n"


def _damaged(chance: random.Random, text: str) -> str:
    place = chance.randrange(len(text) + 1)
    return (
        text[:place]
        + chance.choice(("", '"', "'", "\\", ";", "=", "/", "-", "0", "\n", "\u00a0", "{"))
        + text[place + chance.randint(0, 2) :]
    )


def _write(file: Path, text: str) -> None:
    data = text.encode("iso-8859-1")
    try:
        data.decode()
    except UnicodeDecodeError:
        pass
    else:
        data = text.replace("é", "e").encode()
    file.write_bytes(data)
