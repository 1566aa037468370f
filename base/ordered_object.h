#pragma once

#include <cstddef>

#include "base/json.h"

namespace toolway {

/// An empty object with room for `members`. One that grows beyond its room copies every value that
/// it has, however large: nlohmann's ordered object is a vector of pairs whose keys are const, and
/// so do not move.
OrderedJson ordered_object(std::size_t members);

/// Moves the values there are to where there is room for twice as many.
void grow(OrderedJson::object_t& object);
/// Room for another member, if there is none.
inline void make_room(OrderedJson::object_t& object) {
  if (object.size() == object.capacity()) grow(object);
}

}  // namespace toolway
