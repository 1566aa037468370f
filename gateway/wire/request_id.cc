#include "gateway/wire/request_id.h"

#include <algorithm>

#include "base/text.h"

namespace toolway::gateway::wire {

bool valid_request_id(std::string_view text) {
  return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (lower_letter(c) >= 'a' && lower_letter(c) <= 'z') ||
           c == '.' || c == '_' || c == '-';
  });
}

}  // namespace toolway::gateway::wire
