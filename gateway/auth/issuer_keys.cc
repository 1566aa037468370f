#include "gateway/auth/issuer_keys.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/os/file_io.h"
#include "base/try.h"

namespace toolway::gateway::auth {
namespace {

using extensions::auth::KeySet;
constexpr std::size_t kMaxKeySetBytes = 1024UL * 1024;

bool same_keys(const std::shared_ptr<const KeySet>& a, const KeySet& b) {
  return a && a->keys.size() == b.keys.size() &&
         std::equal(a->keys.begin(), a->keys.end(), b.keys.begin(),
                    [](const auto& x, const auto& y) {
                      return x->identity() == y->identity() && x->kid() == y->kid();
                    });
}

}  // namespace

Result<std::unique_ptr<IssuerKeys>> IssuerKeys::start(AuthConfig config, FetchKeys fetch,
                                                      const Clock& clock) {
  std::unique_ptr<IssuerKeys> made(new IssuerKeys(std::move(fetch), clock));
  auto issuers = std::make_shared<std::vector<Issuer>>();
  for (auto& issuer : config.issuers) {
    made->sources_.push_back({.from = std::move(issuer.keys), .issuer = issuer.rules.issuer});
    issuers->push_back({.rules = std::move(issuer.rules), .keys = nullptr});
  }
  {
    const MutexLock lock(made->mutex_);
    made->issuers_ = std::move(issuers);
  }
  for (std::size_t i = 0; i < made->sources_.size(); ++i) {
    Source& source = made->sources_[i];
    if (!source.from.file.empty()) RETURN_IF_ERROR(made->read_file(source, i));
  }
  made->thread_ = std::thread([keys = made.get()] { keys->run(); });
  return made;
}

IssuerKeys::~IssuerKeys() {
  stop_.request_stop();
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  for (auto& source : sources_)
    for (auto& done : std::exchange(source.waiting, {})) done();
}

IssuerKeys::Issuers IssuerKeys::issuers() const {
  const MutexLock lock(mutex_);
  return issuers_;
}

std::size_t IssuerKeys::unknown() const {
  const auto known = issuers();
  return static_cast<std::size_t>(std::count_if(known->begin(), known->end(),
                                                [](const Issuer& issuer) { return !issuer.keys; }));
}

void IssuerKeys::renew(std::size_t issuer, std::function<void()> done) {
  {
    const MutexLock lock(mutex_);
    Source& source = sources_[issuer];
    const auto now = clock_.monotonic();
    // One that is being fetched is waited for, by as many as ask.
    const bool recent =
        source.waiting.empty() && source.asked && now - *source.asked < kUnknownKeys;
    if (!recent && !ending_) {
      if (source.waiting.empty()) source.asked = now;
      source.due = now;
      source.waiting.push_back(std::move(done));
      wake_.notify_all();
      return;
    }
  }
  done();
}

void IssuerKeys::run() {
  for (;;) {
    std::optional<std::size_t> next;
    {
      MutexLock lock(mutex_);
      if (ending_) return;
      next = next_due(clock_.monotonic());
      if (!next) {
        wake_.wait_for(lock, kFileLook, [this]() REQUIRES(mutex_) {
          return ending_ || next_due(clock_.monotonic()).has_value();
        });
        continue;
      }
    }
    refresh(*next);
  }
}

std::optional<std::size_t> IssuerKeys::next_due(MonotonicTime now) {
  const auto found =
      std::min_element(sources_.begin(), sources_.end(),
                       [](const Source& a, const Source& b) { return a.due < b.due; });
  if (found == sources_.end() || found->due > now) return std::nullopt;
  return static_cast<std::size_t>(found - sources_.begin());
}

void IssuerKeys::refresh(std::size_t index) {
  Source& source = sources_[index];
  const bool is_file = !source.from.file.empty();
  const auto read = [&]() -> Result<void> {
    if (is_file) return read_file(source, index);
    ASSIGN_OR_RETURN(const auto text, fetch_(source.from, stop_.get_token()));
    ASSIGN_OR_RETURN(auto keys, extensions::auth::read_key_set(text));
    take(index, std::move(keys));
    return {};
  }();
  if (!stop_.stop_requested()) say(source, read);
  std::vector<std::function<void()>> told;
  {
    const MutexLock lock(mutex_);
    const bool known = (*issuers_)[index].keys != nullptr;
    const auto pause = is_file ? std::chrono::nanoseconds(kFileLook)
                       : read  ? std::chrono::nanoseconds(kRefresh)
                       : known ? std::chrono::nanoseconds(kRetry)
                               : std::chrono::nanoseconds(kFirstRetry);
    source.due = clock_.monotonic() + pause;
    told = std::exchange(source.waiting, {});
  }
  for (auto& done : told) done();
}

Result<void> IssuerKeys::read_file(Source& source, std::size_t index) {
  const auto stamp = os::stamp_of(source.from.file);
  if (stamp && stamp == source.stamp) return {};
  const auto wrong = [&source](const Error& error) {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("the jwks_file {} of issuer {} cannot be used: {}", source.from.file,
                            source.issuer, error.message));
  };
  const auto text = os::read_file(source.from.file, kMaxKeySetBytes + 1);
  if (!text) return wrong(text.error());
  if (text->size() > kMaxKeySetBytes)
    return wrong({ErrorCode::kInvalidRequest, "it has more than 1 MiB", {}});
  auto keys = extensions::auth::read_key_set(*text);
  if (!keys) return wrong(keys.error());
  take(index, *std::move(keys));
  source.stamp = stamp;
  return {};
}

void IssuerKeys::take(std::size_t index, KeySet keys) {
  const MutexLock lock(mutex_);
  if (same_keys((*issuers_)[index].keys, keys)) return;
  for (const auto& why : keys.left_out)
    spdlog::warn("a key of issuer {} is left out: {}", sources_[index].issuer, why);
  auto changed = std::make_shared<std::vector<Issuer>>(*issuers_);
  (*changed)[index].keys = std::make_shared<const KeySet>(std::move(keys));
  issuers_ = std::move(changed);
  ++changes_;
}

void IssuerKeys::say(Source& source, const Result<void>& read) {
  const std::string trouble = read ? std::string() : read.error().message;
  if (std::exchange(source.trouble, trouble) == trouble) return;
  if (read)
    spdlog::info("the keys of issuer {} can be read again", source.issuer);
  else
    spdlog::error("the keys of issuer {} cannot be read, and those known last stay: {}",
                  source.issuer, trouble);
}

}  // namespace toolway::gateway::auth
