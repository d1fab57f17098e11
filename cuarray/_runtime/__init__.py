"""The runtime: devices, streams and graphs, fusion, and the location of NVIDIA's libraries."""
