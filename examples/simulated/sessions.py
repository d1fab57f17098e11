"""Sessions of users, by Numba: clicks in order of user and time are divided where a user paused for an hour.

python -m cuarray --simulate --memcheck examples/simulated/sessions.py
"""

from numba import cuda

import cuarray as ca

PAUSE = 3600


@cuda.jit
def divide(user, seconds, session):
    i = cuda.grid(1)
    begins = False
    if i < user.size:
        begins = i == 0 or user[i] != user[i - 1] or seconds[i] - seconds[i - 1] > PAUSE
        session[i] = i if begins else 0
    cuda.cg.this_grid().sync()
    if begins:  # the thread of a session's first click numbers the others
        k = i + 1
        while k < user.size and session[k] == 0:
            session[k] = i
            k += 1


rng = ca.random.default_rng(1)
user = ca.sort(rng.integers(0, 12, 400))
seconds = ca.cumsum(rng.integers(1, 2 * PAUSE, 400))
session = ca.empty_like(user)
divide[4, 128](user, seconds, session)

first = ca.concatenate([ca.ones(1, dtype=bool), (user[1:] != user[:-1]) | (ca.diff(seconds) > PAUSE)])
assert (session == ca.maximum.accumulate(ca.where(first, ca.arange(user.size), 0))).all()
print(f"{user.size} clicks in {int(first.sum())} sessions, on {session.device}")
