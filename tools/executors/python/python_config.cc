#include "tools/executors/python/python_config.h"

#include <fmt/format.h>

#include "base/strict_object.h"

namespace toolway::tools::executors::python {
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

void check_name(StrictObject<OrderedJson>& fields, std::string_view name) {
  const auto* found = fields.value(name);
  if (found == nullptr) {
    fields.wrong_whole(fmt::format("`{}` is missing", name));
  } else if (!found->is_string() || !dotted_name(found->get_ref<const std::string&>())) {
    fields.wrong(
        name,
        fmt::format("`{}` must be a name that Python can import, such as `my_tools.text`", name));
  }
}

}  // namespace

std::vector<Mistake> check_python_config(const OrderedJson& config) {
  const std::string root = "/implementation_config";
  if (!config.is_object()) {
    return {{root, "a python tool needs `implementation_config: {module: …, function_name: …}`"}};
  }
  Mistakes mistakes;
  StrictObject fields(config, "a python tool", mistakes, root);
  check_name(fields, "module");
  check_name(fields, "function_name");
  fields.nothing_else();
  return std::move(mistakes).take();
}

Result<PythonConfig> parse_python_config(const OrderedJson& config) {
  if (const auto mistakes = check_python_config(config); !mistakes.empty()) {
    return fail(ErrorCode::kInvalidSpec, mistakes.front().text());
  }
  return PythonConfig{.module = config["module"].get<std::string>(),
                      .function = config["function_name"].get<std::string>()};
}

}  // namespace toolway::tools::executors::python
