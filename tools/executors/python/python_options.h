#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace toolway::tools::executors::python {

/// How the Python tools of a process are run (docs/python.md).
struct PythonOptions {
  std::string interpreter =
      "python3";  ///< a path (a virtual environment's bin/python), or a name in PATH
  std::vector<std::string> path{};         ///< directories to import tools from, in order
  std::size_t processes = 16;              ///< at most; also the number of calls that run at once
  std::size_t warm = 2;                    ///< started before the first call, and kept
  std::size_t calls_per_process = 10'000;  ///< then replaced
  std::size_t memory_limit = std::size_t{1}
                             << 30;  ///< address space beyond the bare interpreter's; 0: any
  std::size_t recycle_above = std::size_t{256} << 20;  ///< resident bytes; 0: never
  /// `NAME=value`: what the processes see besides PATH and LANG, and nothing else:
  /// our own environment holds secrets.
  std::vector<std::string> environment{};
};

}  // namespace toolway::tools::executors::python
