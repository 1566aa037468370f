#include "cli/specs/reader_options.h"

#include <memory>

namespace toolway::cli {

tools::ReaderOptions reader_options(std::span<const tools::Spec> natives) {
  tools::ReaderOptions options;
  options.natives = natives;
  return options;
}

tools::ReadSpecs spec_reader(const tools::Registry& builtin) {
  auto natives = std::make_shared<std::vector<tools::Spec>>();
  for (const auto* tool : builtin.list()) {
    if (tool->spec().kind == tools::Kind::kNative) natives->push_back(tool->spec());
  }
  return [natives = std::move(natives)](std::string_view text, std::string_view origin) {
    return tools::read_specs(text, origin, reader_options(*natives));
  };
}

}  // namespace toolway::cli
