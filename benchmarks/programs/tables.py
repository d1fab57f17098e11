"""Dynamic programming: tables that are filled element by element or row by row."""

from programs.registry import integers, program


@program(lambda n: [integers(4, n).astype("u1"), integers(5, n + 5).astype("u1")], small=36, large=170)
def edit_distance(np, a, b):
    """The number of insertions, deletions and replacements that turn one text into another."""
    table = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int64)
    table[:, 0] = np.arange(len(a) + 1)
    table[0, :] = np.arange(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
    return table


@program(lambda n: [1 + integers(30, n), integers(100, n), 20 * n], small=230, large=1200)
def knapsack(np, weights, worths, capacity):
    """The largest total worth of things that together weigh at most the capacity."""
    best = np.zeros(capacity + 1, dtype=np.int64)
    for weight, worth in zip(weights, worths, strict=True):
        best[weight:] = np.maximum(best[weight:], best[:-weight] + worth)
    return best[capacity]


@program(lambda n: [integers(4, n), integers(5, n + 5)], small=47, large=220)
def common_subsequence(np, a, b):
    """The longest common subsequence of two sequences: its length, and its elements by going back."""
    m, n = len(a), len(b)
    length = np.zeros((m + 1, n + 1), int)
    for i in range(m):
        for j in range(n):
            if a[i] == b[j]:
                length[i + 1, j + 1] = length[i, j] + 1
            else:
                length[i + 1, j + 1] = max(length[i, j + 1], length[i + 1, j])
    found = []
    while m and n:
        if a[m - 1] == b[n - 1]:
            found.append(a[m - 1])
            m, n = m - 1, n - 1
        elif length[m - 1, n] >= length[m, n - 1]:
            m -= 1
        else:
            n -= 1
    return length[-1, -1], np.array(found[::-1])


@program(lambda n: [5 + integers(50, n + 1)], small=23, large=100)
def matrix_chain(np, sizes):
    """The least number of multiplications for a product of matrices, and where to split it first."""
    n = len(sizes) - 1
    cost = np.zeros((n, n), dtype=np.int64)
    split = np.zeros((n, n), dtype=np.int64)
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            choices = cost[i, i:j] + cost[i + 1 : j + 1, j] + sizes[i] * sizes[i + 1 : j + 1] * sizes[j + 1]
            split[i, j] = np.argmin(choices)
            cost[i, j] = choices[split[i, j]]
    return cost, split


@program(lambda n: [integers(1000, n)], small=530, large=10000)
def increasing_subsequence(np, x):
    """The length of the longest increasing subsequence, by binary searches of the least last elements."""
    tails = np.zeros(len(x), x.dtype)
    size = 0
    for v in x:
        i = np.searchsorted(tails[:size], v)
        tails[i] = v
        size = max(size, i + 1)
    return size


@program(lambda n: [integers(40, 6) + 2, n], small=340, large=6700)
def coin_change(np, coins, amount):
    """The least number of coins for each amount."""
    least = np.full(amount + 1, amount + 1)
    least[0] = 0
    for value in range(1, amount + 1):
        usable = coins[coins <= value]
        if usable.size:
            least[value] = min(least[value], least[value - usable].min() + 1)
    return least


@program(lambda n: [n], small=240, large=3000)
def option_price(np, steps):
    """The price of an American put option on a binomial tree."""
    up = np.exp(0.2 / np.sqrt(steps))
    grow = np.exp(0.05 / steps)
    chance = (grow - 1 / up) / (up - 1 / up)
    price = 100 * up ** np.arange(-steps, steps + 1, 2)
    value = np.maximum(100 - price, 0)
    for _ in range(steps):
        price = price[:-1] * up
        value = (chance * value[1:] + (1 - chance) * value[:-1]) / grow
        value = np.maximum(value, 100 - price)
    return float(value[0])
