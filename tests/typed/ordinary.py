"""Typical programs, for type checkers: tests/test_typed.py runs and checks them."""

import io
import math

import numpy as np

import cuarray as ca

# Making arrays.
x = ca.arange(12, dtype=ca.float64).reshape(3, 4)
zeros = ca.zeros((3, 4))
ones = ca.ones(4, dtype="float32")
filled = ca.full((2, 2), math.pi)
empty = ca.empty_like(x)
line = ca.linspace(0.0, 1.0, 11)
line_and_step, step = ca.linspace(0.0, 1.0, 11, retstep=True)
identity = ca.eye(3)
listed = ca.array([[1, 2, 3], [4, 5, 6]])
mixed = ca.array([1, x[0, 0], 2.5])
shared = ca.asarray(np.arange(5))
placed = ca.asarray([1.0, 2.0], device="cpu")
drawn = ca.fromfunction(lambda i, j: i + j, (2, 3))
halves = ca.ones(3, dtype=np.float16)
brains = ca.ones(3, dtype=ca.bfloat16)
grid_x, grid_y = ca.meshgrid(line, line, indexing="ij")
logs = ca.logspace(0, 3, 4)
triangle = ca.tril(ca.ones((3, 3)))

# What they are.
rows, columns = x.shape
kind = x.dtype
count = x.size
axes = x.ndim
where_it_is = x.device
strides = x.strides
contiguous = x.flags.c_contiguous
bytes_used = x.nbytes
largest = ca.finfo(x.dtype).max
narrow = ca.result_type(ones, ca.int8)
fits = ca.can_cast("int32", "float32")
ours = isinstance(x, ca.ndarray)
length = len(x)

# Arithmetic.
y = 2 * x + 1
z = x**2 - y / 3
quotient, remainder = divmod(x, 3)
negative = -x
power = ca.power(x, 0.5)
angle = ca.arctan2(x, y)
both = (x > 1) & (y < 9)
either = ca.logical_or(x > 1, y < 9)
equal = x == y
flipped = ~both
shifted = listed << 2
product = x @ y.T
vector = ones @ ones
beside_numpy = x + np.ones((3, 4), dtype=np.float32)
x += 1
x[0] *= 2
root = ca.sqrt(ca.abs(x))
fraction, whole = ca.modf(x)
limited = ca.clip(x, 0, 10)
rounded = x.round(2)
conditional = ca.where(x > 3, x, 0)
added = ca.add(x, 1, out=empty)
complex_numbers = x + 1j
size_of_complex = ca.absolute(complex_numbers)
real_part = complex_numbers.real

# Reductions.
total = x.sum()
row_sums = x.sum(axis=1)
mean = ca.mean(x, axis=0, keepdims=True)
spread = x.std(ddof=1)
low = ca.min(x)
high = x.max(axis=0)
position = x.argmax()
everything = ca.all(x > 0)
something = (x > 100).any()
running = x.cumsum(axis=1)
growth = ca.cumprod(ones)
middle = ca.median(x)
quarter = ca.quantile(x, 0.25, axis=0)
weighted = ca.average(x, weights=y)
average, weight = ca.average(x, weights=y, returned=True)
variance = ca.var(x, axis=0)
correlation = ca.corrcoef(x)
number = float(total)
item = x.item(0)
truth = bool(everything)
whole_number = int(position)

# Shapes.
column = x[:, ca.newaxis, 0]
flat = x.ravel()
turned = x.T
moved = ca.moveaxis(x, 0, 1)
transposed = ca.transpose(x)
joined = ca.concatenate([x, y], axis=1)
stacked = ca.stack((x, y))
tall = ca.vstack([x, y])
parts = ca.split(ca.arange(6), 3)
first_part = parts[0]
repeated = ca.repeat(x, 2, axis=0)
tiled = ca.tile(x, (2, 1))
spread_out = ca.broadcast_to(ones, (3, 4))
padded = ca.pad(x, 1, mode="edge")
squeezed = column.squeeze()
rolled = ca.roll(x, 1, axis=0)
two = ca.atleast_2d(3.0)
several = ca.atleast_1d(1.0, [2.0])

# Elements.
corner = x[0, 0]
block = x[1:, ::2]
chosen = x[[0, 2]]
positive = x[x > 5]
taken = ca.take(x, ca.asarray([0, 2]), axis=1)
places = ca.nonzero(x > 5)
same_places = ca.where(x > 5)
x[x > 20] = 0
x[0, :2] = [7, 8]
x[1] = ones
for row in x:
    row_total = row.sum()
inside = 3.0 in x
nested = x.tolist()

# Order and sets.
ordered = ca.sort(x, axis=1)
order = ca.argsort(x[0])
values = ca.unique([3, 1, 3])
values_again, counts = ca.unique([3, 1, 3], return_counts=True)
members = ca.isin(x, [1, 2])
slots = ca.searchsorted(line, [0.25, 0.5])
heights, edges = ca.histogram(x, bins=5)
bins = ca.bincount([0, 1, 1])
best = ca.top_k(x[0], 2)
common = ca.intersect1d([1, 2], [2, 3])

# Products, polynomials, signals.
outer = ca.outer(ones, ones)
inner = ca.inner(ones, ones)
summed = ca.einsum("ij,kj->ik", x, y)
trace = ca.trace(identity)
smoothed = ca.convolve(line, [0.25, 0.5, 0.25], mode="same")
value = ca.polyval([1, 2, 3], line)
between = ca.interp(0.5, [0, 1], [10, 20])
steps = ca.diff(line)
slope = ca.gradient(line, axis=0)
area = ca.trapezoid(line, dx=0.1)
window = ca.hanning(5)

# Ufuncs as objects.
outer_sum = ca.add.outer(ones, ones)
folded = ca.multiply.reduce(ones)
accumulated = ca.maximum.accumulate(line)
ca.add.at(ones, [0, 0], 1)
inputs = ca.hypot.nin

# To NumPy and back, to files and text.
numpy_array = x.numpy()
copied = x.to_numpy()
viewed = np.asarray(x)
buffer = memoryview(x)
raw = x.tobytes()
file = io.BytesIO()
ca.save(file, x)
text = ca.array2string(x)
shown = str(x)
formatted = f"{total:.3f}"
close = ca.allclose(x, x)
same = ca.array_equal(x, y)


# User-defined functions.
def normalise(a: ca.ndarray, axis: int | None = None) -> ca.ndarray:
    return (a - a.mean(axis=axis, keepdims=True)) / a.std(axis=axis, keepdims=True)


@ca.fuse
def softplus(a: ca.ndarray, k: float = 1.0) -> ca.ndarray:
    return ca.log1p(ca.exp(k * a)) / k


@ca.fuse()
def halved(a: ca.ndarray) -> ca.ndarray:
    return a / 2


normal = normalise(y, axis=0)
soft = softplus(normal, k=2.0)
half = halved(soft)
with ca.fuse():
    fused = ca.sin(y) * 2 + 1

# Devices, streams, memory.
here = ca.default_device()
there = x.to_device("cpu")
all_devices = ca.devices()
with ca.device("cpu"):
    on_cpu = ca.ones(3)
stream = ca.Stream()
with stream:
    on_stream = ca.ones(3) + 1
stream.synchronize()
done = stream.query()
event = stream.record()
figures = ca.memory.stats()
bound = ca.memory.limit()
threads = ca.get_num_threads()
with ca.errstate(divide="ignore"), ca.profile() as profile:
    divided = ca.divide(1.0, ca.ones(3))
report = profile.summary()
