"""Py4J errors in one line, and errors by which a driver rejects the hook."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("py4j")

from py4j.protocol import Py4JError, Py4JNetworkError

from sac_kafka.spark.java_errors import brief, refusal

TRACE = (
    "An error occurred while calling o350.getClassLoader. Trace:\n"
    "py4j.security.Py4JSecurityException: {}\n"
    "\tat py4j.security.WhitelistingPy4JSecurityManager.checkCall(WhitelistingPy4JSecurityManager.java:473)\n"
    "\tat py4j.Gateway.invoke(Gateway.java:305)\n\n"
)
METHOD = "Method public java.lang.ClassLoader java.lang.Class.getClassLoader() is not whitelisted on class class java.lang.Class"
CONSTRUCTOR = "Constructor public java.util.Properties() is not allowlisted."


class JavaError(Py4JError):
    """An error with a Java object, as Py4JJavaError."""

    def __init__(self, text: str, cause: str | None = None) -> None:
        super().__init__("An error occurred while calling o1.cook.\n")
        below = None if cause is None else SimpleNamespace(toString=lambda: cause)
        self.java_exception = SimpleNamespace(toString=lambda: text, getCause=lambda: below)


@pytest.mark.parametrize(
    ("what", "name"), [(METHOD, "java.lang.Class.getClassLoader"), (CONSTRUCTOR, "java.util.Properties")]
)
def test_py4j_restriction_has_a_fix(what: str, name: str) -> None:
    error = Py4JError(TRACE.format(what))
    assert brief(error) == f"py4j.security.Py4JSecurityException: {what}"
    text = str(refusal(error))
    assert text.startswith("use compute whose access mode is Dedicated, neither Standard nor serverless: ")
    assert text.endswith(f"({name} is not allowed there)")


@pytest.mark.parametrize(
    ("java", "beginning"),
    [
        (f"py4j.security.Py4JSecurityException: {METHOD}", "use compute"),
        ("java.lang.ClassNotFoundException: org.codehaus.janino.SimpleCompiler", "put janino-"),
        ("java.lang.NoClassDefFoundError: org/codehaus/commons/compiler/Sandbox", "put janino-"),
        ("java.lang.NoSuchMethodError: 'void org.codehaus.janino.X.a()'", "put janino-"),
        ("java.lang.SecurityException: no", "start the driver without"),
        (
            'java.security.AccessControlException: access denied ("java.lang.RuntimePermission" "x")',
            "start the driver without",
        ),
    ],
)
def test_missing_class_or_permission_has_a_fix(java: str, beginning: str) -> None:
    text = str(refusal(JavaError(java + "\n\tat x")))
    assert text.startswith(beginning)
    assert "Py4J" in java or text.endswith(f"({java})")


@pytest.mark.parametrize(
    "error",
    [
        JavaError("org.codehaus.commons.compiler.CompileException: Line 3, Column 4: no such class"),
        JavaError("java.lang.ClassNotFoundException: com.example.Mine"),
        JavaError("org.apache.spark.SparkException: java.lang.SecurityException: no"),
        Py4JNetworkError("Answer from Java side is empty"),
        Py4JError(
            "An error occurred while calling o1.poll. Trace:\npy4j.Py4JException: Method poll([]) does not exist\n"
        ),
        ValueError("py4j.security.Py4JSecurityException: raised elsewhere"),
    ],
    ids=["compile", "other-class", "caused-by", "network", "no-method", "not-py4j"],
)
def test_other_errors_are_not_refusals(error: Exception) -> None:
    assert refusal(error) is None


def test_an_error_is_one_line() -> None:
    assert brief(ValueError("a\nb")) == "ValueError: a"
    assert brief(Py4JError("An error occurred while calling o1.x")) == "Py4JError: An error occurred while calling o1.x"


def test_wrapper_without_a_message_is_replaced_by_its_cause() -> None:
    wrapper = "java.lang.reflect.InvocationTargetException"
    assert brief(JavaError(wrapper, "java.lang.SecurityException: no\n\tat x")) == "java.lang.SecurityException: no"
    assert brief(JavaError(wrapper)) == wrapper
    assert brief(JavaError("a.B: c", "d.E: f")) == "a.B: c"
