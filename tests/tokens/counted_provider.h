#pragma once

#include <memory>
#include <string>

#include "chat/providers/dialect.h"
#include "tests/tokens/plan.h"

namespace toolway::tokens {

/// A model that says what chance wants, and counts what it is asked with the tokenizer at the other
/// end of standard input and output: a line of JSON there, a number back.
class CountedProvider final : public chat::providers::Provider {
 public:
  /// Both outlive it.
  CountedProvider(const Plan& plan, Random& random);

  const std::string& id() const override { return id_; }
  tools::exports::ModelApi api() const override { return plan_.api; }
  chat::providers::ReplyResult ask(const chat::providers::ModelRequest& request,
                                   const chat::providers::OnText& on_text,
                                   std::stop_token stop) override;

  void begin_turn(unsigned turn);
  /// What was counted is forgotten: there is a new engine.
  void begin_engine() { counted_ = 0; }

 private:
  std::uint64_t count(const chat::providers::ModelRequest& request, bool summary);
  tools::messages::Message reply();
  tools::messages::Part said();
  tools::messages::Part call();
  tools::messages::Part thought();
  std::string text(std::size_t bytes);

  const Plan& plan_;
  Random& random_;
  const std::unique_ptr<chat::providers::Dialect> dialect_;
  const std::string id_;
  unsigned turn_ = 0;
  unsigned calls_left_ = 0;  // replies with calls, of this turn
  unsigned counted_ = 0;     // requests
};

}  // namespace toolway::tokens
