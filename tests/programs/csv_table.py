"""A table of sales with names, made with structured arrays and texts."""

import io

import numpy as np

source = """region,product,units,price
north,tea,12,3.5
south,tea,7,3.6
north,coffee,20,5.25
east,coffee,3,5.5
south,cocoa,11,4.0
east,tea,9,3.4
"""
table = np.genfromtxt(io.StringIO(source), delimiter=",", names=True, dtype=None, encoding="utf-8")
print(table.dtype.names, len(table))
revenue = table["units"] * table["price"]
for region in np.unique(table["region"]):
    chosen = table["region"] == region
    print(f"{region:6s} units {table['units'][chosen].sum():3d} revenue {revenue[chosen].sum():8.2f}")
order = np.argsort(-revenue)
print(", ".join(f"{table['product'][k]} {revenue[k]:.1f}" for k in order[:3]))
names, index = np.unique(table["product"], return_inverse=True)
print(names.tolist(), np.bincount(index, weights=revenue).round(2).tolist())
print(np.char.upper(names), np.char.str_len(names).tolist())
dates = np.arange("2024-01-29", "2024-02-04", dtype="datetime64[D]")
print(dates[np.is_busday(dates)].astype(str).tolist(), (dates[-1] - dates[0]).astype(int))
