"""Fourier transforms: their arguments, and how the devices compute them."""
