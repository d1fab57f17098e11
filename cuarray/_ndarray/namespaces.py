"""Values as arrays of this namespace, for libraries that compute on any array API namespace.

array-api-compat, of which SciPy and scikit-learn have copies, takes the classes made of `float` and `complex` for
numbers of no library, and knows NumPy's scalars as an exception. Ours are made another one in its lookups by class,
which are private; where they are not the ones that are known here, values are numbers to it.
"""

import functools

from cuarray._core import ndarray, value_types

#: The lookups by class: in array_api_compat/common/_helpers.py and scipy/_lib/_array_api_override.py.
LOOKUPS = ("_cls_to_namespace", "_validate_array_cls")


def register(module):
    """Let the lookups of a module find for values what they find for arrays."""
    for name in LOOKUPS:
        if found := vars(module).get(name):
            setattr(module, name, with_values(found))


def with_values(lookup):
    @functools.wraps(lookup)
    def found(cls, *args, **keywords):
        return lookup(ndarray if cls in value_types else cls, *args, **keywords)

    return found
