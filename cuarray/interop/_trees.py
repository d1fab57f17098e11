"""Nested containers of arrays: lists, tuples, dicts, dataclasses and Dr.Jit's structs, taken apart and put together.

A container is taken apart into a list of its arrays and a *skeleton*, the same container with a `Slot` in the
place of each array. Everything else (numbers, strings, None) stays in the skeleton.
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

    def visit(part, _step=None):
        if is_array(part):
            arrays.append(part)
            return slot(len(arrays) - 1)
        made = rebuilt(part, visit)
        return part if made is None else made

    return arrays, visit(tree)


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

    def visit(part, _step=None):
        if isinstance(part, Slot):
            return arrays[part.index]
        made = rebuilt(part, visit)
        return part if made is None else made

    return visit(skeleton)


def key(skeleton):
    """Return something hashable that is equal for equal skeletons, or None if a part of it is not hashable."""

    def visit(part):
        if isinstance(part, Slot):
            return Slot, part.index
        parts = []
        if rebuilt(part, lambda inner, step: parts.append((step, visit(inner)))) is not None:
            return type(part), tuple(parts)
        hash(part)
        return type(part), part

    try:
        return visit(skeleton)
    except TypeError:
        return None


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

    def visit(part, other, path):
        if isinstance(part, Slot):
            found[part.index] = other
        elif other is None:
            rebuilt(part, lambda inner, step: visit(inner, None, f"{path}[{step!r}]"))
        else:
            fits = isinstance(part, (tuple, list)) == isinstance(other, (tuple, list))
            if fits and isinstance(part, (tuple, list, dict)):
                fits = len(part) == len(other)
            try:
                rebuilt(part, lambda inner, step: visit(inner, _part(other, step, part), f"{path}[{step!r}]"))
            except (KeyError, TypeError, AttributeError):
                fits = False
            if not fits:
                raise ValueError(
                    f"{function}: {path or 'it'} must have the structure {part!r}, not {other!r}"
                ) from None

    visit(skeleton, tree, "")
    return [found[index] for index in sorted(found)]
