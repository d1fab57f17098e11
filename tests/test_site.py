"""The site that docs/build.sh builds: its sources here; pages, links and a browser in the part `site` of .ci/full."""

import html.parser
import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import cuarray
from cuarray._namespace.aliases import ALIASES

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SITE = ROOT / "build/site/html"


def script(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_chart_is_drawn_from_the_measurements():
    drawn = script("make_chart").chart((DOCS / "measured.md").read_text("utf-8"))
    assert drawn == (DOCS / "images/speed.svg").read_text("utf-8"), "run docs/make_chart.py"


def test_the_guide_is_in_order():
    text = (DOCS / "guide/index.md").read_text("utf-8")
    listed = re.search(r":hidden:\n\n(.*?)```", text, re.DOTALL)[1].split()
    assert re.findall(r"^- \[.*\]\((.*)\.md\)$", text, re.MULTILINE) == listed, (
        "both for those who read the file itself"
    )
    assert listed[:3] == ["install", "ten_minutes", "fast"]
    assert {file.stem for file in (DOCS / "guide").glob("*.md")} - {"index", "gallery", "depth"} <= set(listed)


def test_names_for_users_of_cupy_exist():
    rows = re.findall(r"^\| .* \| (.*) \|$", (DOCS / "guide/from_cupy.md").read_text("utf-8"), re.MULTILINE)
    assert len(rows) >= 80
    for name in re.findall(r"\bca\.([\w.]+)", " ".join(rows)):
        value = cuarray
        for part in name.rstrip(".").split("."):
            value = getattr(value, part)


def test_every_function_has_a_page(tmp_path, monkeypatch):
    made = script("make_reference")
    monkeypatch.setattr(made, "API", tmp_path / "api")
    made.main()
    functions = {ALIASES.get(n, n) for n in cuarray.__all__ if callable(getattr(cuarray, n))}
    types = {n for n in functions if isinstance(getattr(cuarray, n), type)}
    pages = {file.stem.removeprefix("cuarray.") for file in made.API.glob("*.rst")}
    assert len(functions - types) > 300 and not functions - types - pages


def test_every_page_is_listed():
    trees = [re.findall(r"^```{toctree}\n(.*?)^```", file.read_text("utf-8"), re.MULTILINE | re.DOTALL)
             for file in DOCS.rglob("*.md")]  # fmt: skip
    listed = {Path(line).stem for tree in trees for text in tree for line in text.splitlines()}
    pages = {file.stem for file in DOCS.rglob("*.md")} - {"ci-full-summary", "index"}
    assert len(pages) > 20 and not pages - listed


class Page(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, file):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        self.links += [attributes[key] for key in ("href", "src") if attributes.get(key)]


@pytest.fixture(scope="module")
def site():
    if "CUARRAY_TEST_SITE" not in os.environ:
        pytest.skip("only in the part site of .ci/full")
    return SITE


def test_no_link_is_broken(site):
    pages = {file: Page(file) for file in site.rglob("*.html") if "_static" not in file.parts}
    broken, checked = [], 0
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            anchor = unquote(parts.fragment)
            checked += 1
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].anchors):
                broken.append(f"{file.relative_to(site)}: {link}")
    assert checked > 1000 and not broken, broken[:20]


#: Width and height of the windows.
WINDOWS = {"desktop": (1280, 900), "phone": (390, 844)}


def browser():
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    return found or pytest.skip("no Chromium is installed")


def opened(url, *options, window):
    """Open a page in a headless browser; return what it prints and its console's messages."""
    command = [browser(), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
               "--allow-file-access-from-files", f"--window-size={window[0]},{window[1]}", "--virtual-time-budget=8000", *options, url]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    # "[PST]" begins the theme's own notes.
    return done.stdout, [line for line in re.findall(r"CONSOLE.*", done.stderr) if "[PST]" not in line]


@pytest.mark.parametrize(
    "name", ["index", "guide/ten_minutes", "guide/from_cupy", "api/cuarray.linspace", "differences"]
)
@pytest.mark.parametrize("window", WINDOWS)
def test_pages_in_a_browser(site, window, name):
    pictures = site.parent / "screenshots"
    pictures.mkdir(exist_ok=True)
    file = pictures / f"{name.replace('/', '-')}-{window}.png"
    _, messages = opened((site / f"{name}.html").as_uri(), f"--screenshot={file}", window=WINDOWS[window])
    assert file.stat().st_size > 10_000 and not messages


def test_search_finds_a_function(site):
    text, messages = opened((site / "search.html").as_uri() + "?q=linspace", "--dump-dom", window=WINDOWS["desktop"])
    assert "api/cuarray.linspace.html" in text and not messages
