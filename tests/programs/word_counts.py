"""Letters of a text as numbers: frequencies, entropy, a shift cipher."""

import numpy as np

text = "it was the best of times it was the worst of times it was the age of wisdom it was the age of foolishness"
codes = np.frombuffer(text.encode(), dtype=np.uint8)
letters = codes[codes != 32] - 97
counts = np.bincount(letters, minlength=26)
p = counts[counts > 0] / counts.sum()
print("entropy: %.4f bits" % -(p * np.log2(p)).sum())
top = np.argsort(-counts, kind="stable")[:5]
print("most frequent:", [(chr(97 + int(i)), int(counts[i])) for i in top])
pairs = np.zeros((26, 26), dtype=int)
np.add.at(pairs, (letters[:-1], letters[1:]), 1)
i, j = np.unravel_index(pairs.argmax(), pairs.shape)
print("most frequent pair:", chr(97 + i) + chr(97 + j), pairs[i, j])
secret = np.where(codes == 32, codes, (codes - 97 + 13) % 26 + 97).astype(np.uint8)
print(secret.tobytes().decode()[:40])
shifts = [np.dot(np.roll(counts, s), counts) for s in range(26)]
print("self-similarity:", np.array(shifts)[:6])
lengths = np.diff(np.flatnonzero(np.concatenate(([True], codes == 32, [True]))))
print("words:", lengths.size, "lengths:", np.bincount(lengths - 1)[1:])
print("checksum", int(np.bitwise_xor.reduce(codes)), int(codes.astype(np.int64) @ np.arange(codes.size)))
