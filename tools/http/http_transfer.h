#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "tools/http/http_message.h"
#include "tools/http/redirect.h"

namespace toolway::tools::http {

/// One hop on its way: made by the thread that called, carried by the engine's. Shared by both,
/// since either may be done with it first.
class HttpTransfer {
 public:
  /// What is kept of a body before the server has to wait.
  static constexpr std::size_t kBuffered = 256UL << 10;

  struct Made {
    HttpHop hop;
    std::shared_ptr<const AddressPolicy> addresses;
    std::string proxy;  ///< empty: none
    std::string ca_file;
    HttpLimits limits;
    HttpRequest::Replay replay = HttpRequest::Replay::kIdempotentMethods;
    std::optional<IpAddress> resolved{};
  };
  explicit HttpTransfer(Made made) : made_(std::move(made)) {}

  const Made& made() const { return made_; }

  // The engine's thread.
  /// Whether `address` may be connected to; remembers why not.
  bool may_connect(const IpAddress& address);
  /// The request is about to be sent over a connection to `address`. False: it must not.
  bool may_send(const std::optional<IpAddress>& address);
  /// A line of a header. False: too much.
  bool take_header(std::string_view line);
  /// False: too much.
  bool take_body(std::string_view piece);
  /// More is waiting than should be; the thread that takes it must resume the transfer.
  bool hold_if_full();
  void end(HttpEnd end);
  /// What was taken is there to be read.
  void announce();
  /// What this side has found wrong, when libcurl only knows that a callback said no.
  const std::optional<HttpEnd>& fault() const { return fault_; }
  HttpEnd::Reached reached() const;
  bool paused = false;
  /// From now on `touch` notes it in `list`, which has room for it.
  void note_in(std::vector<HttpTransfer*>& list) { list_ = &list; }
  /// Something came.
  void touch();

  // The thread that called, too.
  mutable Mutex mutex_;
  StoppableCondVar changed_;
  std::optional<HttpHead> head_ GUARDED_BY(mutex_);
  std::string body_ GUARDED_BY(mutex_);
  std::optional<HttpEnd> end_ GUARDED_BY(mutex_);
  std::optional<std::chrono::steady_clock::time_point> sent_at_ GUARDED_BY(mutex_);
  bool held_ GUARDED_BY(mutex_) = false;  ///< the engine has paused it

 private:
  void end_header();
  std::optional<HttpEnd> refusal(const IpAddress& address) const;

  const Made made_;
  HttpHead building_;  // of the answer, or of a 1xx before it
  bool final_ = false;
  std::size_t header_bytes_ = 0;
  std::size_t body_bytes_ = 0;
  unsigned sent_ = 0;
  bool tried_ = false;  ///< an address that may be reached
  std::vector<HttpTransfer*>* list_ = nullptr;
  bool touched_ = false;  ///< since it was last announced
  std::optional<HttpEnd> fault_;
};

}  // namespace toolway::tools::http
