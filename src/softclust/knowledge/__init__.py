"""Labels, pairs and weights that an expert gives for some rows, and the terms of J that they add."""
