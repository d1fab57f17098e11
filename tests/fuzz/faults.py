"""faults.py -- shows which known faults of earlier versions the calls of calls.py find.

    PYTHONPATH=/path/to/an/older/build python tests/fuzz/faults.py [--seconds 20] [NAME...]

Each row names a fault, the functions and forms to call (as calls.py --only), and what the finding looks like: its kind, call and
explanation in one line. Run against an older build, it prints which faults are found, and by which call; against this tree, it finds none.
"""

import argparse
import re
import sys

import batches
import calls
from arguments import ALL, FORMS, METHODS, restrict

#: name, --only, pattern of the finding
FAULTS = [line.split("  ") for line in r"""
einsum: the type of out= is left out of the loop  \.xp.einsum|einsum$  ^einsum value.*out=
round and fft: the type of out= is left out  fft\.fft|fft\.ifft|round|around|\.x0.round  ^(fft\.\w+|\.?round|around) value.*out=
a truth value after a cast: logical.reduce(initial=0.5)  \.UFUNC.reduce|\.xp.{ufunc}.reduce  logical_\w+\.reduce (value|raises).*initial=
unique(axis=) keeps NaNs apart  unique|\.xp.unique  ^unique (shape|value|results)
arange with an infinite step  arange  ^arange (shape|value|raises)
r_ with a complex64 step  \.xp.r_|\.xp.mgrid  r_\[\] .*complex64
variance of nothing with negative ddof  \.xp.{deviation}  (var|std) value
digitize in bins with NaN  digitize  ^digitize (value|raises)
x.clip drops its keywords  \.x0.clip  ^\.clip (value|dtype|raises)
flags.aligned is always True  \.x0.view|\.x0\[  aligned
require(x, None, "A")  require  ^require .*(aligned|shares)
x == y of an object with an interface on the instance  \.x0 == interface  interface
arrays as bytes: write, zlib, join, struct, readinto  \.__import__|\.b''|\.bytearray  (crc32|join|unpack_from|write|readinto|bytearray) raises
x.data  \.x0.data|\.bytes  x0\.data
x.ctypes  \.x0.ctypes|\.tuple  x0\.ctypes
__array_interface__["strides"] is None where contiguous  \.x0.__array_interface  __array_interface__.*None
flags.writeable = False cannot be undone  \.x5.flags.w|\.x0.flags.w|\.x0.setflags  WRITEABLE
names and keys of flags  \.x0.flags|\.x0.T.flags  flags.*raises NoneType (KeyError|AttributeError)|flags.*(unknown|no attribute)
flags compare  \.x0.flags ==  Eq object
functions bind as methods  \.type\('A'  \.f raises
frompyfunc gives a ufunc  \.xp.frompyfunc  frompyfunc
x.conj(out)  \.x0.conj  ^\.conj(ugate)? raises
matmul and vecdot broadcast into a larger out=  \.xp.matmul|\.xp.vecdot\(x0  ^(ufunc|operator|matmul|vecdot|matvec|vecmat) raises NoneType.*out=
vecdot(axes=, keepdims=)  vecdot|\.xp.vecdot  (vecdot|ufunc) raises (TypeError|ValueError|AxisError) NoneType.*axes=
percentile(out=zeros(1))  \.xp.percentile\({array}, 50  (percentile|quantile) raises.*out=
choose(out=) of floats into integers  choose|\.xp.choose|\.x0.choose  choose raises NoneType TypeError.*out=
compress(out=) of another type taken  compress|\.xp.compress|\.x0.compress  compress raises TypeError NoneType.*out=
a tuple as out= of reduce and accumulate  \.UFUNC|\.x0.cumsum|cumsum|cumprod  (reduce|accumulate|cumsum|cumprod|ufunc\.\w+) raises.*out=\(
einsum(order=, casting=)  \.xp.einsum  ^einsum (c_contiguous|f_contiguous|raises).*(order|casting)=
convolve(mode=0)  convolve|correlate|\.xp.convolve  (convolve|correlate) raises NoneType
array(ndmax=)  \.xp.array\(  ndmax
resolve_dtypes  \.xp.{ufunc}.resolve  resolve_dtypes
more than 22 index arrays  \.xp.zeros\(\(1  index arrays
comparisons with large Python integers  \.xp.equal|\.xp.less|equal  (equal|less|ufunc) (raises|value)
pad(stat_length=0)  \.xp.pad  ^pad raises ValueError NoneType.*stat_length
x.shape = impossible raises AttributeError  \.x0.shape  ^set shape raises
strides where an extent is 1  \.x0.strides|\.x0\[None|\.x0.reshape\(-1|\.xp.zeros\(\(1, 1  strides
linspace(retstep=True)[1] is a value  \.xp.linspace|linspace  ^linspace no value
average(returned=True)[1] is a value  \.xp.average|average  ^average no value
interp of reals with a complex limit  \.xp.interp|interp  ^interp raises TypeError
big-endian arrays are converted  \.xp.array\(np|\.xp.asarray|\.xp.frombuffer  (array|asarray|frombuffer) raises NoneType
x[...] = a NumPy array of another byte order  \.x0\[...\] = np  setitem raises
an endless axis  \.xp.flip\(.*endless|\.xp.moveaxis\(.*endless  endless
concatenate(out=) over its inputs  \.xp.concatenate  ^concatenate value
einsum(dtype=) of a view  \.xp.einsum  ^einsum (dtype|writeable|shares|value).*dtype=
""".strip().splitlines()]  # fmt: skip


def search(only, pattern, seconds, seed):
    """Return the first finding of a pattern among calls of some functions, as a line, or None."""
    before = [list(names) for names in (ALL, FORMS, METHODS)]
    restrict(only)
    found = []

    class Enough(Exception):
        pass

    def shorten(_engine, difference, statements, *_):
        line = f"{' '.join(map(str, difference.kind))} | {statements[-1]} | {difference.text}"
        if re.search(pattern, line):
            found.append(line)
            raise Enough
        return statements, difference

    batches.shorten, batches.distinct = shorten, lambda _: object()
    try:
        batches.explore(calls, seconds=seconds, seed=seed, jobs=2, quietly=True, enough=10**9)
    except Enough:
        pass
    finally:
        ALL[:], FORMS[:], METHODS[:] = before
    return found[0] if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", nargs="*", help="a part of a fault's name; all faults otherwise")
    parser.add_argument("--seconds", type=float, default=20.0, help="for one fault")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chosen = [row for row in FAULTS if not arguments.name or any(part in row[0] for part in arguments.name)]
    count = 0
    for name, only, pattern in chosen:
        line = search(only, pattern, arguments.seconds, arguments.seed)
        count += line is not None
        print(
            f"{'found    ' if line else 'not found'}  {name}" + (f"\n           {line[:240]}" if line else ""),
            flush=True,
        )
    print(f"faults: {count} of {len(chosen)} found")


if __name__ == "__main__":
    sys.exit(main())
