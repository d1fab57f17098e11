"""What differs in the text of polynomials: intervals lie on the device of coefficients, which print as NumPy's."""

from cuarray import _core
from cuarray._core import ndarray

CLASSES = ("Polynomial", "Chebyshev", "Legendre", "Laguerre", "Hermite", "HermiteE")


class Interval:
    """The `domain` or the `window` of a class of polynomials, which polynomials of all devices share."""

    def __init__(self, name, of_class):
        self.name, self.of_class = name, of_class.numpy()

    def __get__(self, polynomial, _kind):
        of_class = polynomial is None or self.name not in vars(polynomial)
        interval = self.of_class if of_class else vars(polynomial)[self.name]
        coefficients = getattr(polynomial, "coef", None)
        if isinstance(coefficients, ndarray) and isinstance(interval, ndarray):
            return interval.to_device(coefficients.device)
        if not of_class:
            return interval
        return _core.array_from_object(interval, None, getattr(coefficients, "device", None))

    def __set__(self, polynomial, interval):
        vars(polynomial)[self.name] = interval


def adapt(module):
    """Change what has to differ in the text, which a module has run."""
    polyutils = module.polyutils
    format_float, mapparms = polyutils.format_float, polyutils.mapparms

    def format_coefficient(x, parens=False):
        return format_float(x.numpy()[()] if isinstance(x, ndarray) else x, parens)

    def parameters_of_map(old, new):
        if isinstance(old, ndarray) and isinstance(new, ndarray):
            new = new.to_device(old.device)
        return mapparms(old, new)

    format_coefficient.__doc__, parameters_of_map.__doc__ = format_float.__doc__, mapparms.__doc__
    parameters_of_map.__name__ = "mapparms"
    polyutils.format_float, polyutils.mapparms = format_coefficient, parameters_of_map
    for kind in (getattr(module, name) for name in CLASSES):
        kind.domain, kind.window = Interval("domain", kind.domain), Interval("window", kind.window)
