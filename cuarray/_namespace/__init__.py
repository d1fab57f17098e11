"""The namespace itself: NumPy's aliases, missing names, and the Array API's inspection."""
