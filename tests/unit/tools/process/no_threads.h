#pragma once

namespace toolway::test {

/// As long as it lives this process gets no further thread (EAGAIN). One at a time.
class NoThreads {
 public:
  /// `spare`: how many it still gets
  explicit NoThreads(int spare = 0);
  ~NoThreads();
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;
  /// How many were refused.
  int refused() const;
};

}  // namespace toolway::test
