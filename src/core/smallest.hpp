// The smallest text of each label: of the names of every component, the first in the order of bytes.
#pragma once
#include "landbridge/platform.hpp"
#include "names.hpp"

namespace lb::core {

// position[l] becomes the place of the smallest text with label l, the first of equal ones; -1 for a label without
// texts. labels[i] is that of text i. O(bytes) at most, without a sort, and 8 bytes of scratch per label. Throws
// InputError for labels that are not below `count` and for offsets that do not ascend within the data. Label is int32
// or int64.
template <class Label>
void smallest_texts(const TextColumn& texts, const Label* labels, i64 count, i64* position);

}  // namespace lb::core
