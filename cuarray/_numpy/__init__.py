"""What cuarray.numpy is made of."""
