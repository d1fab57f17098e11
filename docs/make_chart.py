"""Write docs/images/speed.svg, the bar chart of the first page, from rows of docs/measured.md."""

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parent
#: The bars: what the page calls a row, and the row's name in docs/measured.md.
BARS = {
    "a*b + sin(c), fused, 16 M float32": "a*b+sin(c), 16 M float32, fused",
    "a*b + sin(c), step by step": "a*b+sin(c), 16 M float32, eager",
    "1 M normal numbers, float32": "standard_normal, float32, 1000000",
    "1 M uniform numbers, float64": "random, 1000000",
    "acos, float32": "acos float32 (vector library alone 0.70x)",
    "average along axis 0, float32": "average along axis 0, float32 (70% of copy bandwidth)",
    "matrix @ vector, 4096 float64": "matrix @ vector, 4096 float64",
    "a + b, 1 element": "a+b, 1 element(s)",
}
WIDTH, LEFT, HEIGHT, SCALE = 720, 260, 26, 55


def ratio(name, text):
    """NumPy's time over cuarray's in a row."""
    found = re.search(rf"^\| {re.escape(name)} \| [^|]+ \| [^|]*numpy[^|]* \| ([\d.]+)x", text, re.MULTILINE)
    return float(found[1])


def chart(text):
    height = HEIGHT * len(BARS) + 34
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif"'
        ' font-size="14">',
        "<title>Speed on the CPU as a multiple of NumPy's</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
    ]
    for place, (label, name) in enumerate(BARS.items()):
        value, y = ratio(name, text), 8 + HEIGHT * place
        colour = "#2a6f97" if value >= 1 else "#c1666b"
        lines.append(f'<text x="{LEFT - 10}" y="{y + 15}" text-anchor="end" fill="#222">{label}</text>')
        lines.append(f'<rect x="{LEFT}" y="{y}" width="{value * SCALE:.0f}" height="{HEIGHT - 6}" fill="{colour}"/>')
        lines.append(f'<text x="{LEFT + value * SCALE + 6:.0f}" y="{y + 15}" fill="#222">{value:.2f}</text>')
    foot = height - 10
    lines += [
        f'<line x1="{LEFT + SCALE}" x2="{LEFT + SCALE}" y1="2" y2="{foot - 14}" stroke="#222" stroke-dasharray="3 3"/>',
        f'<text x="{LEFT + SCALE}" y="{foot}" text-anchor="middle" fill="#222">NumPy = 1</text>',
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (DOCS / "images/speed.svg").write_text(chart((DOCS / "measured.md").read_text("utf-8")), "utf-8")
