"""Numbers: primes, polynomials, integrals, sorting and searching."""

from programs.registry import integers, program, random


@program(lambda n: [n], small=570000, large=11000000)
def sieve(np, n):
    """The primes below n, by the sieve of Eratosthenes."""
    prime = np.ones(n, dtype=bool)
    prime[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return np.flatnonzero(prime)


@program(lambda n: [random(20) - 0.5, random(n, 30)], small=54, large=1100)
def horner(np, coefficients, points):
    """A polynomial at each row of points."""
    result = np.empty_like(points)
    for i, x in enumerate(points):
        value = np.zeros_like(x)
        for c in coefficients:
            value = value * x + c
        result[i] = value
    return result


@program(lambda n: [3 * random(n)], small=120, large=2300)
def simpson(np, lows):
    """The integral of exp(-x^2) over an interval from each of the numbers, by Simpson's rule."""
    totals = []
    for low in lows:
        x = np.linspace(low, low + 1, 21)
        y = np.exp(-(x**2))
        totals.append((y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum()) * (x[1] - x[0]) / 3)
    return np.array(totals)


@program(lambda n: [random(n)], small=550, large=6400)
def insertion_sort(np, x):
    """Sort by moving each element to its place."""
    x = x.copy()
    for i in range(1, len(x)):
        value = x[i]
        place = np.count_nonzero(x[:i] <= value)
        x[place + 1 : i + 1] = x[place:i].copy()
        x[place] = value
    return x


@program(lambda n: [random(n)], small=620, large=8200)
def quicksort(np, x):
    """Sort in place, by partitions around the last element."""
    x = x.copy()

    def sort(low, high):
        if low >= high:
            return
        pivot, place = x[high], low
        for i in range(low, high):
            if x[i] < pivot:
                x[i], x[place] = x[place], x[i]
                place += 1
        x[high], x[place] = x[place], x[high]
        sort(low, place - 1)
        sort(place + 1, high)

    sort(0, len(x) - 1)
    return x


@program(lambda n: [3 * integers(500, 1000).cumsum(), integers(700000, n)], small=950, large=18000)
def binary_search(np, x, values):
    """The place of the first element that is not less than each value."""
    places = np.zeros(len(values), dtype=np.intp)
    for i, value in enumerate(values):
        low, high = 0, len(x)
        while low < high:
            middle = (low + high) // 2
            if x[middle] < value:
                low = middle + 1
            else:
                high = middle
        places[i] = low
    return places


@program(lambda n: [random(n, 12), random(n, 12)], small=26, large=490)
def divided_differences(np, x, y):
    """Newton's interpolation polynomial through each set of points, halfway between the points."""
    results = []
    for places, values in zip(x, y, strict=True):
        t = np.sort(places) + np.arange(len(places))
        c = values.copy()
        for k in range(1, len(t)):
            c[k:] = (c[k:] - c[k - 1 : -1]) / (t[k:] - t[:-k])
        between = (t[1:] + t[:-1]) / 2
        result = np.full_like(between, c[-1])
        for k in range(len(t) - 2, -1, -1):
            result = result * (between - t[k]) + c[k]
        results.append(result)
    return np.array(results)


@program(lambda n: [random(n, 2)], small=400, large=7400)
def convex_hull(np, points):
    """The convex hull of points, counter-clockwise, by Andrew's monotone chain."""
    order = np.lexsort((points[:, 1], points[:, 0]))

    def half(points):
        chain = []
        for p in points:
            while len(chain) > 1:
                a, b = chain[-2], chain[-1]
                if (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0:
                    break
                chain.pop()
            chain.append(p)
        return chain[:-1]

    return np.array(half(points[order]) + half(points[order[::-1]]))
