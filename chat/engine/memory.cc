#include "chat/engine/memory.h"

#include <utility>

#include "base/ids.h"

namespace toolway::chat::engine {
namespace {

class InMemory final : public Memory {
 public:
  explicit InMemory(std::string id) : id_(id.empty() ? random_hex(16) : std::move(id)) {}
  const std::string& conversation() const override { return id_; }
  const tools::messages::History& history() const override { return history_; }
  Result<void> append(tools::messages::Message message) override {
    return history_.append(std::move(message));
  }
  Result<void> start_new() override {
    history_ = {};
    id_ = random_hex(16);
    return {};
  }

 private:
  std::string id_;
  tools::messages::History history_;
};

}  // namespace

std::unique_ptr<Memory> make_memory(std::string id) {
  return std::make_unique<InMemory>(std::move(id));
}

}  // namespace toolway::chat::engine
