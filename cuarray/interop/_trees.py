"""Nested containers of arrays: lists, tuples, dicts, dataclasses and Dr.Jit's structs, taken apart and put together.

A container is taken apart into a list of its arrays and a *skeleton*, the same container with a `Slot` in the
place of each array. Everything else (numbers, strings, None) stays in the skeleton.

No recursive function is nested in another: it would be a reference cycle, which keeps arrays until a collection.
"""

import copy
import dataclasses
import functools


@dataclasses.dataclass(frozen=True)
class Slot:
    """The place of an array in a skeleton."""

    index: int


slot = functools.cache(Slot)

#: The classes of most of what is no container.
ATOMS = frozenset({int, float, complex, bool, str, bytes, type(None), slice, range})


def _names(tree):
    """Return the names of the attributes that hold the parts of an object, or None if it has no parts."""
    if isinstance(tree, type):
        return None
    if dataclasses.is_dataclass(tree):
        return [field.name for field in dataclasses.fields(tree)]
    struct = getattr(type(tree), "DRJIT_STRUCT", None)
    return list(struct) if isinstance(struct, dict) else None


def rebuilt(tree, change):
    """Return a container of the same class whose parts are `change(part, step)`, or None if it is no container."""
    if type(tree) in ATOMS:
        return None
    if isinstance(tree, tuple):
        parts = [change(part, i) for i, part in enumerate(tree)]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    if isinstance(tree, list):
        return [change(part, i) for i, part in enumerate(tree)]
    if isinstance(tree, dict):
        made = copy.copy(tree)
        for key, part in tree.items():
            made[key] = change(part, key)
        return made
    names = _names(tree)
    if names is None:
        return None
    made = copy.copy(tree)
    for name in names:
        object.__setattr__(made, name, change(getattr(tree, name), name))
    return made


def take_apart(tree, is_array):
    """Return the arrays of a nested container, and its skeleton."""
    if is_array(tree):
        return [tree], slot(0)
    arrays = []
    return arrays, _with_slots(tree, is_array, arrays)


def _with_slots(tree, is_array, arrays):
    if is_array(tree):
        arrays.append(tree)
        return slot(len(arrays) - 1)
    made = rebuilt(tree, lambda part, _: _with_slots(part, is_array, arrays))
    return tree if made is None else made


@functools.cache
def arrays_alone(count):
    """Return the skeleton of the arguments of a call with so many arrays and nothing else."""
    return tuple(map(slot, range(count))), {}


def take_arguments_apart(args, keywords, is_array):
    """Return the arrays among the arguments of a call, and the skeleton of both."""
    if not keywords and all(map(is_array, args)):
        return list(args), arrays_alone(len(args))
    return take_apart((args, keywords), is_array)


def put_together(skeleton, arrays):
    """Return the container of a skeleton with these arrays in its slots."""
    if type(skeleton) is Slot:
        return arrays[skeleton.index]
    if skeleton is arrays_alone(len(arrays)):
        return tuple(arrays), {}
    made = rebuilt(skeleton, lambda part, _: put_together(part, arrays))
    return skeleton if made is None else made


def key(skeleton):
    """Return something hashable that is equal for equal skeletons, or None if a part of it is not hashable."""
    try:
        return _key(skeleton)
    except TypeError:
        return None


def _key(skeleton):
    if isinstance(skeleton, Slot):
        return Slot, skeleton.index
    parts = []
    if rebuilt(skeleton, lambda part, step: parts.append((step, _key(part)))) is not None:
        return type(skeleton), tuple(parts)
    hash(skeleton)
    return type(skeleton), skeleton


def _part(tree, step, parent):
    if isinstance(parent, (tuple, list, dict)):
        return tree[step]
    return getattr(tree, step)


def in_slots(skeleton, tree, function):
    """Return what a container of the skeleton's structure holds in its slots, by slot.

    None in the place of a container or an array gives None for all its slots. ValueError if the structures
    differ.
    """
    found = {}
    _find(skeleton, tree, "", found, function)
    return [found[index] for index in sorted(found)]


def _find(skeleton, tree, path, found, function):
    def visit(part, step, other):
        _find(part, other, f"{path}[{step!r}]", found, function)

    if isinstance(skeleton, Slot):
        found[skeleton.index] = tree
    elif tree is None:
        rebuilt(skeleton, lambda part, step: visit(part, step, None))
    else:
        fits = isinstance(skeleton, (tuple, list)) == isinstance(tree, (tuple, list))
        if fits and isinstance(skeleton, (tuple, list, dict)):
            fits = len(skeleton) == len(tree)
        try:
            rebuilt(skeleton, lambda part, step: visit(part, step, _part(tree, step, skeleton)))
        except (KeyError, TypeError, AttributeError):
            fits = False
        if not fits:
            raise ValueError(f"{function}: {path or 'it'} must have the structure {skeleton!r}, not {tree!r}") from None
