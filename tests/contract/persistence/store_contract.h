#pragma once

#include <memory>
#include <string>

#include "tests/integration/persistence/store_fixture.h"
#include "tests/support/in_memory_store.h"

namespace toolway::test {

using persistence::Script;
using persistence::collector::Source;

enum class Implementation { kInMemory, kPostgres };

/// One suite for both implementations of StoreReader; an empty store for each test.
class StoreReaderContract : public persistence::StoreFixture,
                            public testing::WithParamInterface<Implementation> {
 protected:
  void SetUp() override {
    if (GetParam() == Implementation::kInMemory) return;
    StoreFixture::SetUp();
    migrate_now();
    postgres_ = reader();
  }

  persistence::store::StoreReader& store() {
    return postgres_ ? *postgres_ : static_cast<persistence::store::StoreReader&>(in_memory_);
  }

  /// Records all of it in one transaction.
  void write(const Script& script) {
    if (postgres_) {
      persistence::collector::BatchWriter writer(url_, clock_);
      EXPECT_TRUE(persistence::write_all(writer, script.messages()).dead.empty());
      return;
    }
    in_memory_.begin_transaction();
    for (const auto& message : script.messages()) {
      const persistence::store::EventPosition position{message.incarnation, message.sequence};
      switch (message.source) {
        case Source::kCalls: in_memory_.record_call(message.payload, position); break;
        case Source::kEvents: in_memory_.record_event(message.payload, position); break;
        case Source::kBlobs: in_memory_.record_chunk(message.payload); break;
        case Source::kSessions: in_memory_.record_session(message.payload, position); break;
        case Source::kAudit:
        case Source::kApiKeys: break;  // no reader of the store shows it
      }
    }
  }

 private:
  InMemoryStore in_memory_;
  std::unique_ptr<persistence::store::StoreReader> postgres_;
};

inline const auto kImplementations =
    testing::Values(Implementation::kInMemory, Implementation::kPostgres);
inline std::string name_of(const testing::TestParamInfo<Implementation>& about) {
  return about.param == Implementation::kInMemory ? "InMemory" : "Postgres";
}

}  // namespace toolway::test
