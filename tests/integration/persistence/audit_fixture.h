#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bus/in_memory_bus.h"
#include "persistence/audit/audit_reader.h"
#include "persistence/collector/batch_writer.h"
#include "persistence/reaper/sealer.h"
#include "tests/integration/persistence/signalling_metrics.h"
#include "tests/integration/persistence/store_fixture.h"

namespace toolway::persistence {

/// An audit that sealers seal, with a key of its own.
class AuditFixture : public StoreFixture {
 protected:
  void SetUp() override {
    StoreFixture::SetUp();
    migrate_now();
    ASSERT_TRUE(bus_->provision(bus::Layout{}));
  }

  /// Calls that have ended, in one transaction.
  void record_calls(int calls) {
    Script script(clock_);
    for (int i = 0; i < calls; ++i) script.completed(script.call(), 1);
    collector::BatchWriter writer(url_, clock_);
    write_all(writer, script.messages());
  }

  std::unique_ptr<reaper::Sealer> sealer(unsigned keep_days = 0,
                                         std::optional<audit::Anchor> continues_from = {}) {
    return reaper::start_sealer(*bus_, metrics_, clock_,
                                {.postgres_url = url_,
                                 .keys = keys_,
                                 .keep_days = keep_days,
                                 .every = std::chrono::milliseconds(20),
                                 .continues_from = std::move(continues_from)});
  }

  void await(const std::string& sql, const std::string& answer) {
    for (int i = 0; i < 1000 && query(sql) != answer; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_EQ(query(sql), answer) << sql;
  }

  void seal_all() {
    const auto running = sealer();
    await(
        "SELECT count(*) FROM audit_log WHERE xid >= "
        "coalesce((SELECT to_xid FROM audit_seals ORDER BY number DESC LIMIT 1), '0')",
        "0");
  }

  audit::Verified verified(std::optional<audit::Anchor> anchor = {}) {
    auto reader = audit::AuditReader::open(url_);
    EXPECT_TRUE(reader) << reader.error().message;
    auto found = reader->verify(keys_, std::move(anchor), clock_.wall());
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(audit::Verified{});
  }

  std::vector<std::string> findings() {
    std::vector<std::string> texts;
    for (const auto& finding : verified().findings) texts.push_back(audit::in_words(finding));
    return texts;
  }

  /// As who may do anything in the database.
  void tamper(const std::string& sql) {
    EXPECT_EQ(query("SET session_replication_role = replica; " + sql), "");
  }

  SealKeys keys_ = *SealKeys::parse(SealKeys::new_line("k1"));
  SignallingMetrics metrics_;
  std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
};

}  // namespace toolway::persistence
