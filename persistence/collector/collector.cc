#include "persistence/collector/collector.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/all_at_once.h"
#include "base/mutex.h"
#include "persistence/collector/batch_writer.h"
#include "persistence/collector/collector_metrics.h"
#include "persistence/collector/inbox.h"
#include "persistence/collector/incarnation.h"
#include "persistence/collector/lag_watch.h"
#include "persistence/collector/recorded_span.h"
#include "proto/subjects.h"

namespace toolway::persistence::collector {
namespace {

using std::chrono::milliseconds;

constexpr std::array<Source, kSources> kAllSources{Source::kCalls, Source::kEvents,
                                                   Source::kBlobs, Source::kSessions,
                                                   Source::kAudit, Source::kApiKeys};
constexpr milliseconds kLastRetry{2000};
constexpr milliseconds kIncarnationRetry{500};
/// How long one statement of a batch may take.
constexpr std::chrono::seconds kStatementTimeout{30};
/// For what is held when the collector must stop; what Postgres has not accepted by then comes
/// again.
constexpr std::chrono::seconds kFlushTimeout{8};
/// How long a COMMIT's time waits for the next batch to carry it.
constexpr milliseconds kConfirmAfter{5};
constexpr std::chrono::hours kPartitionsEvery{1};
constexpr std::chrono::minutes kPartitionsRetry{1};

std::size_t index_of(Source source) { return static_cast<std::size_t>(source); }

/// What one transaction takes.
struct Work {
  std::vector<PulledMessage> held;
  std::optional<Batch> batch;  ///< encoded; views `held`
};

/// The bus fills the inbox on its own thread; everything else happens on one
/// writer thread, which owns the connection to Postgres and encodes the next batch while
/// Postgres commits.
class PostgresCollector final : public Collector {
 public:
  PostgresCollector(bus::Bus& bus, monitoring::Metrics& metrics, CollectorOptions options)
      : options_(std::move(options)),
        clock_(options_.clock == nullptr ? system_clock_ : *options_.clock),
        bus_(bus),
        metrics_(metrics),
        inbox_({options_.batch_size, options_.batch_bytes}, options_.linger, clock_),
        incarnations_{Incarnation(bus, std::string(proto::kCallsStream)),
                      Incarnation(bus, std::string(proto::kEventsStream)),
                      Incarnation(bus, std::string(proto::kBlobsStream)),
                      Incarnation(bus, std::string(proto::kSessionsStream)),
                      Incarnation(bus, std::string(proto::kAuditStream)),
                      Incarnation(bus, std::string(proto::kApiKeysStream))},
        writer_(options_.postgres_url, clock_, {kStatementTimeout, cutoff_}),
        lag_(std::make_unique<LagWatch>(bus, metrics, clock_)) {
    auto reconnected = [this](bus::Connection connection) { connection_changed(connection); };
    watch_ = bus.on_connection(std::move(reconnected));
    for (auto& incarnation : incarnations_) incarnation.ask();
    for (const auto source : kAllSources) {
      auto deliver = [this, source](bus::Delivery delivery) {
        inbox_.put({std::move(delivery), source, incarnations_[index_of(source)].current()});
      };
      auto& consumer = consumers_[index_of(source)];
      consumer = bus.pull({std::string(stream_of(source)), std::string(proto::kCollectorDurable)},
                          std::move(deliver));
      consumer->allow(source == Source::kBlobs ? options_.max_pending_chunks
                                               : options_.max_pending);
    }
    thread_ = std::thread([this] { run(); });
  }

  ~PostgresCollector() override { stop(); }

  void stop() override {
    MutexLock lock(stop_mutex_);
    if (!thread_.joinable()) return;
    cutoff_->set(clock_.monotonic() + kFlushTimeout);
    lag_.reset();
    for (auto& consumer : consumers_) consumer->stop();
    inbox_.close();
    thread_.join();
    // Only now: the writer allows more after every batch.
    // Each takes up to 2 s when NATS does not answer.
    all_at_once(consumers_, [](auto& consumer) { consumer.reset(); });
    // What was on its way into the inbox while the writer left it.
    for (auto left = inbox_.take({}); !left.empty(); left = inbox_.take({})) give_back(left);
    watch_.reset();
  }

