"""Signatures of other libraries over landbridge, a module per library; each imports its library, and no other."""
