"""Literal, slow transcriptions of the papers, independent of the library they check."""
