// How long a page of a user's calls takes, filter by filter, among a million calls:
// `persistence_calls_list_bench <postgres-url> [calls]` into an empty database; with 0 calls, among
// those of an earlier run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/try.h"
#include "persistence/collector/batch_writer.h"
#include "persistence/postgres/pg_connection.h"
#include "persistence/schema/migrate.h"
#include "persistence/store/postgres_reader.h"
#include "proto/codec.h"

namespace {

using namespace toolway;
using persistence::collector::Batch;
using persistence::collector::Message;
using persistence::collector::Source;
using persistence::store::CallFilter;
using persistence::store::CallState;

constexpr std::size_t kPerBatch = 1000;
constexpr std::int64_t kOneDay = 86'400'000'000;

/// One call in a hundred fails, one in 2,000 is retried, one in 1,000 is slow; three have a tool,
/// and three an error code, that no other has; five have not ended; a third is of another user.
struct Generated {
  v1::CallRequest request;
  v1::CallEvent end;
  bool ended = true;
};

Generated make_call(std::size_t i, std::size_t total, const std::vector<SessionKey>& sessions,
                    WallTime now) {
  const auto rare = [&](std::size_t count) { return i % (total / count) == total / count / 2; };
  // Over three days, evenly: as many partitions.
  const auto made = now - std::chrono::microseconds(3 * kOneDay) +
                    std::chrono::microseconds(3 * kOneDay / static_cast<std::int64_t>(total) *
                                              static_cast<std::int64_t>(i));
  Generated call;
  auto& request = call.request;
  request.set_call_id(CallId::make(made).text());
  request.set_tenant_id("default");
  request.set_user_id(i % 3 == 2 ? "bea" : "ann");
  const auto& session = sessions[i % sessions.size()];
  request.set_session_key(session.text());
  request.set_session_id("bench-session");
  request.mutable_labels()->set_tool(rare(3) ? "rare_tool" : fmt::format("tool_{}", i % 40));
  request.mutable_labels()->set_namespace_(rare(3) ? "rare" : fmt::format("space_{}", i % 8));
  request.set_pool("native");
  request.set_arguments(R"({"timezone":"Europe/Berlin"})");
  request.set_submitted_at_us(to_unix_us(made));
  call.ended = !rare(5);
  auto& event = call.end;
  event.set_call_id(request.call_id());
  event.set_tenant_id("default");
  event.set_user_id(request.user_id());
  event.set_session_key(session.text());
  event.set_session_id("bench-session");
  *event.mutable_labels() = request.labels();
  event.set_attempt(i % 2000 == 0 ? 2 : 1);
  event.set_seq(1);
  event.set_submitted_at_us(request.submitted_at_us());
  event.set_worker_id("w-0123456789abcdef");
  auto& completed = *event.mutable_completed();
  completed.set_started_at_us(to_unix_us(made) + 2'000);
  completed.set_merged_start(true);
  event.set_time_us(completed.started_at_us() + (i % 1000 == 1 ? 3'000'000 : 20'000));
  if (i % 100 == 0 || rare(3)) {
    completed.set_outcome(rare(3) ? v1::OUTCOME_UNKNOWN : v1::OUTCOME_FAILED);
    completed.mutable_error()->set_code(rare(3) ? "rare_code" : "tool_failed");
  } else {
    completed.set_outcome(v1::OUTCOME_SUCCEEDED);
    completed.set_result(R"({"iso8601":"2026-01-31T12:00:00+01:00","unix":1769857200})");
  }
  return call;
}

Result<void> fill(const std::string& url, std::size_t total,
                  const std::vector<SessionKey>& sessions, const Clock& clock) {
  persistence::collector::BatchWriter writer(url, clock);
  const auto now = clock.wall();
  std::uint64_t sequence = 0;
  for (std::size_t done = 0; done < total; done += kPerBatch) {
    std::vector<std::string> texts;
    texts.reserve(2 * kPerBatch);
    std::vector<Message> messages;
    for (std::size_t i = 0; i < kPerBatch; ++i) {
      const auto call = make_call(done + i, total, sessions, now);
      ++sequence;
      texts.push_back(proto::encode(call.request));
      messages.push_back({Source::kCalls, "call", texts.back(), 1, sequence});
      if (!call.ended) continue;
      texts.push_back(proto::encode(call.end));
      messages.push_back({Source::kEvents, "event", texts.back(), 1, sequence});
    }
    Batch batch(std::move(messages));
    const auto written = writer.write(batch);
    if (!written) return fail(ErrorCode::kStoreUnavailable, written.error().message);
  }
  return {};
}

Result<void> execute(const std::string& url, const std::string& sql) {
  auto connection = persistence::postgres::PgConnection::open(url);
  if (!connection) return fail(ErrorCode::kStoreUnavailable, connection.error().message);
  const auto done = connection->execute(sql);
  if (!done) return fail(ErrorCode::kInternal, done.error().message);
  return {};
}

Result<void> make_database(const std::string& url, std::size_t total,
                           const std::vector<SessionKey>& sessions, const Clock& clock) {
  RETURN_IF_ERROR(persistence::schema::migrate(url));
  RETURN_IF_ERROR(execute(url,
                          "SELECT make_partitions((now() AT TIME ZONE 'UTC')::date - 3, "
                          "(now() AT TIME ZONE 'UTC')::date)"));
  return fill(url, total, sessions, clock);
}

struct Question {
  std::string name;
  CallFilter filter;
};

std::vector<Question> questions(const SessionKey& session, WallTime now) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  const auto ask = [](std::string name, auto set) {
    CallFilter filter{.tenant_id = "default", .user_id = "ann"};
    set(filter);
    return Question{std::move(name), std::move(filter)};
  };
  return {ask("no filter", [](auto&) {}),
          ask("another user", [](auto& f) { f.user_id = "carl"; }),
          ask("tool, common", [](auto& f) { f.tool = "tool_4"; }),
          ask("tool, 3 calls", [](auto& f) { f.tool = "rare_tool"; }),
          ask("tool, none", [](auto& f) { f.tool = "no_tool"; }),
          ask("namespace, 3 calls", [](auto& f) { f.namespace_ = "rare"; }),
          ask("session", [&](auto& f) { f.session = session; }),
          ask("outcome succeeded", [](auto& f) { f.outcome = v1::OUTCOME_SUCCEEDED; }),
          ask("outcome failed", [](auto& f) { f.outcome = v1::OUTCOME_FAILED; }),
          ask("outcome unknown, 3 calls", [](auto& f) { f.outcome = v1::OUTCOME_UNKNOWN; }),
          ask("error_code, 3 calls", [](auto& f) { f.error_code = "rare_code"; }),
          ask("error_code, none", [](auto& f) { f.error_code = "no_code"; }),
          ask("state queued, 5 calls", [](auto& f) { f.state = CallState::kQueued; }),
          ask("state running, none", [](auto& f) { f.state = CallState::kRunning; }),
          ask("ran 1 s or more", [](auto& f) { f.min_ran = milliseconds(1000); }),
          ask("ran 10 s or more, none", [](auto& f) { f.min_ran = milliseconds(10'000); }),
          ask("ran 50 ms or more", [](auto& f) { f.min_ran = milliseconds(50); }),
          ask("ran at most 1 ms, none", [](auto& f) { f.max_ran = milliseconds(1); }),
          ask("2 attempts or more", [](auto& f) { f.attempts = 2; }),
          ask("3 attempts or more, none", [](auto& f) { f.attempts = 3; }),
          ask("since an hour, until a minute",
              [&](auto& f) {
                f.since = now - hours(1);
                f.until = now - std::chrono::minutes(1);
              }),
          ask("tool and outcome failed", [](auto& f) {
            f.tool = "tool_4";
            f.outcome = v1::OUTCOME_FAILED;
          })};
}

double at(const std::vector<double>& sorted, double part) {
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(sorted.size())))];
}

/// Asks for pages of 100 until there are no more: how long each took, and how many calls came.
bool report(persistence::store::StoreReader& store, const Question& question) {
  constexpr int kAsked = 40;
  std::vector<double> times;
  std::size_t rows = 0;
  std::size_t pages = 0;
  double whole_ms = 0;
  for (int i = 0; i < kAsked; ++i) {
    std::optional<CallId> before;
    bool more = true;
    // The whole list once, then its first page.
    for (std::size_t page_number = 0; more && page_number < (i == 0 ? 200U : 1U); ++page_number) {
      const auto begun = std::chrono::steady_clock::now();
      const auto page = store.calls_of_user(question.filter, before, 100);
      if (!page) {
        std::fprintf(stderr, "%s: %s\n", question.name.c_str(), page.error().message.c_str());
        return false;
      }
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - begun;
      times.push_back(took.count());
      more = page->more;
      if (i == 0) {
        rows += page->size();
        ++pages;
        whole_ms += took.count();
      }
      if (more)
        before = *CallId::parse(page->looked_to.empty() ? page->back().call_id : page->looked_to);
    }
  }
  std::ranges::sort(times);
  fmt::print(
      "{:<32} p50 {:7.1f}  p95 {:7.1f}  max {:7.1f} ms   {:6} calls in {:3} pages, {:7.0f} ms{}\n",
      question.name, at(times, 0.5), at(times, 0.95), times.back(), rows, pages, whole_ms,
      pages == 200 ? " (not the end)" : "");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s <postgres-url> [calls]\n", argv[0]);
    return 2;
  }
  const std::string url = argv[1];
  const std::size_t total = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000'000;
  const SystemClock clock;
  std::vector<SessionKey> sessions;
  for (int i = 0; i < 600; ++i) sessions.push_back(SessionKey::make());
  if (auto ready = make_database(url, total, sessions, clock); !ready) {
    std::fprintf(stderr, "cannot fill the database: %s\n", ready.error().message.c_str());
    return 1;
  }
  for (const bool analyzed : {false, true}) {
    if (analyzed && !execute(url, "ANALYZE")) return 1;
    fmt::print("{} calls, two thirds of them of the user who asks; statistics {}\n",
               total == 0 ? "earlier" : fmt::format("{}", total),
               analyzed ? "of now" : "as autovacuum has them");
    const auto store = persistence::store::make_postgres_reader({.url = url});
    for (const auto& question : questions(sessions[0], clock.wall()))
      if (!report(*store, question)) return 1;
  }
  return 0;
}
