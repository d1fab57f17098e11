"""The namespace itself: NumPy's other names, missing names, and what the Array API standard lets one ask."""
