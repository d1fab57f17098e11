"""Numbers of a log, parsed from text and summed by hour."""

import io

import numpy as np

text = "\n".join(f"{(i * 37) % 24} {200 if i % 7 else 500} {(i * 7919) % 1000 / 10}" for i in range(300))
hour, status, ms = np.loadtxt(io.StringIO(text), unpack=True)
hour, status = hour.astype(int), status.astype(int)
print(hour.dtype, ms.shape, "mean %.3f ms" % ms.mean())
total = np.bincount(hour, weights=ms, minlength=24)
count = np.bincount(hour, minlength=24)
print("busiest hour:", count.argmax(), "slowest hour:", int(np.argmax(total / np.maximum(count, 1))))
failed = np.bincount(hour[status >= 500], minlength=24)
print("failures by six hours:", failed.reshape(4, 6).sum(axis=1))
codes, inverse = np.unique(status, return_inverse=True)
for k, code in enumerate(codes):
    print(int(code), f"{ms[inverse == k].mean():.4f}", np.percentile(ms[inverse == k], [50, 90]).round(2))
out = io.StringIO()
np.savetxt(
    out, np.column_stack([np.arange(24), count, total]), fmt=["%d", "%d", "%.2f"], delimiter=",", header="hour,n,ms"
)
print("\n".join(out.getvalue().splitlines()[:4]))
again = np.genfromtxt(io.StringIO(out.getvalue()), delimiter=",", skip_header=1)
print(np.allclose(again[:, 1], count), np.isnan(again).any())
