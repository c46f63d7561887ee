"""Compiled passes over blocks of rows, and their callers.

The modules of this folder prepare arrays and call a pass; `compiled/` holds the passes themselves, the only
code written for the machine; `tiers.py` chooses between native code and the JIT.
"""
