"""The functions that Numba compiles: just in time, or ahead of time into the native library."""
