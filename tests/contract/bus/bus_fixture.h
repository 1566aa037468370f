#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "bus/in_memory_bus.h"
#include "tests/support/awaiting.h"
#include "tests/support/nats.h"
#include "tests/support/temp_dir.h"

namespace toolway::test {

/// A bus under test, and the faults that its contract speaks of.
class BusUnderTest {
 public:
  virtual ~BusUnderTest() = default;
  virtual bus::Bus& bus() = 0;
  /// A second client of the same streams; the same object where there is only one.
  virtual bus::Bus& other() = 0;
  virtual void lose_connection() = 0;
  virtual void restore_connection() = 0;
};

class InMemoryUnderTest final : public BusUnderTest {
 public:
  bus::Bus& bus() override { return *bus_; }
  bus::Bus& other() override { return *bus_; }
  void lose_connection() override { bus_->disconnect(); }
  void restore_connection() override { bus_->reconnect(); }

 private:
  std::unique_ptr<bus::InMemoryBus> bus_ = bus::make_in_memory_bus();
};

/// A real nats-server (TOOLWAY_NATS_SERVER, or the one from PATH), killed and
/// started again to lose and restore the connection.
class JetStreamUnderTest final : public BusUnderTest {
 public:
  JetStreamUnderTest() {
    server_ = start_nats(directory_.path().string());
    bus_ = connect_to(*server_);
    other_ = connect_to(*server_);
  }
  bus::Bus& bus() override { return *bus_; }
  bus::Bus& other() override { return *other_; }
  void lose_connection() override { server_->stop(SIGKILL); }
  void restore_connection() override {
    if (auto again = server_->restart(); !again) throw std::runtime_error(again.error().message);
  }

 private:
  TempDir directory_;
  std::unique_ptr<local::NatsServer> server_;
  std::unique_ptr<bus::Bus> bus_;
  std::unique_ptr<bus::Bus> other_;
};

enum class Implementation { kInMemory, kJetStream };

/// One suite for both implementations; a fresh bus with one pool for each test.
class BusContract : public testing::TestWithParam<Implementation> {
 protected:
  void SetUp() override {
    if (GetParam() == Implementation::kInMemory) {
      subject_ = std::make_unique<InMemoryUnderTest>();
    } else {
      subject_ = std::make_unique<JetStreamUnderTest>();
    }
    const auto provisioned = bus().provision(layout_);
    ASSERT_TRUE(provisioned) << provisioned.error().message;
  }

  bus::Bus& bus() { return subject_->bus(); }

  Result<bus::PubAck> publish(bus::Publication publication) {
    Awaited<Result<bus::PubAck>> ack;
    bus().publish(std::move(publication), ack.callback());
    return ack.next().value_or(fail(ErrorCode::kInternal, "the handler was never called"));
  }

  /// Publishes until it is acknowledged: after a restart JetStream takes a moment.
  bus::PubAck publish_surely(const bus::Publication& publication) {
    for (;;) {
      auto ack = publish(publication);
      if (ack) return *ack;
      if (ack.error().code == ErrorCode::kInternal) {
        ADD_FAILURE() << ack.error().message;
        return {};
      }
    }
  }

  bus::Layout layout_{.pools = {{.name = "native"}}};
  std::unique_ptr<BusUnderTest> subject_;
};

inline std::string implementation_name(const testing::TestParamInfo<Implementation>& info) {
  return info.param == Implementation::kInMemory ? "InMemory" : "JetStream";
}

}  // namespace toolway::test
