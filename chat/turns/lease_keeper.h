#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <thread>

#include "base/mutex.h"
#include "chat/turns/beat.h"
#include "persistence/conversations/conversation_store.h"

namespace toolway::chat::turns {

/// Renews the conversations that this process has, all in one statement each second, and stops
/// turns that have lost theirs or are asked to stop. Thread-safe.
class LeaseKeeper {
 public:
  using Owner = persistence::conversations::Owner;
  using Writer = persistence::conversations::Writer;

  /// How often what is held is renewed.
  static constexpr std::chrono::seconds kRenewInterval{1};

  /// `store` outlives it.
  explicit LeaseKeeper(persistence::conversations::ConversationStore& store,
                       Beat beat = Beat::kOnItsThread);

  /// While it exists, the writer is renewed.
  class Lease {
   public:
    Lease(LeaseKeeper& keeper, Writer writer) : keeper_(keeper), writer_(std::move(writer)) {}
    ~Lease() { keeper_.drop(writer_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

   private:
    LeaseKeeper& keeper_;
    const Writer writer_;
  };
  /// `owner`: whose conversation it has. `stop` is called on the keeper's thread, and must not
  /// block.
  std::unique_ptr<Lease> hold(Owner owner, Writer writer, std::function<void()> stop);
  /// Renews once; its thread does so. Blocks.
  void renew();

 private:
  void drop(const Writer& writer);

  struct Turn {
    Owner owner;
    std::function<void()> stop;
  };
  persistence::conversations::ConversationStore& store_;
  Mutex mutex_;
  std::map<Writer, Turn> held_ GUARDED_BY(mutex_);
  std::jthread thread_;  // the last one: it uses the others
};

}  // namespace toolway::chat::turns
