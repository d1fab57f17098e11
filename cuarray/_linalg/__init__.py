"""The functions of cuarray.linalg: products, norms, factorisations, and what is made of them."""
