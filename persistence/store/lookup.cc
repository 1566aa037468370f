#include "persistence/store/lookup.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <thread>
#include <unordered_map>
#include <vector>

#include "base/ids.h"
#include "base/mutex.h"
#include "base/try.h"
#include "persistence/postgres/reader_pool.h"
#include "persistence/store/last_event.h"
#include "persistence/store/recorded_until.h"
#include "proto/codec.h"
#include "proto/subjects.h"
#include "proto/toolway/v1/control.pb.h"

namespace toolway::persistence::store {
namespace {

/// More questions than this could not be answered in time anyway.
constexpr std::size_t kMaxWaiting = 10'000;

struct WaitingLookup {
  std::string call_id;
  bus::Request request;
};

class PostgresLookup final : public LookupService {
 public:
  PostgresLookup(bus::Bus& bus, const Clock& clock, LookupOptions options)
      : bus_(bus),
        clock_(clock),
        options_(std::move(options)),
        pool_(options_.postgres_url, 1, options_.statement_timeout),
        thread_([this] { run(); }) {}

  ~PostgresLookup() override {
    subscription_.reset();
    {
      MutexLock lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    pool_.give_up();
    thread_.join();
  }

  Result<void> serve() {
    auto heard = [this](bus::Request request) { put(std::move(request)); };
    ASSIGN_OR_RETURN(subscription_, bus_.serve(std::string(proto::kLookupSubject), "collectors",
                                               std::move(heard)));
    return {};
  }

 private:
  void put(bus::Request request) {
    v1::LookupRequest lookup;
    if (!lookup.ParseFromString(request.payload) || !CallId::parse(lookup.call_id())) return;
    {
      MutexLock lock(mutex_);
      if (waiting_.size() >= kMaxWaiting) return;
      waiting_.push_back({lookup.call_id(), std::move(request)});
    }
    changed_.notify_one();
  }

  void run() {
    while (true) {
      std::vector<WaitingLookup> asked;
      {
        MutexLock lock(mutex_);
        changed_.wait(lock, [this]() REQUIRES(mutex_) { return stopping_ || !waiting_.empty(); });
        if (stopping_) return;
        const auto count = std::min(waiting_.size(), options_.batch_size);
        const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
        asked.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
        waiting_.erase(waiting_.begin(), end);
      }
      if (auto done = answer(asked); !done) {
        spdlog::warn("{} lookups remain unanswered: {}", asked.size(), done.error().message);
      }
    }
  }

  Result<void> answer(std::vector<WaitingLookup>& asked) {
    // WaitingLookup first: what is recorded in between only adds to what was promised.
    ASSIGN_OR_RETURN(auto until, ask_recorded_until(bus_, clock_));
    std::vector<std::string> ids;
    for (const auto& one : asked) ids.push_back(one.call_id);
    ASSIGN_OR_RETURN(
        auto rows,
        pool_.query(
            fmt::format(
                "SELECT u.id, c.call_id IS NOT NULL AS known, {} FROM (SELECT DISTINCT unnest("
                "$1::uuid[]) AS id) u LEFT JOIN calls c ON c.call_id = u.id {}",
                kLastEventColumns, fmt::format(kLastEventJoins, "u.id")),
            {postgres::SqlParameter::array(ids)}));
    std::unordered_map<std::string, std::string> answers;
    for (const auto& row : rows) {
      ASSIGN_OR_RETURN(auto last, last_event(row));
      v1::LookupAnswer found;
      found.set_recorded_until_us(to_unix_us(until));
      found.set_known(row.get<bool>("known") || last.has_value());
      if (last) {
        found.set_last_event(proto::encode(last->event));
        found.set_incarnation(last->position.incarnation);
        found.set_sequence(last->position.sequence);
      }
      answers[row.get<std::string>("id")] = found.SerializeAsString();
    }
    for (auto& one : asked) one.request.answer(answers[one.call_id]);
    return {};
  }

  bus::Bus& bus_;
  const Clock& clock_;
  const LookupOptions options_;
  postgres::ReaderPool pool_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<WaitingLookup> waiting_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<bus::Subscription> subscription_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<LookupService>> serve_lookups(bus::Bus& bus, const Clock& clock,
                                                     LookupOptions options) {
  auto lookup = std::make_unique<PostgresLookup>(bus, clock, std::move(options));
  RETURN_IF_ERROR(lookup->serve());
  return lookup;
}

}  // namespace toolway::persistence::store
