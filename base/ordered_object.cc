#include "base/ordered_object.h"

#include <algorithm>
#include <utility>

namespace toolway {

OrderedJson ordered_object(std::size_t members) {
  OrderedJson::object_t object;
  object.reserve(members);
  return object;
}

void grow(OrderedJson::object_t& object) {
  constexpr std::size_t kUsual = 4;
  OrderedJson::object_t roomier;
  roomier.reserve(std::max(kUsual, 2 * object.size()));
  for (auto& [name, value] : object) roomier.emplace_back(name, std::move(value));
  object = std::move(roomier);
}

}  // namespace toolway
