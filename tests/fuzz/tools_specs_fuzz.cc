// Arbitrary bytes as a file of specs: YAML or JSON, today's form or the original one.
// Nothing may crash, mistakes have lines that are there, and a spec without a mistake
// is stored and read back as the same spec.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "tools/specs/command_line.h"
#include "tools/specs/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace toolway;
  using namespace toolway::tools;
  static const std::vector<Spec> natives{{.name = "echo", .ns = "bench", .input_schema = {{"type", "object"}}}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  const auto document = read_specs(text, "fuzz", {.natives = natives});
  for (const auto& mistake : document.mistakes) {
    if (mistake.line < 1 || mistake.line > lines || mistake.what.empty()) std::abort();
    if (!valid_utf8(mistake.what)) std::abort();
  }
  for (const auto& read : document.specs) {
    const auto stored = spec_of_document(to_text(to_document(read.spec)));
    if (!stored || digest(*stored) != digest(read.spec)) std::abort();
  }
  const auto line = split_command_line(text);
  if (line.argv.empty() == line.refused.empty()) std::abort();
  return 0;
}
