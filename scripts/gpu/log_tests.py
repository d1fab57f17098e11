"""A plugin of pytest that writes a line of JSON whenever a test begins or ends, and what such a file says."""

import json
import os
from pathlib import Path

VARIABLE = "GPU_CHECK_TEST_LOG"  # the file
ONLY = "GPU_CHECK_ONLY"  # a text that the names of tests must have


def pytest_collection_modifyitems(config, items):
    wanted = os.environ.get(ONLY, "")
    config.hook.pytest_deselected(items=[item for item in items if wanted not in item.nodeid])
    items[:] = [item for item in items if wanted in item.nodeid]


def write(**fields):
    with open(os.environ[VARIABLE], "a", encoding="utf-8") as log:
        print(json.dumps(fields), file=log)


def is_worker():
    # The main process of pytest-xdist gets what its workers report.
    return "PYTEST_XDIST_WORKER" in os.environ


def pytest_runtest_logstart(nodeid):
    if not is_worker():
        write(test=nodeid, event="begin")


def pytest_runtest_logreport(report):
    if not is_worker():
        why = {"why": report.longreprtext[-4000:]} if report.failed else {}
        write(test=report.nodeid, event=report.when, outcome=report.outcome, seconds=round(report.duration, 3), **why)


def pytest_runtest_logfinish(nodeid):
    if not is_worker():
        write(test=nodeid, event="end")


def read(path):
    """Return the counts of tests that have ended, why each failed, and the names of those that did not end."""
    results, running, failed = {}, {}, {}
    lines = Path(path).read_text("utf-8").splitlines() if Path(path).exists() else []
    for line in lines:
        try:
            found = json.loads(line)
        except ValueError:
            continue  # the last line, if the process was killed while it wrote
        name, event, outcome = found["test"], found["event"], found.get("outcome")
        if event == "begin":
            running[name] = True
        # pytest-xdist reports a test whose worker has gone as failed, at no stage of the test.
        if event not in ("begin", "setup", "call", "teardown"):
            running.pop(name, None)
        if outcome == "failed":
            results[name] = "failed"
            failed.setdefault(name, found["why"])
        elif name not in results and (outcome == "skipped" or event == "call"):
            results[name] = outcome
    counts = {kind: sum(result == kind for result in results.values()) for kind in ("passed", "failed", "skipped")}
    return counts, failed, sorted(running)
