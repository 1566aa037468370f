#include "base/strict_object.h"

namespace toolway {

template class StrictObject<Json>;
template class StrictObject<OrderedJson>;

}  // namespace toolway
