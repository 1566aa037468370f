#include "chat/window/estimate.h"

#include <algorithm>
#include <cmath>

namespace toolway::chat::window {
namespace {

/// The most that a server may count for what a text has at most.
constexpr double kMaxExcess = 4;
/// How far off a count is when all rates are right: a part of the text, and some tokens.
constexpr double kNoise = 0.05;
constexpr double kLeastNoise = 4;
/// Messages writes a line before an assistant's message that is the first one.
constexpr double kFirstLine = 16;

std::uint64_t whole(double tokens) {
  return static_cast<std::uint64_t>(std::ceil(std::max(0.0, tokens)));
}

}  // namespace

Load Estimate::load(std::size_t message, const Tokens& tokens) const {
  return {tokens, last_ && last_->chosen.has(message) ? tokens : Tokens{}};
}

Load Estimate::load(const Besides& besides) const {
  Load load;
  const auto parts = besides.parts();
  const auto before = last_ ? last_->besides.parts() : Besides().parts();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    load.all += parts[i];
    if (parts[i] == before[i]) load.counted += parts[i];
  }
  return load;
}

std::uint64_t Estimate::likely(const Load& load) const {
  const auto alone = rates_.tokens(load.all.likely);
  if (!last_) return whole(alone);
  const auto change = load.all - last_->all;
  const auto from_last = last_->tokens + rates_.tokens(change.likely);
  // Both are as far off as the texts are long for which rates are needed.
  const auto all = sum(load.all.likely);
  const auto changed = changed_texts(load);
  const auto weight = all * all / (1 + all * all + changed * changed);
  return whole(weight * from_last + (1 - weight) * alone);
}

double Estimate::changed_texts(const Load& load) const {
  return std::hypot(sum((load.all - load.counted).likely), sum(dropped(load).likely));
}

std::uint64_t Estimate::at_most(const Load& load) const {
  const auto most = excess_ * load.all.most;
  if (!last_) return whole(most);
  const auto known = std::max(last_->tokens, last_->all.least) - dropped(load).least;
  const auto added = excess_ * (load.all - load.counted).most + kFirstLine;
  return whole(std::min(most, known + added));
}

void Estimate::learn(const Chosen& chosen, const Besides& besides, const Load& load,
                     std::uint64_t tokens) {
  if (tokens == 0 || load.all.most <= 0) return;
  const auto seen = static_cast<double>(tokens);
  if (last_ && !last_->remembered) {
    const auto change = load.all - last_->all;
    rates_.learn(change.likely, seen - last_->tokens, kLeastNoise + kNoise * changed_texts(load));
  } else {
    rates_.learn(load.all.likely, seen, kLeastNoise + kNoise * sum(load.all.likely));
  }
  excess_ = std::clamp(seen / load.all.most, excess_, kMaxExcess);
  last_ = Counted{chosen, besides, load.all, seen};
}

void Estimate::remember(const Chosen& chosen, const Tokens& messages, std::uint64_t tokens) {
  last_ = Counted{.chosen = chosen,
                  .besides = {},
                  .all = messages,
                  .tokens = static_cast<double>(tokens),
                  .remembered = true};
}

void Estimate::shift(std::size_t messages) {
  if (!last_ || messages == 0) return;
  auto& chosen = last_->chosen;
  // Messages of the system that began what was known do not begin the conversation.
  if (chosen.system > 0) return forget_request();
  chosen.round += messages;
  chosen.first += messages;
  chosen.end += messages;
}

}  // namespace toolway::chat::window
