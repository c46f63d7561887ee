"""What an expert knows of some rows: labels, pairs, weights, and the terms of J that they add."""
