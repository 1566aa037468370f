#pragma once

#include <string>
#include <vector>

namespace toolway::tools::model {

/// Which of `offered` (`namespace.name`) a mistyped tool or namespace may have been meant to be,
/// nearest first. Like is compared with like: a mistyped tool never leads to its whole namespace.
std::vector<std::string> near_offered(const std::string& name,
                                      const std::vector<std::string>& offered);

/// Whether `offered` has the tool, or any tool of the namespace.
bool is_offered(const std::string& name, const std::vector<std::string>& offered);

/// `the fleet has no tool 'shop.sai'; did you mean 'shop.say'?`
std::string not_offered(const std::string& name, const std::vector<std::string>& offered);

}  // namespace toolway::tools::model
