"""Proofs of functions of many parts: cut where both programs are in the same state, prove part by part."""