 private:
  void connection_changed(bus::Connection connection) {
    for (auto& incarnation : incarnations_) {
      if (connection == bus::Connection::kDisconnected) {
        incarnation.forget();
      } else {
        // A connection may come back before its loss is reported.
        incarnation.forget();
        incarnation.ask();
      }
    }
  }

  void run() {
    while (true) {
      keep_partitions();
      auto work = next_work();
      if (work.held.empty()) {
        confirm();
        if (inbox_.closed()) return;
        continue;
      }
      if (!encode(work) || !record(work)) {
        give_back(work.held);
        return give_back(next_.held);
      }
    }
  }

  Work next_work() {
    if (!next_.held.empty()) return std::exchange(next_, {});
    auto deadline = next_partitions_;
    if (writer_.owes_confirmation())
      deadline = std::min(deadline, clock_.monotonic() + kConfirmAfter);
    return {inbox_.take(deadline), {}};
  }

  /// While Postgres is busy: does not wait.
  void prepare_next() {
    if (!next_.held.empty()) return;
    next_.held = inbox_.take_ready();
    const auto unknown = [this](PulledMessage& item) { return !knows_incarnation(item); };
    if (std::ranges::none_of(next_.held, unknown)) next_.batch.emplace(messages_of(next_.held));
  }

  /// Another collector gets them now, not only after their ack_wait.
  static void give_back(std::vector<PulledMessage>& held) {
    for (auto& item : held) item.delivery.nak(milliseconds(0));
  }

  /// False: stopping, and the bus does not answer. What is held comes again.
  bool encode(Work& work) {
    if (work.batch) return true;
    for (auto& item : work.held) {
      auto& incarnation = incarnations_[index_of(item.source)];
      while (!knows_incarnation(item)) {
        incarnation.ask();
        item.incarnation = incarnation.wait(kIncarnationRetry);
        if (item.incarnation == 0 && inbox_.closed()) return false;
      }
    }
    work.batch.emplace(messages_of(work.held));
    return true;
  }

  bool knows_incarnation(PulledMessage& item) const {
    if (item.incarnation == 0) item.incarnation = incarnations_[index_of(item.source)].current();
    return item.incarnation != 0;
  }

  /// Writes until it is written. False: stopping, and Postgres does not accept
  /// it. What is held comes again.
  bool record(Work& work) {
    auto& batch = *work.batch;
    const auto while_finishing = [this] { prepare_next(); };
    const auto begun = clock_.monotonic();
    auto retry = kFirstRetry;
    postgres::PgResult<WriteReport> written = writer_.write(batch, while_finishing);
    while (!written) {
      log_failure("recording a batch", written.error());
      // We and other writers waited for each other: again at once.
      const bool contention = written.error().failure == postgres::PgFailure::kContention;
      if (!contention && inbox_.pause(retry)) {
        // Once more without waiting, so that a stop is not lost to bad luck.
        written = writer_.write(batch);
        if (!written) {
          log_failure("recording the last batch", written.error());
          return false;
        }
        break;
      }
      retry = std::min(retry * 2, kLastRetry);
      written = writer_.write(batch, while_finishing);
    }
    if (failing_) spdlog::info("Postgres accepts batches again");
    failing_ = false;
    settle(work, *written, begun);
    return true;
  }

  std::vector<Message> messages_of(const std::vector<PulledMessage>& held) const {
    std::vector<Message> messages;
    messages.reserve(held.size());
    for (const auto& item : held) {
      messages.push_back({item.source, item.delivery.subject, item.delivery.payload,
                          item.incarnation, item.delivery.sequence,
                          item.delivery.delivery_count > 1});
    }
    return messages;
  }

