"""release.py -- what a release needs.

    python scripts/release.py check v0.1.0    names everything that is missing for this tag, and exits with 1
    python scripts/release.py notes v0.1.0    prints the section of CHANGELOG.md

A release: set the version in pyproject.toml, simulator/pyproject.toml and CITATION.cff, date the section of
CHANGELOG.md ("## 0.1.0 - 2026-11-30"), commit, tag the commit vX.Y.Z and push the tag;
.github/workflows/release.yml does the rest. On PyPI, both cuarray and cuarray-simulator have to name this workflow, and
its environment pypi, as trusted publisher.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def versions(root: Path) -> dict[str, str]:
    """Return the version that each file states."""
    patterns = {
        "pyproject.toml": r'^version = "(.+)"$',
        "simulator/pyproject.toml": r'^version = "(.+)"$',
        "CITATION.cff": r"^version: (.+)$",
    }
    found = {}
    for name, pattern in patterns.items():
        match = re.search(pattern, (root / name).read_text("utf-8"), re.MULTILINE)
        found[name] = match[1] if match else "none"
    return found


def section(changelog: str, version: str) -> tuple[str, str]:
    """Return the date in the heading of a version's section, and the section's text; "" where there is none."""
    match = re.search(rf"^## {re.escape(version)} - ([^\n]+)\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    return (match[1].strip(), match[2].strip()) if match else ("", "")


def missing(root: Path, tag: str) -> list[str]:
    """Return a sentence for each thing that a release of this tag lacks."""
    if not re.fullmatch(r"v\d+\.\d+\.\d+(rc\d+)?", tag):
        return [f"the tag is {tag}; v1.2.3 or v1.2.3rc1 expected"]
    version = tag[1:]
    faults = [f"{name} says {found}, the tag {version}" for name, found in versions(root).items() if found != version]
    date, text = section((root / "CHANGELOG.md").read_text("utf-8"), version)
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        faults.append(f'CHANGELOG.md has no heading "## {version} - YYYY-MM-DD"' + (f", but - {date}" if date else ""))
    elif not text:
        faults.append(f"CHANGELOG.md says nothing about {version}")
    addresses = tomllib.loads((root / "addresses.toml").read_text("utf-8"))
    return faults + [f"addresses.toml: {name} is empty" for name, address in addresses.items() if not address]


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] not in ("check", "notes"):
        print(__doc__)
        return 2
    command, tag = arguments
    if command == "notes":
        print(section((ROOT / "CHANGELOG.md").read_text("utf-8"), tag.removeprefix("v"))[1])
        return 0
    faults = missing(ROOT, tag)
    print("\n".join(faults) or f"{tag} can be released")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
