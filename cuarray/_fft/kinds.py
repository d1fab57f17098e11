"""Kinds of transforms and of scaling."""

#: The scaling that a transform in the other direction has under the same name.
OPPOSITE = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


#: Those of real input, whose n points become n // 2 + 1, and those of real results.
FROM_REAL = ("rfft", "ihfft")
TO_REAL = ("irfft", "hfft")
