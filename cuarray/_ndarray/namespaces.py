"""Values as arrays of this namespace, for libraries that compute on any array API namespace.

array-api-compat and array-api-extra, of which SciPy and scikit-learn have copies, take the classes made of `float` and
`complex` for numbers of no library, and know NumPy's scalars as an exception. Ours are made another one in the
functions that tell them apart, which are private; where they are not those that are known here, values are numbers.
"""

import functools

from cuarray._core import ndarray, value_types


def register(module):
    """Let the functions of a module that know classes take values for arrays."""
    for name, change in CHANGES.items():
        if found := vars(module).get(name):
            setattr(module, name, functools.wraps(found)(change(found)))


def of_class(lookup):
    return lambda cls, *args, **keywords: lookup(ndarray if cls in value_types else cls, *args, **keywords)


def of_object(question):
    return lambda x: not isinstance(x, ndarray) and question(x)


#: Of array_api_compat/common/_helpers.py, scipy/_lib/_array_api_override.py and array_api_extra/_lib/_helpers.py.
CHANGES = {"_cls_to_namespace": of_class, "_validate_array_cls": of_class, "is_python_scalar": of_object}
