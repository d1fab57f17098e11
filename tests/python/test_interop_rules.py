"""The rules that stand for calls of wrapped functions."""

import cuarray
from cuarray.interop import _rules, _trees


def test_rules_of_calls_keep_no_calls_before_them():
    """Calls with one array and with two, by turns."""
    rule = _rules.Rule(cuarray.add, ((), {}))
    for count in (1, 2, 1, 2):
        made = rule.called_with(_trees.arrays_alone(count))
        assert made.is_direct and made.arguments is _trees.arrays_alone(count)
        assert made.latest == (None, {}) and rule.latest[0] is made.arguments
    assert not rule.called_with(((1,), {})).is_direct and rule.latest[0] is _trees.arrays_alone(2)
