"""The site that docs/build.sh builds: its sources here; pages, links and a browser in the part `site` of .ci/full."""

import ast
import html.parser
import importlib.util
import os
import pkgutil
import re
import shutil
import subprocess
import types
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import cuarray
from cuarray._namespace.aliases import ALIASES
from cuarray._namespace.missing import Absent

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


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The script that makes the reference, and the texts of its pages by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        made = script("make_reference")
        patch.setattr(made, "API", tmp_path_factory.mktemp("site") / "api")
        patch.setattr(made, "rendered", str)  # numpydoc is not installed
        made.main()
        return made, {file.stem: file.read_text("utf-8") for file in made.API.glob("*.rst")}


def public_names():
    """Yield all that is public by name: modules, what is in them, and the methods and attributes of their classes."""
    homes = ("cuarray", "cuarray.lib", "cuarray.interop")
    found = [module.name for module in pkgutil.walk_packages(cuarray.__path__, "cuarray.")
             if (ROOT / module.name.replace(".", "/")).with_suffix(".py").exists() or module.ispkg]  # fmt: skip
    for name in ["cuarray", *found]:
        home, _, last = name.rpartition(".")
        if last.startswith("_") or (home and home not in homes):
            continue
        yield name
        if home == "cuarray.interop":  # its modules need other libraries
            yield from written_names(name)
            continue
        module = importlib.import_module(name)
        for one in getattr(module, "__all__", ()):
            value = getattr(module, one)
            if isinstance(value, types.ModuleType):
                continue
            yield f"{name}.{one}"
            if isinstance(value, type) and value.__module__.startswith("cuarray"):
                own = [kind for kind in value.__mro__ if kind.__module__.startswith("cuarray")]
                yield from (f"{name}.{one}.{n}" for kind in own for n, member in vars(kind).items()
                            if n[0] != "_" and not isinstance(member, Absent))  # fmt: skip


def written_names(name):
    """Yield the public names of a module as its source has them, and the methods of its classes."""
    path = ROOT / name.replace(".", "/")
    files = list(path.glob("*.py")) or [path.with_suffix(".py")]
    head = (path / "__init__.py" if path.is_dir() else files[0]).read_text("utf-8")
    text = "\n".join(file.read_text("utf-8") for file in files)
    listed = re.search(r"^__all__ = (\[.*?\])", head, re.MULTILINE | re.DOTALL)
    for one in ast.literal_eval(listed[1]) if listed else ():
        yield f"{name}.{one}"
        if body := re.search(rf"^class {one}\b.*?\n(?=\S)", text + "\nend", re.MULTILINE | re.DOTALL):
            yield from (f"{name}.{one}.{n}" for n in re.findall(r"^    def ([a-zA-Z]\w*)", body[0], re.MULTILINE))


def test_every_public_name_has_a_page(reference):
    made, pages = reference
    described = {
        f"{module}.{name}"
        for text in pages.values()
        for name, module in re.findall(r"^\.\. py:\w+:: ([\w.]+).*\n   :module: (\S+)", text, re.MULTILINE)
    }
    aliases = {f"cuarray.{theirs}": f"cuarray.{ours}" for theirs, ours in ALIASES.items()}
    names = {aliases.get(name, name) for name in public_names()} - {"cuarray"}
    assert len(names) > 1000
    modules = {name.rpartition(".")[0] for name in described}
    with_one_page = {f"cuarray.{name}" for name in made.TABLE["whole"]}
    for name in names - described - modules - pages.keys():
        home, _, last = name.rpartition(".")
        owner = next((one for one in (home, home.rpartition(".")[0]) if one in with_one_page), None)
        is_said = owner and (hasattr(cuarray, last) or f"``{last}``" in pages[owner] or home != owner)
        assert is_said, f"{name} has no page"


def test_every_page_of_an_object_speaks_of_devices(reference):
    _, pages = reference
    objects = [name for name, text in pages.items() if re.search(rf"^{re.escape(name)}\n=+\n\n\.\. py:current", text)]
    assert len(objects) > 700
    assert not [name for name in objects if "\n.. rubric:: Devices\n\n" not in pages[name]]


def test_a_name_without_a_chapter_is_an_error(reference, monkeypatch):
    made, _ = reference
    chapter = next(chapter for chapter in made.TABLE["chapter"] if chapter["title"] == "Set routines")
    assert not made.without_chapter()
    sections = {title: names.replace("isin ", "") for title, names in chapter["sections"].items()}
    monkeypatch.setitem(chapter, "sections", sections)
    assert made.without_chapter() == ["isin"]


def test_the_table_of_chapters_names_what_exists(reference):
    made, _ = reference
    known = {name.removeprefix("cuarray.") for name in made.statements()}
    assert not (made.EXCEPTIONS.keys() | made.WAITS) - known
    keys = {
        *made.EXCEPTIONS.values(),
        *(chapter["on"] for chapter in made.TABLE["chapter"]),
        "draws",
        "drawn",
        "attribute",
    }
    assert keys == made.TABLE["devices"].keys()


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
