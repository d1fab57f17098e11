"""Values as arrays of this namespace, for libraries that compute on any array API namespace.

array-api-compat and array-api-extra, of which SciPy and scikit-learn have copies, take the classes made of `float` and
`complex` for numbers of no library, and know NumPy's scalars as an exception. Ours are made another one in the
functions that tell them apart, which are private; where they are not those that are known here, values are numbers.
"""

import functools

from cuarray._core import ndarray, value_types

#: The ends of the names of the modules with these functions, and of one that has imported them from another.
MODULES = (
    "array_api_compat.common._helpers",
    "array_api_extra._lib._helpers",
    "array_api_extra._lib._lazy",
    "array_api_extra._lib._utils._helpers",
    "scipy._lib._array_api_override",
)


def register(module):
    """Let the functions of a module that know classes take values for arrays."""
    for name, change in CHANGES.items():
        if found := vars(module).get(name):
            changed = functools.wraps(found)(change(found))
            for method in {"cache_clear", "cache_info", "cache_parameters"} & set(dir(found)):  # of functools.lru_cache
                setattr(changed, method, getattr(found, method))
            setattr(module, name, changed)


#: By their hashes, because cuarray.numpy makes them equal to the classes of NumPy's scalars.
VALUE_TYPES = frozenset(value_types)


def of_class(lookup):
    return lambda cls, *args, **keywords: lookup(ndarray if cls in VALUE_TYPES else cls, *args, **keywords)


def of_object(question):
    return lambda x: not isinstance(x, ndarray) and question(x)


CHANGES = {"_cls_to_namespace": of_class, "_validate_array_cls": of_class, "is_python_scalar": of_object}
