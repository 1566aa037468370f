#include "base/ordered_object.h"

#include <utility>

namespace toolway {

OrderedJson ordered_object(std::size_t members) {
  OrderedJson::object_t object;
  object.reserve(members);
  return object;
}

void grow(OrderedJson::object_t& object) {
  OrderedJson::object_t roomier;
  roomier.reserve(2 * object.size() + 1);
  for (auto& [name, value] : object) roomier.emplace_back(name, std::move(value));
  object = std::move(roomier);
}

}  // namespace toolway
