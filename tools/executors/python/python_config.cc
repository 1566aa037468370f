#include "tools/executors/python/python_config.h"

#include <fmt/format.h>

namespace toolway::tools {
namespace {

bool identifier_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// `a.b.c`, each part a Python identifier (any letter outside ASCII is taken for one).
bool dotted_name(std::string_view text) {
  bool at_start = true;
  for (const char c : text) {
    if (at_start ? !identifier_start(c)
                 : !(identifier_start(c) || (c >= '0' && c <= '9') || c == '.'))
      return false;
    at_start = c == '.';
  }
  return !at_start;
}

void check_name(const OrderedJson& config, const char* name, std::vector<SpecMistake>& mistakes) {
  const auto found = config.find(name);
  const auto pointer = fmt::format("/implementation_config/{}", name);
  if (found == config.end()) {
    mistakes.push_back({"/implementation_config", fmt::format("`{}` is missing", name)});
  } else if (!found->is_string() || !dotted_name(found->get_ref<const std::string&>())) {
    mistakes.push_back(
        {pointer,
         fmt::format("`{}` must be a name that Python can import, such as `my_tools.text`", name)});
  }
}

}  // namespace

std::vector<SpecMistake> check_python_config(const OrderedJson& config) {
  if (!config.is_object()) {
    return {{"/implementation_config",
             "a python tool needs `implementation_config: {module: …, function_name: …}`"}};
  }
  std::vector<SpecMistake> mistakes;
  check_name(config, "module", mistakes);
  check_name(config, "function_name", mistakes);
  for (const auto& [name, value] : config.items()) {
    if (name == "module" || name == "function_name") continue;
    mistakes.push_back(
        {"/implementation_config/" + name,
         fmt::format("unknown field `{}`; a python tool has module, function_name", name)});
  }
  return mistakes;
}

Result<PythonConfig> parse_python_config(const OrderedJson& config) {
  if (const auto mistakes = check_python_config(config); !mistakes.empty()) {
    return fail(ErrorCode::kInvalidSpec, mistakes.front().pointer + ": " + mistakes.front().what);
  }
  return PythonConfig{.module = config["module"].get<std::string>(),
                      .function = config["function_name"].get<std::string>()};
}

}  // namespace toolway::tools
