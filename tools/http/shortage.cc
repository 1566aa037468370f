#include "tools/http/shortage.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <system_error>
#include <thread>

namespace toolway::tools::http {
namespace {

/// A socket, what its name is looked up with, and the file of certificates.
bool no_descriptors() {
  std::array<int, 4> taken{};
  bool none = false;
  for (int& file : taken) {
    file = eventfd(0, EFD_CLOEXEC);
    none = none || file < 0;
  }
  for (const int file : taken) {
    if (file >= 0) close(file);
  }
  return none;
}

bool no_threads() {
  try {
    std::thread([] {}).join();
    return false;
  } catch (const std::system_error&) {
    return true;
  }
}

}  // namespace

bool for_want_of_resources(const HttpEnd& end) {
  using Why = HttpEnd::Why;
  if (end.reached != HttpEnd::Reached::kNothing) return false;
  // libcurl looks names up on threads of their own.
  if (end.why == Why::kNotResolved) return no_threads() || no_descriptors();
  if (end.why == Why::kNotConnected || end.why == Why::kTlsFailed || end.why == Why::kInternal)
    return no_descriptors();
  return false;
}

}  // namespace toolway::tools::http
