"""k-medoids by swaps: metrics, spaces of distances, and the searches."""
