// Arbitrary bytes as a file of specs: YAML or JSON, today's form or the original one.
// Nothing may crash, mistakes have lines that are there, and a spec without a mistake
// is stored and read back as the same spec.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "tools/executors/kind_types.h"
#include "tools/loaders/overlays.h"
#include "tools/specs/command_line.h"
#include "tools/specs/overlay.h"
#include "tools/specs/reader.h"

namespace {

/// What overlays among the inputs may change.
constexpr std::string_view kBase =
    "tools:\n"
    "  - {name: t, kind: python, input_schema: {type: object}, implementation_config: {module: m, function_name: f}}\n"
    "  - {name: buy, namespace: shop, kind: command, input_schema: {type: object}, implementation_config: {argv: ['true']}}\n"
    "  - {name: echo, namespace: bench, kind: native, metadata: {version: '1'}}\n";

/// An overlay over specs that are there: mistakes are told at lines of one of both texts, and what
/// has none is stored and read back as the same spec.
void overlay(const toolway::tools::specs::SpecDocument& document,
             std::span<const toolway::tools::model::Spec> natives, long lines) {
  using namespace toolway::tools;
  const toolway::tools::specs::ReaderOptions reading{
      .kinds = toolway::tools::executors::kind_types(),
      .natives = natives,
      .entries = toolway::tools::specs::Entries::kKept};
  auto base = toolway::tools::specs::read_specs(kBase, "base", reading);
  const std::vector<std::shared_ptr<const toolway::tools::loaders::SpecPart>> parts{
      toolway::tools::loaders::make_part("base", std::move(base.specs)),
      toolway::tools::loaders::make_part("fuzz", {}, document.overlay)};
  toolway::tools::loaders::Overlays overlays(
      document.overlay->env, [&](const toolway::tools::specs::Located& entry,
                                 const toolway::tools::specs::Places& places) {
        return toolway::tools::specs::read_spec_entry(entry, places, reading);
      });
  const auto overlaid = overlays.apply(parts, "file");
  for (const auto& mistake : overlaid.mistakes) {
    const bool of_base = mistake.place == "base";
    if (!of_base && mistake.place != "fuzz") std::abort();
    if (mistake.line < 1 || mistake.line > (of_base ? 4 : lines) || mistake.message.empty())
      std::abort();
  }
  for (const auto& offered : overlaid.parts.front()->specs) {
    const auto stored = toolway::tools::specs::spec_of_document(
        toolway::to_text(toolway::tools::model::to_document(*offered.spec)),
        toolway::tools::executors::kind_types());
    if (!stored || toolway::tools::model::digest(*stored) != offered.digest) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace toolway;
  using namespace toolway::tools;
  static const std::vector<toolway::tools::model::Spec> natives{
      {.name = "echo", .ns = "bench", .input_schema = {{"type", "object"}}}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  const auto document =
      toolway::tools::specs::read_specs(text, "fuzz",
                                        {.kinds = toolway::tools::executors::kind_types(),
                                         .natives = natives,
                                         .entries = toolway::tools::specs::Entries::kKept});
  for (const auto& mistake : document.mistakes) {
    if (mistake.line < 1 || mistake.line > lines || mistake.message.empty()) std::abort();
    if (!toolway::valid_utf8(mistake.message)) std::abort();
  }
  for (const auto& read : document.specs) {
    const auto stored = toolway::tools::specs::spec_of_document(
        toolway::to_text(toolway::tools::model::to_document(read.spec)),
        toolway::tools::executors::kind_types());
    if (!stored ||
        toolway::tools::model::digest(*stored) != toolway::tools::model::digest(read.spec))
      std::abort();
  }
  if (document.overlay && document.mistakes.empty()) overlay(document, natives, lines);
  const auto line = toolway::tools::specs::split_command_line(text);
  if (line.argv.empty() == line.refused.empty()) std::abort();
  return 0;
}
