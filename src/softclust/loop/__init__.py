"""The loop: one alternation of sweeps and steps, and the recipes that say which loops run from where."""
