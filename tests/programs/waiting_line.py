"""One counter with random customers: Lindley's recursion."""

import numpy as np

rng = np.random.RandomState(99)
n = 5000
arrivals = np.cumsum(rng.exponential(1.0, size=n))
service = rng.exponential(0.8, size=n)
done = np.zeros(n)
clock = 0.0
for i, (a, s) in enumerate(zip(arrivals.tolist(), service.tolist())):
    clock = max(clock, a) + s
    done[i] = clock
waits = done - service - arrivals
waits[np.abs(waits) < 1e-9] = 0
print(f"mean wait {waits.mean():.4f}, no wait {np.mean(waits == 0):.4f}, longest {waits.max():.4f}")
times = np.linspace(0, arrivals[-1], 11)[1:]
present = np.searchsorted(arrivals, times, side="right") - np.searchsorted(np.sort(done), times, side="right")
print("customers present:", present)
for start in range(0, n, 1000):
    part = waits[start : start + 1000]
    print(start, "%.4f %.4f" % (part.mean(), np.percentile(part, 90)))
busy = service.sum() / done[-1]
print(f"utilisation {busy:.4f}")
