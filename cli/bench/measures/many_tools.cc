#include "cli/bench/measures/many_tools.h"

#include <fmt/format.h>

#include <fstream>

#include "base/os/file_io.h"
#include "base/try.h"

namespace toolway::cli::bench::measures {

Result<std::unique_ptr<ManyTools>> ManyTools::create(unsigned count) {
  ASSIGN_OR_RETURN(auto directory, os::make_temporary_directory("toolway-bench"));
  std::unique_ptr<ManyTools> made(new ManyTools(std::move(directory)));
  std::ofstream out(made->file());
  out << "tools:\n";
  for (unsigned i = 0; i < count; ++i)
    out << fmt::format(
        "  - {{name: tool_{0}, namespace: many, kind: command, description: Does what tool {0} "
        "does., input_schema: {{type: object, properties: {{path: {{type: string, description: "
        "Of a file.}}, count: {{type: integer, minimum: 0}}}}, required: [path]}}, "
        "implementation_config: {{argv: [printf, x]}}}}\n",
        i);
  if (!out.flush()) return fail(ErrorCode::kInternal, "cannot write " + made->file());
  return made;
}

ManyTools::~ManyTools() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

}  // namespace toolway::cli::bench::measures
