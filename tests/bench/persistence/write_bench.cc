// How fast the collector's writer records calls, and what that costs, with the records of the audit
// and without, batch by batch in turn:
// `persistence_write_bench <postgres-url> [calls] [batch]` into a migrated database.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/ids.h"
#include "persistence/audit/audit_row.h"
#include "persistence/collector/audit_rows.h"
#include "persistence/collector/batch_writer.h"
#include "persistence/postgres/pg_connection.h"
#include "persistence/schema/migrate.h"
#include "proto/codec.h"
#include "tests/bench/process_cpu.h"

namespace {

using namespace toolway;
using toolway::persistence::collector::Batch;
using toolway::persistence::collector::Message;
using toolway::persistence::collector::Source;
using toolway::persistence::collector::Table;

struct Published {
  std::vector<std::string> calls;
  std::vector<std::string> events;
};

Published make_calls(std::size_t count, const std::vector<toolway::SessionKey>& sessions,
                     const toolway::Clock& clock) {
  Published published;
  for (std::size_t i = 0; i < count; ++i) {
    const auto id = toolway::CallId::make(clock.wall());
    const auto& session = sessions[i % sessions.size()];
    v1::CallRequest call;
    call.set_call_id(id.text());
    call.set_tenant_id("default");
    call.set_user_id("anonymous");
    call.set_session_key(session.text());
    call.set_session_id("bench-session");
    call.mutable_labels()->set_tool("get_current_time");
    call.mutable_labels()->set_namespace_("time");
    call.mutable_labels()->set_tool_call_id("call_0123456789");
    call.set_pool("native");
    call.set_arguments(R"({"timezone":"Europe/Berlin"})");
    call.set_submitted_at_us(toolway::to_unix_us(clock.wall()));
    published.calls.push_back(toolway::proto::encode(call));

    v1::CallEvent event;
    event.set_call_id(id.text());
    event.set_tenant_id("default");
    event.set_user_id("anonymous");
    event.set_session_key(session.text());
    event.set_session_id("bench-session");
    *event.mutable_labels() = call.labels();
    event.set_attempt(1);
    event.set_seq(1);
    event.set_time_us(toolway::to_unix_us(clock.wall()));
    event.set_submitted_at_us(call.submitted_at_us());
    event.set_worker_id("w-0123456789abcdef");
    v1::Admission admission;
    admission.set_policy(3);
    admission.set_method("jwt");
    admission.set_arguments_sha256(std::string(32, 'a'));
    admission.add_reasons()->set_extension("permissions");
    admission.mutable_reasons(0)->set_because("roles agent");
    event.set_admission(admission.SerializeAsString());
    auto& completed = *event.mutable_completed();
    completed.set_outcome(v1::OUTCOME_SUCCEEDED);
    completed.set_result(R"({"iso8601":"2026-01-31T12:00:00+01:00","unix":1769857200})");
    completed.set_started_at_us(event.time_us());
    completed.set_merged_start(true);
    published.events.push_back(toolway::proto::encode(event));
  }
  return published;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Cost {
  std::size_t calls = 0;
  std::chrono::duration<double> writing{};
  std::chrono::duration<double> encoding{};
  double own_cpu = 0;
  double backend_cpu = 0;
  std::size_t backend_calls = 0;  // while its process was known

  void print(const char* name) const {
    const auto count = static_cast<double>(calls);
    std::printf("%s: %zu calls, %.0f calls/s\n", name, calls, count / (encoding + writing).count());
    std::printf(
        "  per call: encoding %.1f us, writing %.1f us; CPU here %.1f us, backend %.1f us\n",
        encoding.count() * 1e6 / count, writing.count() * 1e6 / count, own_cpu * 1e6 / count,
        backend_cpu * 1e6 / static_cast<double>(std::max<std::size_t>(1, backend_calls)));
  }
};

/// What it takes to make the record of one call's end, which encoding includes in both.
double record_us(const std::vector<std::string>& events) {
  std::vector<v1::CallEvent> decoded;
  for (const auto& event : events) decoded.push_back(*toolway::proto::decode_event(event));
  std::size_t bytes = 0;
  const auto begun = std::chrono::steady_clock::now();
  for (const auto& event : decoded) {
    const toolway::persistence::collector::AuditRowOf record(event);
    bytes += toolway::persistence::audit::digest_of(record.row()).size();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  return bytes == 0 ? 0 : took.count() * 1e6 / static_cast<double>(decoded.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s <postgres-url> [calls] [calls per batch]\n", argv[0]);
    return 2;
  }
  const std::string url = argv[1];
  const std::size_t total = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 200'000;
  const std::size_t per_batch = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1'000;
  if (auto migrated = toolway::persistence::schema::migrate(url); !migrated) {
    std::fprintf(stderr, "%s\n", migrated.error().message.c_str());
    return 1;
  }
  const toolway::SystemClock clock;
  std::vector<toolway::SessionKey> sessions;
  for (int i = 0; i < 200; ++i) sessions.push_back(toolway::SessionKey::make());

  toolway::persistence::collector::BatchWriter writer(url, clock);
  std::array<Cost, 2> costs;  // without the audit, with it
  int backend = 0;            // pid, once known
  const auto incarnation = toolway::to_unix_us(clock.wall()) / 1000;
  std::uint64_t sequence = 0;
  for (std::size_t done = 0; done < total; done += per_batch) {
    const auto published = make_calls(per_batch, sessions, clock);
    const double cpu_before = cpu_seconds();
    const double backend_before = backend == 0 ? 0 : toolway::bench::cpu_seconds_of(backend);
    const auto begun = std::chrono::steady_clock::now();
    std::vector<Message> messages;
    for (std::size_t i = 0; i < per_batch; ++i) {
      ++sequence;
      messages.push_back({Source::kCalls, "call", published.calls[i], incarnation, sequence});
      messages.push_back({Source::kEvents, "event", published.events[i], incarnation, sequence});
    }
    Batch batch(std::move(messages));
    const bool audited = done / per_batch % 2 == 1;
    if (!audited) batch.rows.table(Table::kAudit).rows.clear();
    Cost& cost = costs[audited ? 1 : 0];
    const auto encoded = std::chrono::steady_clock::now();
    auto written = writer.write(batch);
    if (!written || !written->dead.empty()) {
      std::fprintf(stderr, "%s\n",
                   written ? written->dead[0].reason.c_str() : written.error().message.c_str());
      return 1;
    }
    cost.calls += per_batch;
    cost.encoding += encoded - begun;
    cost.writing += std::chrono::steady_clock::now() - encoded;
    cost.own_cpu += cpu_seconds() - cpu_before;
    if (backend != 0) {
      cost.backend_cpu += toolway::bench::cpu_seconds_of(backend) - backend_before;
      cost.backend_calls += per_batch;
    } else if (auto connection = toolway::persistence::postgres::PgConnection::open(url)) {
      auto pid = connection->execute(
          "SELECT pid::bigint AS pid FROM pg_stat_activity WHERE datname = current_database() "
          "AND pid <> pg_backend_pid() AND backend_type = 'client backend' LIMIT 1");
      if (pid && !pid->empty()) backend = static_cast<int>(pid->front().get<std::int64_t>("pid"));
    }
  }
  costs[0].print("without audit");
  costs[1].print("with audit");
  std::printf("making a record: %.1f us\n", record_us(make_calls(20'000, sessions, clock).events));
  return 0;
}
