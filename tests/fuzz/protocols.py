"""Hostile and valid inputs of the exchange protocols, checked one by one.

    python tests/fuzz/protocols.py --seconds 60 --seed 1 [--count 100000] [--only "capsules in"]

Capsules, tables of C functions, interface dictionaries, buffers, overrides of ufuncs and functions, and objects whose
methods raise, mutate or resize an array during the call. An input fails if the process crashes or hangs, the error is of an uninformative
type, memory or references leak, a deleter is not called exactly once, or values differ from those of an
independent reader. The exit status is 1 if any failed; each kind is printed with its number and its shortest form.
"""

import argparse
import sys
import time
from pathlib import Path

import cuarray

sys.path.insert(0, str(Path(__file__).resolve().parent))
import protocol_runner
from capsule_inputs import CapsulesIn, CapsulesOut
from exchange_inputs import TablesIn, TablesOut
from interface_inputs import ArrayInterfaces, ArrayStructs, BuffersIn, BuffersOut, CudaInterfaces, Streams
from override_inputs import Mutators, Overrides

FAMILIES = [
    CapsulesIn(),
    CapsulesOut(),
    TablesIn(),
    TablesOut(),
    CudaInterfaces(),
    ArrayInterfaces(),
    ArrayStructs(),
    BuffersIn(),
    BuffersOut(),
    Streams(),
    Overrides(),
    Mutators(),
]


def report(families, seed, faults):
    """Print each kind of fault with the shortest input that shows it."""
    for (name, _), inputs in sorted(faults.items()):
        number, verdict = inputs[0]
        family, fields = protocol_runner.chosen(families, seed, number)
        fields, again = protocol_runner.minimised(family, fields, verdict)
        print(
            f"{name}: {verdict}\n    {len(inputs)} inputs, first number {number}; shortest: {fields}\n    gives: {again or 'nothing alone'}"
        )


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, help="stop after so many inputs")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--only", help="one family")
    options = parser.parse_args(arguments)
    families = [family for family in FAMILIES if options.only in (None, family.name)]
    cuarray.set_default_device("cpu")
    began = time.monotonic()
    ran, faults = protocol_runner.run(families, options.seed, options.seconds, options.count, options.first)
    spent = time.monotonic() - began
    report(families, options.seed, faults)
    print(
        f"protocols: {ran} inputs in {spent:.1f} s ({ran / max(spent, 1e-9):.0f}/s), seed {options.seed}, {len(faults)} kinds of fault"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
