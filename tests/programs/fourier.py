"""A signal in noise: spectrum, filter, autocorrelation."""

import numpy as np

rng = np.random.default_rng(33)
rate, n = 500.0, 1000
t = np.arange(n) / rate
signal = 1.5 * np.sin(2 * np.pi * 50 * t) + 0.8 * np.cos(2 * np.pi * 120 * t + 0.3)
noisy = signal + rng.normal(scale=1.0, size=n)
spectrum = np.fft.rfft(noisy * np.hanning(n))
frequency = np.fft.rfftfreq(n, 1 / rate)
power = np.abs(spectrum) ** 2
print("peaks:", np.sort(frequency[np.argsort(power)[-6:]]))
spectrum = np.fft.rfft(noisy)
spectrum[(np.abs(spectrum) < 0.25 * np.abs(spectrum).max())] = 0
clean = np.fft.irfft(spectrum, n)
print("error %.4f -> %.4f" % (np.std(noisy - signal), np.std(clean - signal)), "kept", np.count_nonzero(spectrum))
auto = np.fft.ifft(np.abs(np.fft.fft(noisy, 2 * n)) ** 2).real[:n] / n
print("autocorrelation:", (auto[:50:10] / auto[0]).round(4))
shift = np.fft.fftshift(np.fft.fftfreq(8, 0.5))
print(shift, np.allclose(np.fft.ifft(np.fft.fft(noisy)), noisy))
image = np.zeros((32, 32))
image[12:20, 14:18] = 1
low = np.fft.fft2(image)
low[6:-5] = 0
print("low-passed: %.5f %.5f" % (np.fft.ifft2(low).real.max(), np.fft.ifft2(low).real.sum()))
