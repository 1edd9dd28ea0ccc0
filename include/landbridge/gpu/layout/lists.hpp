// List ranking in device memory.
#pragma once
#include "layout.hpp"

namespace lb::gpu {

struct ListsLayout : layout::Family {};

}  // namespace lb::gpu
