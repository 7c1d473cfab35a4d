"""Record the results of the original classes for the fixed corpus: python -m tests.unit.settings.files.originals.record.

For files in tests/fixtures/config/properties keys and values, for texts in logins.json the login; null if rejected.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.unit.settings.files.originals.generating import ENVIRONMENT, SYSTEM
from tests.unit.settings.files.originals.process import Originals

CORPUS = Path(__file__).resolve().parents[4] / "fixtures" / "config"
PROPERTIES = CORPUS / "properties"
ANSWERS = CORPUS / "properties.json"
LOGINS = CORPUS / "logins.json"


def record() -> None:
    with TemporaryDirectory() as folder:
        originals = Originals(Path(folder), SYSTEM, ENVIRONMENT)
        answers = {}
        for file in sorted(PROPERTIES.glob("*.properties")):
            answer = originals.properties(file)
            answers[file.stem] = None if answer.refused else answer.pairs()
        logins = []
        for text in (each["text"] for each in json.loads(LOGINS.read_text("utf-8"))):
            answer = originals.jaas(text)
            login = None if answer.refused else [*answer.texts[:2], answer.pairs(2)]
            logins.append({"text": text, "login": login})
        originals.close()
    ANSWERS.write_text(json.dumps(answers, indent=1) + "\n", "utf-8")
    LOGINS.write_text(json.dumps(logins, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    record()
