"""What a run that adapts has done, in words for its profile."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from landbridge.device import layout
from landbridge.engine.gpu.components_run import WORDS
from landbridge.profile import ALL_ROWS_READ, SAMPLED_FURTHER, UNITED_ALL, Profile

_DONE = WORDS["adaptations"]
_TURNS = {
    layout.constant(bit): words
    for bit, words in (("turn_sample", SAMPLED_FURTHER), ("turn_all", UNITED_ALL), ("turn_rows", ALL_ROWS_READ))
}


def with_turns(profile: Profile, words: Any) -> Profile:
    """The profile with the turns that the words of the control block name."""
    done = int(words[_DONE])
    return replace(profile, turns=tuple(text for bit, text in _TURNS.items() if done & bit)) if done else profile
