#include "tools/executors/command/command_config.h"

namespace toolway::tools {

std::vector<SpecMistake> check_command_config(const OrderedJson& config, const OrderedJson&) {
  if (!config.is_object() || !config.contains("argv")) {
    return {{"/implementation_config", "a command tool needs `implementation_config: {argv: […]}`"}};
  }
  return {};
}

}  // namespace toolway::tools
