"""Files: archives without pickle, and models in them."""
