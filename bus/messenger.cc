#include "bus/messenger.h"

#include <utility>

namespace toolway::bus {

void Request::answer(std::string text) {
  if (!reply_.empty()) bus_->tell(std::exchange(reply_, {}), std::move(text));
}

}  // namespace toolway::bus
