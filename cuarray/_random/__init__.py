"""Random numbers: what the public module `cuarray.random` is made of."""
