#include "chat/engine/memory.h"

#include "base/ids.h"

namespace toolway::chat::engine {
namespace {

class InMemory final : public Memory {
 public:
  const std::string& conversation() const override { return id_; }
  const history::History& history() const override { return history_; }
  Result<void> append(history::Message message) override {
    return history_.append(std::move(message));
  }
  Result<void> start_new() override {
    history_ = {};
    id_ = random_hex(16);
    return {};
  }

 private:
  std::string id_ = random_hex(16);
  history::History history_;
};

}  // namespace

std::unique_ptr<Memory> make_memory() { return std::make_unique<InMemory>(); }

}  // namespace toolway::chat::engine
