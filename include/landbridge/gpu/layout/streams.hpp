// Streams of edges in device memory.
#pragma once
#include "layout.hpp"

namespace lb::gpu {

struct StreamsLayout : layout::Family {};

}  // namespace lb::gpu
