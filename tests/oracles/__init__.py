"""Slow, plain and independent: reference answers and the graphs to ask them about."""
