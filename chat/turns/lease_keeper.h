#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "persistence/conversations/conversation_store.h"

namespace toolway::chat::turns {

/// Renews the conversations that this process has, all in one statement each second, and stops
/// turns that have lost theirs or are asked to stop. Thread-safe.
class LeaseKeeper {
 public:
  using Writer = persistence::conversations::Writer;

  /// `store` outlives it.
  explicit LeaseKeeper(persistence::conversations::ConversationStore& store);

  /// While it exists, the writer is renewed.
  class Lease {
   public:
    Lease(LeaseKeeper& keeper, std::string turn) : keeper_(keeper), turn_(std::move(turn)) {}
    ~Lease() { keeper_.drop(turn_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

   private:
    LeaseKeeper& keeper_;
    const std::string turn_;
  };
  /// `stop` is called on the keeper's thread, and must not block.
  std::unique_ptr<Lease> hold(Writer writer, std::function<void()> stop);

 private:
  struct Entry {
    Writer writer;
    std::function<void()> stop;
  };

  void drop(const std::string& turn);
  void renew();

  persistence::conversations::ConversationStore& store_;
  Mutex mutex_;
  std::map<std::string, Entry> held_ GUARDED_BY(mutex_);
  std::jthread thread_;  // the last one: it uses the others
};

}  // namespace toolway::chat::turns
