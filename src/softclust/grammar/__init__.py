"""The grammar: prototypes, partitions, frames, separations, and the sweep that reads rows through them."""
