"""What every function needs: arguments read and brought to one device, axes checked, the ufuncs by name."""
