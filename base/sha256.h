#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace toolway::tools::model {

/// A SHA-256 in progress (OpenSSL EVP). One thread at a time.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  /// 64 lower-case hex digits; ends the computation.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Of a text that is there as a whole.
std::string sha256_hex(std::string_view text);

}  // namespace toolway::tools::model
