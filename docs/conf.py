"""Settings of Sphinx for the site. docs/build.sh builds it."""

import os
import re
import tomllib
from pathlib import Path

import numpy as np
from docutils import nodes

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
REPOSITORY = tomllib.loads((ROOT / "addresses.toml").read_text("utf-8"))["repository"].rstrip("/")

project = "cuarray"
copyright = "The cuarray developers"
release = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
version = release

extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["ci-full-summary.md"]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "attrs_inline"]

html_theme = "pydata_sphinx_theme"
html_title = f"cuarray {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_prev_next": True,
    "collapse_navigation": True,  # a page of 1 KB would carry a list of 700 others
    "navigation_depth": 2,
    "header_links_before_dropdown": 5,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
    **({"github_url": REPOSITORY} if REPOSITORY else {}),
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": []}
highlight_language = "none"

#: Pages of the site that are files of the repository's root.
PAGES = {
    "CHANGELOG.md": "project/changelog",
    "CONTRIBUTING.md": "project/contributing",
    "SECURITY.md": "project/security",
}


SCALAR_TYPES = {n for n, kind in vars(np).items() if isinstance(kind, type) and issubclass(kind, np.generic)}


def moved_links(text, folder, page):
    """The text of a file in `folder`, with its links as they have to be in a page of the site."""

    def moved(match):
        label, target, anchor = match.groups()
        if "://" in target:
            return match[0]
        file = (folder / target).resolve()
        name = file.relative_to(ROOT).as_posix() if file.is_relative_to(ROOT) else ""
        if name in PAGES:
            file = DOCS / f"{PAGES[name]}.md"
        elif not file.is_relative_to(DOCS):
            return f"[{label}]({REPOSITORY}/blob/main/{name})" if REPOSITORY else f"{label} (`{name}`)"
        return f"[{label}]({os.path.relpath(file, (DOCS / page).parent)}{anchor})"

    # Also links whose text is broken across lines; not inside of blocks of code.
    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [re.sub(r"(?<!!)\[([^\[\]]+)\]\(([^)#\s]+)(#[^)\s]*|)\)", moved, part) for part in parts[::2]]
    return "".join(parts)


def read(app, page, source):
    """Take the pages of PAGES from the root, and mend the links of all."""
    if page.startswith("api/"):
        return
    if page == "reference":  # its anchors are HTML, which MyST does not read
        source[0] = re.sub(r"\]\(#([\w.]+)\)", r"](api/cuarray.\1.rst)", source[0])
    source[0] = re.sub(r"\]\(((?:\.\./)*)reference\.md#([\w.]+)\)", r"](\1api/cuarray.\2.rst)", source[0])
    for name, other in PAGES.items():
        if page == other:
            source[0] = moved_links((ROOT / name).read_text("utf-8"), ROOT, page)
            return
    source[0] = moved_links(source[0], (DOCS / page).parent, page)


def numpy_page(app, env, node, content):
    """Link what a docstring says of NumPy's objects to NumPy's pages."""
    name = node.get("reftarget", "")
    if not name.startswith("numpy."):
        return None
    page = f"generated/{name}.html"
    if name.removeprefix("numpy.") in SCALAR_TYPES:
        page = f"arrays.scalars.html#{name}"
    elif re.search(r"\.random\..*(BitGenerator|MT19937|PCG64|SFC64|SeedSequence)", name):
        page = "random/bit_generators/index.html"
    return nodes.reference("", "", content, refuri=f"https://numpy.org/doc/stable/reference/{page}")


def fold_proofs(app, document):
    """Fold the expressions that prove the rows of a table, its column "shown by", into the column before it."""
    for table in document.findall(nodes.table):
        heading, *rows = table.findall(nodes.row)
        if heading[-1].astext() != "shown by":
            continue
        columns = table.next_node(nodes.tgroup)
        columns["cols"] -= 1
        columns.remove(list(columns.findall(nodes.colspec))[-1])
        heading.pop()
        for row in rows:
            proof = row.pop()
            opened = nodes.raw("", "<details><summary>shown by</summary>", format="html")
            row[-1] += [opened, *proof.children, nodes.raw("", "</details>", format="html")]


def setup(app):
    app.connect("doctree-read", fold_proofs)
    app.connect("source-read", read)
    app.connect("missing-reference", numpy_page)
