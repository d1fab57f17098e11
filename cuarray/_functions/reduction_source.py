"""The signature and docstring of a row of reductions.def as Python source, for the package, stubs and reference."""

#: The parameters that a row can name, and their defaults.
DEFAULTS = {
    "axis": "None",
    "dtype": "None",
    "out": "None",
    "keepdims": "False",
    "initial": "NOT_GIVEN",
    "where": "True",
}
FUNCTION = '''\
def {name}(a, {signature}):
    """{doc}

    Parameters
    ----------
    a : array_like
{parameters}

    Returns
    -------
    ndarray
        {result}

    Raises
    ------
{nothing}    AxisError
        If an axis does not exist.
{notes}
    Examples
    --------
    >>> import cuarray as ca
    >>> ca.{name}({sample}, axis=0)
    {example}
    """
'''

NOTHING = """\
    ValueError
        If there is nothing to choose from.
"""

NOTES = """
    Notes
    -----
    The order of the fold depends on the shape alone, so results are equal from run to run; float16 and
    bfloat16 are folded in float32.
"""


def describe(parameter, row):
    """Return the type of a parameter, and a sentence about it."""
    flags = row["flags"]
    if parameter == "axis":
        if "GivesIndex" in flags:
            return "int, optional", "By default the index counts through the whole array in C order."
        return "int or tuple of int, optional", "All axes by default."
    if parameter == "dtype":
        wide = {"LongInt": ", int64 or uint64 for smaller integers", "WideInt": ", float64 for integers"}
        default = "".join(["the type of `a`", *(text for flag, text in wide.items() if flag in flags)])
        return "dtype, optional", f"What to compute in, and the type of the result; by default {default}."
    if parameter == "initial":
        absent = "by default what a fold of nothing gives"
        if not row["has_identity"]:
            absent = "needed where no element does"
        return "number or None, optional", f"Takes part in each result; {absent}."
    return {
        "out": ("ndarray, optional", "Where the result goes."),
        "keepdims": ("bool", "Whether the axes stay, with length 1."),
        "where": ("array_like of bool", "Which elements take part."),
    }[parameter]


def names_of(row):
    """Return the row's parameters, and * before those that are keywords only."""
    return row["parameters"].strip("()").split(", ")


def source(row):
    """Return the source of a function like a public row's, without a body; it knows `NOT_GIVEN`."""
    names = names_of(row)
    parameters = [name for name in names if name != "*"]
    described = [(name, *describe(name, row)) for name in parameters]
    results = set(row["results"].values())
    return FUNCTION.format(
        name=row["name"],
        doc=row["doc"],
        signature=", ".join(f"{name}={DEFAULTS[name]}" if name in DEFAULTS else name for name in names),
        parameters="\n".join(f"    {name} : {kind}\n        {text}" for name, kind, text in described),
        result=f"{results.pop()}." if len(results) == 1 else "Without axes where all are folded.",
        nothing="" if row["has_identity"] else NOTHING,
        notes=NOTES if "dtype" in parameters else "",
        sample=row["sample"],
        example=row["example"],
    )
