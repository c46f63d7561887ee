"""The loop that alternates sweeps and steps, and the recipes that say which loops run from where."""
