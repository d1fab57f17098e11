"""Integers: sieves, gcds, digits, collatz."""

import numpy as np

n = 10_000
sieve = np.ones(n + 1, dtype=bool)
sieve[:2] = False
for i in range(2, int(n**0.5) + 1):
    if sieve[i]:
        sieve[i * i :: i] = False
primes = np.flatnonzero(sieve)
print(primes.size, primes[-5:], primes.dtype)
gaps = np.diff(primes)
print("gaps:", np.bincount(gaps)[[1, 2, 4, 6]], "largest", gaps.max(), "after", primes[gaps.argmax()])
print("twins:", np.count_nonzero(gaps == 2), "last digits:", np.unique(primes % 10, return_counts=True)[1])
a = np.arange(1, 101)
print("coprime pairs: %.4f" % (np.gcd.outer(a, a) == 1).mean(), "lcm", np.lcm.reduce(np.arange(1, 21)))
phi = np.array([(np.gcd(a[:k], k) == 1).sum() for k in range(1, 31)])
print("phi:", phi)
x, steps = np.arange(1, 1001), np.zeros(1000, dtype=int)
while (x > 1).any():
    x = np.where(x == 1, 1, np.where(x % 2, 3 * x + 1, x // 2))
    steps += x > 1
print("collatz: longest", steps.max() + 1, "from", steps.argmax() + 1)
digits = np.array(2**200 // 10 ** np.arange(0, 60, dtype=object) % 10, dtype=int)
print("digits of 2**200:", digits[:12], digits.sum())
bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1)
print("bits:", bits[:16], np.bitwise_xor.accumulate(np.arange(1, 9)), np.left_shift(1, np.arange(5)))