  void settle(Work& work, const WriteReport& report, MonotonicTime begun) {
    show(*work.batch, report, begun);
    std::array<std::size_t, kSources> taken{};
    for (const auto& item : work.held) ++taken[index_of(item.source)];
    work.batch.reset();
    bus_.in_one_turn([held = std::make_shared<std::vector<PulledMessage>>(std::move(work.held))] {
      for (auto& item : *held) item.delivery.ack();
    });
    for (const auto source : kAllSources) {
      const auto i = index_of(source);
      if (taken[i] == 0) continue;
      metrics_.recorded(source, taken[i]);
      // Not once stopped: what comes would not be recorded.
      if (!inbox_.closed()) consumers_[i]->allow(taken[i]);
    }
  }

  void show(const Batch& batch, const WriteReport& report, MonotonicTime begun) {
    metrics_.committed(clock_.monotonic() - begun);
    const auto now = clock_.wall();
    const auto now_us = to_unix_us(now);
    const auto took = std::chrono::duration_cast<WallTime::duration>(clock_.monotonic() - begun);
    const RecordedBatch recorded{now - took, now, batch.messages.size()};
    for (const auto& call : batch.rows.completed()) {
      metrics_.latency(call, std::chrono::microseconds(now_us - call.submitted_at_us));
      if (call.trace.sampled && options_.tracer->records())
        options_.tracer->end(recorded_span(*options_.tracer, call, recorded));
    }
    for (const auto& dead : report.dead) {
      const auto& message = batch.messages[dead.message];
      spdlog::error("message {} of {} set aside in dead_events: {}", message.sequence,
                    stream_of(message.source), dead.reason);
      metrics_.dead();
    }
  }

  void keep_partitions() {
    if (clock_.monotonic() < next_partitions_ || inbox_.closed()) return;
    auto made = writer_.make_partitions();
    // Without them rows go to the DEFAULT partition, and move later.
    if (!made) log_failure("making partitions", made.error());
    if (made && options_.keep_days > 0) {
      if (auto dropped = writer_.drop_partitions(options_.keep_days); !dropped)
        log_failure("dropping partitions", dropped.error());
    }
    next_partitions_ = clock_.monotonic();
    if (made) {
      next_partitions_ += kPartitionsEvery;
    } else {
      next_partitions_ += kPartitionsRetry;
    }
  }

  void confirm() {
    if (!writer_.owes_confirmation()) return;
    auto done = writer_.confirm();
    if (done) return;
    log_failure("writing the time of a COMMIT", done.error());
    inbox_.pause(kFirstRetry);
  }

  void log_failure(std::string_view doing, const postgres::PgError& error) {
    metrics_.store_error();
    // Only the first failure in a row is news.
    if (failing_) {
      spdlog::debug("{} failed: {} {}", doing, error.sqlstate, error.message);
    } else {
      spdlog::warn("{} failed, trying again: {} {}", doing, error.sqlstate, error.message);
    }
    failing_ = true;
  }

  const CollectorOptions options_;
  const SystemClock system_clock_;
  const Clock& clock_;
  bus::Bus& bus_;
  const std::shared_ptr<postgres::PgCutoff> cutoff_ = std::make_shared<postgres::PgCutoff>();
  CollectorMetrics metrics_;
  Inbox inbox_;
  std::array<Incarnation, kSources> incarnations_;
  std::unique_ptr<bus::Subscription> watch_;
  std::array<std::unique_ptr<bus::PullConsumer>, kSources> consumers_;

  // Of the writer thread.
  BatchWriter writer_;
  Work next_;
  MonotonicTime next_partitions_{};
  bool failing_ = false;

  Mutex stop_mutex_;
  std::unique_ptr<LagWatch> lag_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Collector> start_collector(bus::Bus& bus, monitoring::Metrics& metrics,
                                           CollectorOptions options) {
  return std::make_unique<PostgresCollector>(bus, metrics, std::move(options));
}

}  // namespace toolway::persistence::collector
