#include "tools/http/http_engine.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "tools/http/curl_sockets.h"
#include "tools/http/http_easy.h"
#include "tools/http/http_exchange.h"

namespace toolway::tools::http {
namespace {

/// How many unused handles are kept.
constexpr std::size_t kSpareHandles = 256;
/// Of the thread when nothing comes; libcurl's timers are looked at in time.
constexpr std::chrono::seconds kLongestSleep{10};

/// While it exists, this thread and those that it starts block signals: SIGPIPE, since OpenSSL
/// writes to sockets that the other side has closed, and the signals that another thread may wait
/// for: they would end the process if one thread did not block them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

class CurlEngine final : public HttpEngine, public HttpCarrier {
 public:
  explicit CurlEngine(HttpEngineOptions options) : options_(std::move(options)) {}
  ~CurlEngine() override {
    {
      const MutexLock lock(mutex_);
      ending_ = true;
    }
    sockets_.wake();
    if (thread_.joinable()) thread_.join();
  }

  /// False: the system has nothing left for it. Throws where it has no thread.
  bool begin() {
    if (!sockets_) return false;
    curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS,
                      static_cast<long>(options_.max_connections));
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS,
                      static_cast<long>(options_.max_idle_connections));
    const SignalsBlocked blocked;  // the thread inherits it
    thread_ = std::thread([this] { carry_all(); });
    return true;
  }

  HttpEnd run(const HttpRequest& request, HttpReceiver& receiver, std::stop_token stop) override {
    return run_exchange(*this, request, receiver, std::move(stop));
  }

  void carry(std::shared_ptr<HttpTransfer> transfer) override {
    order(Order::kCarry, std::move(transfer));
  }
  void drop(std::shared_ptr<HttpTransfer> transfer) override {
    order(Order::kDrop, std::move(transfer));
  }
  void go_on(std::shared_ptr<HttpTransfer> transfer) override {
    order(Order::kGoOn, std::move(transfer));
  }
  std::optional<IpAddress> resolve(const std::string& host) const override {
    return options_.resolve ? options_.resolve(host) : std::nullopt;
  }

 private:
  enum class Order { kCarry, kDrop, kGoOn };
  using Orders = std::vector<std::pair<Order, std::shared_ptr<HttpTransfer>>>;

  struct Carried {
    net::EasyHandle easy{};
    EasyLists lists{};
    std::shared_ptr<HttpTransfer> transfer{};
  };

  void order(Order what, std::shared_ptr<HttpTransfer> transfer) {
    bool first = false;
    {
      const MutexLock lock(mutex_);
      first = orders_.empty();
      orders_.emplace_back(what, std::move(transfer));
    }
    if (first) sockets_.wake();
  }

  // What follows runs on the engine's thread.

  void carry_all() {
    for (Orders orders;; orders.clear()) {
      {
        const MutexLock lock(mutex_);
        if (ending_) break;
        orders.swap(orders_);
      }
      for (auto& [what, transfer] : orders) obey(what, transfer);
      sockets_.turn(kLongestSleep);
      settle();
      announce();
    }
    for (auto& [raw, carried] : carried_) {
      curl_multi_remove_handle(multi_, carried.easy.get());
      carried.transfer->end(
          {.why = HttpEnd::Why::kCancelled, .message = "this process is shutting down"});
    }
    carried_.clear();
  }

  void obey(Order what, const std::shared_ptr<HttpTransfer>& transfer) {
    if (what == Order::kCarry) return add(transfer);
    const auto found = carried_.find(transfer.get());
    if (found == carried_.end()) return;
    if (what == Order::kDrop) {
      put_away(found);
    } else if (std::exchange(transfer->paused, false)) {
      curl_easy_pause(found->second.easy.get(), CURLPAUSE_CONT);
    }
  }

  void add(const std::shared_ptr<HttpTransfer>& transfer) {
    Carried carried{.transfer = transfer};
    if (!spare_.empty()) {
      carried.easy = std::move(spare_.back());
      spare_.pop_back();
    } else {
      carried.easy.reset(curl_easy_init());
    }
    if (!carried.easy)
      return transfer->end({.why = HttpEnd::Why::kInternal, .message = "libcurl is out of memory"});
    carried.lists = prepare(carried.easy.get(), *transfer);
    touched_.reserve(carried_.size() + 1);
    transfer->note_in(touched_);
    if (curl_multi_add_handle(multi_, carried.easy.get()) != CURLM_OK) {
      return transfer->end(
          {.why = HttpEnd::Why::kInternal, .message = "libcurl takes no more transfers"});
    }
    carried_.emplace(transfer.get(), std::move(carried));
  }

  using Entry = std::unordered_map<HttpTransfer*, Carried>::iterator;

  void put_away(Entry entry) {
    auto easy = std::move(entry->second.easy);
    curl_multi_remove_handle(multi_, easy.get());
    curl_easy_reset(easy.get());
    carried_.erase(entry);
    if (spare_.size() < kSpareHandles) spare_.push_back(std::move(easy));
  }

  /// Ends what has ended.
  void settle() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      char* of = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &of);
      const auto found = carried_.find(reinterpret_cast<HttpTransfer*>(of));
      if (found == carried_.end()) continue;
      const auto transfer = found->second.transfer;
      auto end = end_of(message->data.result, message->easy_handle, *transfer);
      put_away(found);
      transfer->end(std::move(end));
    }
  }

  /// Wakes threads that wait for what has come, and pauses what comes faster than it is taken.
  /// libcurl may call back with more than was asked for, so this is decided between its calls.
  void announce() {
    for (auto* const raw : touched_) {
      const auto found = carried_.find(raw);
      if (found == carried_.end()) continue;  // it has ended
      const auto& transfer = found->second.transfer;
      if (transfer->hold_if_full()) {
        transfer->paused = true;
        curl_easy_pause(found->second.easy.get(), CURLPAUSE_RECV);
      }
      transfer->announce();
    }
    touched_.clear();
  }

  const HttpEngineOptions options_;
  CurlSockets sockets_;
  CURLM* const multi_ = sockets_.multi();
  std::unordered_map<HttpTransfer*, Carried> carried_;  // they are gone before sockets_ are
  std::vector<HttpTransfer*> touched_;                  ///< has room for all of them
  std::vector<net::EasyHandle> spare_;
  Mutex mutex_;
  Orders orders_ GUARDED_BY(mutex_);
  bool ending_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace

Result<std::shared_ptr<HttpEngine>> HttpEngine::start(HttpEngineOptions options) {
  net::set_up_curl();
  auto engine = std::make_shared<CurlEngine>(std::move(options));
  try {
    if (!engine->begin()) return fail(ErrorCode::kInternal, "libcurl cannot be used");
  } catch (const std::system_error& error) {
    return fail(ErrorCode::kInternal,
                std::string("cannot start a thread for HTTP: ") + error.what());
  }
  return engine;
}

}  // namespace toolway::tools::http
