#pragma once

#include <string_view>
#include <vector>

namespace toolway::tools::executors::python {

/// A file of host/, embedded at build time (python_host.cmake).
struct HostFile {
  std::string_view module;
  std::string_view text;
};
const std::vector<HostFile>& python_host_files();

}  // namespace toolway::tools::executors::python
