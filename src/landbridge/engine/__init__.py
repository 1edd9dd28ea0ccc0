"""Engines: the machines plans run on. `base` is their contract, `resolve` decides which one runs."""

from __future__ import annotations

from landbridge.engine.sizes import Sizes

__all__ = ["Sizes"]
