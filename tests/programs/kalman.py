"""A Kalman filter for a moving body."""

import numpy as np

rng = np.random.default_rng(101)
dt = 0.1
F = np.array([[1, dt], [0, 1]])
H = np.array([[1.0, 0.0]])
Q = 0.1 * np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]])
R = np.array([[0.5]])
truth = np.zeros((200, 2))
truth[0] = [0, 1]
for k in range(1, 200):
    truth[k] = F @ truth[k - 1] + rng.multivariate_normal([0, 0], Q)
measured = truth[:, 0] + rng.normal(0, np.sqrt(R[0, 0]), 200)
x, P = np.array([0.0, 0.0]), np.eye(2)
estimates, gains = [], []
for z in measured:
    x = F @ x
    P = F @ P @ F.T + Q
    K = P @ H.T @ np.linalg.inv(H @ P @ H.T + R)
    x = x + K @ (z - H @ x)
    P = (np.eye(2) - K @ H) @ P
    estimates.append(x)
    gains.append(K.ravel())
estimates = np.array(estimates)
print(
    "error measured %.4f, filtered %.4f" % (np.std(measured - truth[:, 0]), np.std(estimates[50:, 0] - truth[50:, 0]))
)
print("last gain", gains[-1].round(5), "variances", np.diag(P).round(5), "symmetric", np.allclose(P, P.T))
print("speed at the end: %.4f, truly %.4f" % (estimates[-1, 1], truth[-1, 1]))
