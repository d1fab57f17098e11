"""The table of distributions, and the source of the methods and functions that are made of it."""

from typing import NamedTuple

from cuarray import _core


class Parameter(NamedTuple):
    """A parameter of a distribution: its default as it is written, and a sentence about its domain."""

    name: str
    default: str
    text: str
    kind: str = "array_like of float"


class Distribution(NamedTuple):
    """A row of the table.

    `arguments` and `check` make the example: the check of the array `x` prints `answer`. `after` are parameters
    behind `size`, and `keywords` those that the legacy interface does not have.
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    arguments: str
    check: str
    answer: str = "True"
    after: tuple[Parameter, ...] = ()
    keywords: tuple[Parameter, ...] = ()
    size: str = "Shape of the result; by default that of the parameters, broadcast."


def required(name, text, kind="array_like of float"):
    return Parameter(name, "", text, kind)


def mean_near(mean, distance):
    return f"abs(x.mean().item() - {mean}) < {distance}"


LOC = Parameter("loc", "0.0", "Where the distribution is centred.")
SCALE = Parameter("scale", "1.0", "Its width, not negative.")
ROWS = "Shape of the result without its last axis; by default one row is drawn."
COUNTS = "array_like of int"

#: Distributions that both interfaces draw with the same parameters.
DISTRIBUTIONS = (
    Distribution(
        "beta",
        "Draw from a beta distribution, numbers from 0 to 1 with the density x**(a - 1) * (1 - x)**(b - 1).",
        (required("a", "Above 0."), required("b", "Above 0.")),
        "2.0, 6.0",
        mean_near(0.25, 0.05),
    ),
    Distribution(
        "binomial",
        "Draw from a binomial distribution, the number of successes in independent trials.",
        (required("n", "Number of trials, not negative.", COUNTS), required("p", "Probability of success, 0 to 1.")),
        "10, 0.3",
        mean_near(3, 0.5),
    ),
    Distribution(
        "chisquare",
        "Draw from a chi-square distribution, sums of squares of `df` standard normal numbers.",
        (required("df", "Degrees of freedom, above 0."),),
        "4.0",
        mean_near(4, 1),
    ),
    Distribution(
        "dirichlet",
        "Draw from a Dirichlet distribution, rows of numbers from 0 to 1 whose sum is 1.",
        (required("alpha", "One-dimensional, above 0; one number for each column."),),
        "[1.0, 2.0, 3.0]",
        "abs(x.sum(axis=-1) - 1).max().item() < 1e-12",
        size=ROWS,
    ),
    Distribution(
        "exponential",
        "Draw from an exponential distribution, such as the times between events.",
        (Parameter("scale", "1.0", "Its mean, not negative."),),
        "2.0",
        mean_near(2, 0.5),
    ),
    Distribution(
        "f",
        "Draw from an F distribution, the ratio of two chi-square numbers, each divided by its degrees of freedom.",
        (
            required("dfnum", "Degrees of freedom of the numerator, above 0."),
            required("dfden", "Degrees of freedom of the denominator, above 0."),
        ),
        "5.0, 20.0",
        mean_near(1.1, 0.3),
    ),
    Distribution(
        "gamma",
        "Draw from a gamma distribution, with the density x**(shape - 1) * exp(-x / scale).",
        (required("shape", "Not negative."), Parameter("scale", "1.0", "Not negative.")),
        "2.0, 3.0",
        mean_near(6, 1),
    ),
    Distribution(
        "geometric",
        "Draw from a geometric distribution, the number of trials up to the first success.",
        (required("p", "Probability of success, above 0 and at most 1."),),
        "0.25",
        mean_near(4, 1),
    ),
    Distribution(
        "gumbel",
        "Draw from a Gumbel distribution, the limit of the largest of many numbers.",
        (Parameter("loc", "0.0", "The most frequent number."), SCALE),
        "1.0, 2.0",
        mean_near(2.15, 0.7),
    ),
    Distribution(
        "hypergeometric",
        "Draw from a hypergeometric distribution, the number of good ones in a sample without replacement.",
        (
            required("ngood", "Number of good ones, not negative.", COUNTS),
            required("nbad", "Number of bad ones, not negative.", COUNTS),
            required("nsample", "Size of the sample, at most ``ngood + nbad``.", COUNTS),
        ),
        "30, 10, 8",
        mean_near(6, 0.4),
    ),
    Distribution(
        "laplace",
        "Draw from a Laplace distribution, with the density exp(-abs(x - loc) / scale).",
        (LOC, SCALE),
        "1.0, 2.0",
        mean_near(1, 0.8),
    ),
    Distribution(
        "logistic",
        "Draw from a logistic distribution, whose distribution function is 1 / (1 + exp((loc - x) / scale)).",
        (LOC, SCALE),
        "1.0, 2.0",
        mean_near(1, 1),
    ),
    Distribution(
        "lognormal",
        "Draw from a log-normal distribution, the exponentials of normal numbers.",
        (
            Parameter("mean", "0.0", "Mean of the logarithms."),
            Parameter("sigma", "1.0", "Standard deviation of the logarithms, not negative."),
        ),
        "1.0, 0.1",
        "abs(ca.log(x).mean().item() - 1) < 0.03",
    ),
    Distribution(
        "logseries",
        "Draw from a logarithmic distribution, in which k has a probability proportional to p**k / k.",
        (required("p", "At least 0 and below 1."),),
        "0.5",
        mean_near(1.44, 0.25),
    ),
    Distribution(
        "multinomial",
        "Draw from a multinomial distribution, rows that count the outcomes of `n` trials.",
        (
            required("n", "Number of trials, not negative.", COUNTS),
            required("pvals", "Probabilities of the outcomes along the last axis, whose sum is at most 1."),
        ),
        "20, [0.2, 0.3, 0.5]",
        "(x.sum(axis=-1) == 20).all().item()",
        size=ROWS,
    ),
    Distribution(
        "multivariate_normal",
        "Draw from a multivariate normal distribution, rows of numbers with given means and covariances.",
        (
            required("mean", "One-dimensional; one number for each column."),
            required("cov", "Covariance matrix, symmetric and positive semidefinite."),
        ),
        "[0.0, 5.0], [[1.0, 0.5], [0.5, 2.0]]",
        "abs(ca.mean(x, axis=0)[1].item() - 5) < 0.4",
        after=(
            Parameter(
                "check_valid", "'warn'", "What to do if the matrix is not semidefinite: warn, raise or ignore.", "str"
            ),
            Parameter("tol", "1e-8", "Tolerance of that check.", "float"),
        ),
        keywords=(Parameter("method", "'svd'", "'svd', 'eigh' or 'cholesky'; the last one is the fastest.", "str"),),
        size=ROWS,
    ),
    Distribution(
        "negative_binomial",
        "Draw from a negative binomial distribution, the number of failures before `n` successes.",
        (
            required("n", "Number of successes, above 0."),
            required("p", "Probability of success, above 0 and at most 1."),
        ),
        "4.0, 0.5",
        mean_near(4, 0.8),
    ),
    Distribution(
        "noncentral_chisquare",
        "Draw from a noncentral chi-square distribution, sums of squares of normal numbers around other means.",
        (required("df", "Degrees of freedom, above 0."), required("nonc", "Noncentrality, not negative.")),
        "3.0, 2.0",
        mean_near(5, 1),
    ),
    Distribution(
        "noncentral_f",
        "Draw from a noncentral F distribution, an F distribution whose numerator is a noncentral chi-square.",
        (
            required("dfnum", "Degrees of freedom of the numerator, above 0."),
            required("dfden", "Degrees of freedom of the denominator, above 0."),
            required("nonc", "Noncentrality of the numerator, not negative."),
        ),
        "5.0, 20.0, 2.0",
        mean_near(1.56, 0.4),
    ),
    Distribution(
        "normal",
        "Draw from a normal distribution.",
        (Parameter("loc", "0.0", "Mean."), Parameter("scale", "1.0", "Standard deviation, not negative.")),
        "3.0, 0.5",
        mean_near(3, 0.2),
    ),
    Distribution(
        "pareto",
        "Draw from a Pareto distribution of the second kind (Lomax), with the density (1 + x)**(-a - 1).",
        (required("a", "Above 0."),),
        "9.0",
        mean_near(0.125, 0.05),
    ),
    Distribution(
        "poisson",
        "Draw from a Poisson distribution, the number of events in an interval.",
        (Parameter("lam", "1.0", "Its mean, not negative."),),
        "5.0",
        mean_near(5, 0.6),
    ),
    Distribution(
        "power",
        "Draw from a power distribution, numbers from 0 to 1 with the density x**(a - 1).",
        (required("a", "Above 0."),),
        "3.0",
        mean_near(0.75, 0.06),
    ),
    Distribution(
        "rayleigh",
        "Draw from a Rayleigh distribution, the length of a vector of two normal numbers.",
        (Parameter("scale", "1.0", "Standard deviation of both, not negative."),),
        "2.0",
        mean_near(2.51, 0.4),
    ),
    Distribution(
        "standard_cauchy",
        "Draw from the Cauchy distribution around 0, which has no mean.",
        (),
        "",
        "abs(ca.median(x).item()) < 0.5",
    ),
    Distribution(
        "standard_t",
        "Draw from Student's t distribution.",
        (required("df", "Degrees of freedom, above 0."),),
        "10.0",
        mean_near(0, 0.4),
    ),
    Distribution(
        "triangular",
        "Draw from a triangular distribution, whose density rises to `mode` and falls from there.",
        (
            required("left", "The smallest number."),
            required("mode", "The most frequent number, from `left` to `right`."),
            required("right", "The largest number, above `left`."),
        ),
        "0.0, 1.0, 5.0",
        mean_near(2, 0.3),
    ),
    Distribution(
        "uniform",
        "Draw from a uniform distribution over ``low <= x < high``.",
        (Parameter("low", "0.0", "The smallest number."), Parameter("high", "1.0", "The upper end.")),
        "2.0, 4.0",
        "((x >= 2) & (x < 4)).all().item()",
    ),
    Distribution(
        "vonmises",
        "Draw from a von Mises distribution, angles from -pi to pi around a direction.",
        (required("mu", "The direction, in radians."), required("kappa", "How concentrated they are, not negative.")),
        "1.0, 8.0",
        mean_near(1, 0.15),
    ),
    Distribution(
        "wald",
        "Draw from a Wald (inverse Gaussian) distribution, the times at which a drifting particle reaches a distance.",
        (required("mean", "Above 0."), required("scale", "Above 0.")),
        "3.0, 10.0",
        mean_near(3, 0.6),
    ),
    Distribution(
        "weibull",
        "Draw from a Weibull distribution of scale 1, such as lifetimes.",
        (required("a", "Not negative."),),
        "2.0",
        mean_near(0.886, 0.12),
    ),
    Distribution(
        "zipf",
        "Draw from a Zipf distribution, in which k has a probability proportional to k**-a.",
        (required("a", "Above 1."),),
        "4.0",
        "x.min().item() >= 1",
    ),
)

#: Those of Generator alone.
OF_GENERATOR = (
    Distribution(
        "multivariate_hypergeometric",
        "Draw from a multivariate hypergeometric distribution, rows that count the kinds in a sample.",
        (
            required("colors", "One-dimensional, not negative: how many there are of each kind.", COUNTS),
            required("nsample", "Size of the sample, at most their sum.", "int"),
        ),
        "[16, 8, 4], 6",
        "(x.sum(axis=-1) == 6).all().item()",
        after=(
            Parameter("method", "'marginals'", "'marginals' or 'count'; both draw from the same distribution.", "str"),
        ),
        size=ROWS,
    ),
)

#: Those that Generator draws in several types, with parameters of its own.
OF_RANDOMSTATE = (
    Distribution(
        "standard_exponential",
        "Draw from the exponential distribution of mean 1.",
        (),
        "",
        mean_near(1, 0.25),
    ),
    Distribution(
        "standard_gamma",
        "Draw from a gamma distribution of scale 1.",
        (required("shape", "Not negative."),),
        "2.0",
        mean_near(2, 0.4),
    ),
    Distribution(
        "standard_normal", "Draw from the normal distribution of mean 0 and variance 1.", (), "", mean_near(0, 0.25)
    ),
    Distribution(
        "random_sample", "Draw from the uniform distribution over ``0 <= x < 1``.", (), "", mean_near(0.5, 0.08)
    ),
)

METHOD = '''\
def {name}(self, {signature}):
    """{summary}

    Parameters
    ----------
{parameters}

    Returns
    -------
    ndarray
        Of {dtype}; one number is a value.

    Raises
    ------
    TypeError
        If a parameter is not a number or an array of numbers.
    ValueError
        If a parameter is out of its domain, or the shapes do not fit.

    See Also
    --------
    numpy.random.Generator.{method}

    Examples
    --------
    >>> import cuarray as ca
{drawn}
    >>> {check}
    {answer}
    """
'''

#: Distributions over whole numbers.
COUNTING = frozenset([
    "binomial", "geometric", "hypergeometric", "logseries", "multinomial", "multivariate_hypergeometric",
    "negative_binomial", "poisson", "zipf",
])  # fmt: skip


def parameters_of(row, legacy):
    """Return the parameters of a method: the positional ones, and those that are keywords alone."""
    positional = [*row.parameters, Parameter("size", "None", row.size, "int or tuple of int"), *row.after]
    return positional, [] if legacy else row.keywords


def signature(row, legacy=False):
    """Return the text of the parameters of a method, without self."""
    positional, keywords = parameters_of(row, legacy)
    written = [p.name + (f"={p.default}" if p.default else "") for p in positional]
    return ", ".join([*written, *["*"] * bool(keywords), *[f"{p.name}={p.default}" for p in keywords]])


def source(row, legacy):
    """Return the text of the method that draws from a distribution, of Generator or of RandomState."""
    positional, keywords = parameters_of(row, legacy)
    described = [
        f"    {p.name} : {p.kind}{', optional' if p.default else ''}\n        {p.text}"
        for p in [*positional, *keywords]
    ]
    example = f"{row.name}({', '.join(filter(None, [row.arguments, 'size=1000']))})"
    if legacy:
        drawn = f"    >>> x = ca.random.{example}"
    else:
        drawn = f"    >>> rng = ca.random.default_rng(7)\n    >>> x = rng.{example}"
    kind = "int64" if row.name in COUNTING else "float64"
    return METHOD.format(
        name=row.name,
        signature=signature(row, legacy),
        summary=row.summary,
        parameters="\n".join(described),
        dtype=kind,
        method="random" if row.name == "random_sample" else row.name,
        drawn=drawn,
        check=row.check,
        answer=row.answer,
    )


def add_methods(kind, rows, legacy=False):
    """Add the methods of the rows to a class."""
    for row in rows:
        names = {}
        exec(compile(source(row, legacy), f"<{kind.__name__}.{row.name}>", "exec"), names)
        method = names[row.name]
        method.__module__, method.__qualname__ = kind.__module__, f"{kind.__name__}.{row.name}"
        setattr(kind, row.name, _core.random_method(method))
