"""Tests of `raising.jit`."""
