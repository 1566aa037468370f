#include "tests/chaos/skewed_clock.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace toolway::chaos {

Result<std::unique_ptr<SkewedClock>> SkewedClock::make(const std::string& file) {
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return fail(ErrorCode::kInternal, "cannot create " + file);
  void* mapped =
      ftruncate(fd, sizeof(std::int64_t)) == 0
          ? mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
          : MAP_FAILED;
  close(fd);
  if (mapped == MAP_FAILED) return fail(ErrorCode::kInternal, "cannot map " + file);
  return std::unique_ptr<SkewedClock>(
      new SkewedClock(file, static_cast<volatile std::int64_t*>(mapped)));
}

SkewedClock::~SkewedClock() { munmap(const_cast<std::int64_t*>(mapped_), sizeof(std::int64_t)); }

void SkewedClock::set(std::chrono::seconds ahead) { *mapped_ = ahead.count(); }

bool SkewedClock::skewed() const { return *mapped_ != 0; }

std::map<std::string, std::string> SkewedClock::environment() const {
  return {{"LD_PRELOAD", TOOLWAY_CHAOS_SKEW_LIBRARY}, {"TOOLWAY_CHAOS_SKEW", file_}};
}

}  // namespace toolway::chaos
