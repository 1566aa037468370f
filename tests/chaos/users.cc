#include "tests/chaos/users.h"

#include <fmt/format.h>

#include <iterator>

namespace toolway::chaos {

std::string agents_user(const Options& options, unsigned agent) {
  return fmt::format("u{}", agent % options.users);
}

std::string key_holders_user(unsigned number) { return fmt::format("k{}", number); }

std::vector<std::string> users_of(const Options& options) {
  std::vector<std::string> users(std::begin(kApprovers), std::end(kApprovers));
  users.emplace_back(kLateApprover);
  for (unsigned i = 0; i < options.users; ++i) users.push_back(agents_user(options, i));
  for (unsigned i = 0; i < options.key_holders; ++i) users.push_back(key_holders_user(i));
  return users;
}

}  // namespace toolway::chaos
