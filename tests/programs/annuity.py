"""Repayment plans of loans at several rates."""

import numpy as np

principal, years = 250_000.0, 20
rates = np.array([0.0199, 0.0275, 0.0349, 0.0425]) / 12
months = np.arange(1, 12 * years + 1)
payment = principal * rates / (1 - (1 + rates) ** -months[-1])
balance = (
    principal * (1 + rates[:, None]) ** months
    - payment[:, None] * ((1 + rates[:, None]) ** months - 1) / rates[:, None]
)
interest = np.empty_like(balance)
interest[:, 0] = principal * rates
interest[:, 1:] = balance[:, :-1] * rates[:, None]
np.set_printoptions(precision=2, suppress=True)
print("monthly payment:", payment)
print("left after ten years:", balance[:, 119])
print("interest in all:", interest.sum(axis=1))
for rate, row in zip(rates, balance):
    half = int(np.argmax(row < principal / 2)) + 1
    print(f"{12 * rate:.2%}: half is paid back after {half} months, last balance {abs(row[-1]):.2f}")
print(np.round(np.diff(balance[1])[:5], 2))
assert np.allclose(balance[:, -1], 0, atol=1e-5)
