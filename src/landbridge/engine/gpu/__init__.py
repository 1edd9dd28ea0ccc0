"""The engine of one GPU: a run is a list of launches, built by one small module a family."""

from landbridge.engine.gpu.engine import (
    REPLAYED as REPLAYED,
)
from landbridge.engine.gpu.engine import (
    GpuEngine as GpuEngine,
)
from landbridge.engine.gpu.engine import (
    Run as Run,
)
from landbridge.engine.gpu.engine import (
    Schedule as Schedule,
)
from landbridge.engine.gpu.engine import (
    balance_of as balance_of,
)
from landbridge.engine.gpu.engine import (
    programs_of as programs_of,
)
from landbridge.engine.gpu.engine import (
    rule_of as rule_of,
)
from landbridge.engine.gpu.engine import (
    warm as warm,
)
