"""A plugin of pytest that prints the test commands of planted bugs that choose no test; with --collect-only."""

import shlex

from _pytest.mark import KeywordMatcher
from _pytest.mark.expression import Expression
from planted import SIMULATED
from test_planted import mutants


def chooses(command, items, matchers):
    """Whether a command of files, node names and `-k EXPRESSION` chooses one of the items."""
    words = shlex.split(command)
    words = words[words[0] in SIMULATED :]
    expression = Expression.compile(words[words.index("-k") + 1]) if "-k" in words else None
    for word in (word for word in words if word.startswith("tests/")):
        for item in items:
            name = item.nodeid
            if not (name == word or name.startswith((f"{word}::", f"{word}[", f"{word.rstrip('/')}/"))):
                continue
            if name not in matchers:
                matchers[name] = KeywordMatcher.from_item(item)
            if expression is None or expression.evaluate(matchers[name]):
                return True
    return False


def pytest_collection_finish(session):
    matchers = {}
    commands = sorted({command for mutant in mutants() for command in mutant.commands()})
    print(f"{len(commands)} commands")
    for command in commands:
        if not chooses(command, session.items, matchers):
            print(f"chooses no test: {command}")
