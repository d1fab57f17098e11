"""How the devices run: which there are, streams and graphs, fusion, and where NVIDIA's libraries are."""
