"""What `rank_list` and `scan_list` return in full."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from landbridge import display
from landbridge.profile import Profile


@dataclass(frozen=True, eq=False)
class Ranking:
    """The place of each element in its list: what `rank_list` and `scan_list` return with ``full=True``.

    Attributes
    ----------
    ranks : array, shape (n,)
        The ranks or scanned values. Successors on a GPU give arrays of CuPy.
    tails : array, shape (n,)
        The tail of each element's list, which serves as the list's id; int32 below 2^31 elements, else int64.
    plan : str
        The canonical text of what ran.
    device : str
        Where it ran.
    profile : Profile
        Phases and seconds.

    Examples
    --------
    >>> ranking = landbridge.rank_list([1, 1, 3, 3], full=True)
    >>> ranking.count, ranking.tails.tolist()
    (2, [1, 1, 3, 3])
    """

    ranks: Any
    tails: Any
    plan: str
    device: str
    profile: Profile

    def __len__(self) -> int:
        return len(self.ranks)

    @cached_property
    def count(self) -> int:
        """The number of lists."""
        tails = self.tails.get() if hasattr(self.tails, "get") else self.tails
        return int(np.count_nonzero(tails == np.arange(len(tails), dtype=tails.dtype)))

    def __repr__(self) -> str:
        values = {"elements": len(self), "lists": self.count, "plan": self.plan, "device": self.device}
        return display.line("Ranking", values)

    def _repr_html_(self) -> str:
        return display.ranking(self)
