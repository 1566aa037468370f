#include "tests/chaos/bus_faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "bus/answer.h"
#include "bus/jetstream_bus.h"
#include "proto/subjects.h"

namespace toolway::chaos {
namespace {

constexpr std::size_t kRemembered = 20000;

}  // namespace

Result<std::unique_ptr<BusFaults>> BusFaults::connect(const std::string& url) {
  auto connected = bus::connect_jetstream({.url = url, .name = "chaos"});
  if (!connected) return fail(connected.error());
  std::unique_ptr<BusFaults> faults(new BusFaults(std::move(*connected)));
  if (auto watching = faults->watch(); !watching) return fail(watching.error());
  return faults;
}

Result<void> BusFaults::watch() {
  // Every client's acknowledgements pass here.
  auto watching = bus_->serve("$JS.ACK.>", "", [this](bus::Request request) {
    const std::lock_guard lock(mutex_);
    Settled settled{std::move(request.subject), std::move(request.payload)};
    if (seen_.size() < kRemembered)
      seen_.push_back(std::move(settled));
    else
      seen_[next_++ % kRemembered] = std::move(settled);
  });
  if (!watching) return fail(watching.error());
  watching_ = std::move(*watching);
  return {};
}

std::size_t BusFaults::repeat_settlements(Randomness& random, std::size_t count) {
  static const std::vector<std::string> words{"+ACK", "+ACK", "-NAK",
                                              R"(-NAK {"delay":1000000000})", "+WPI"};
  std::vector<Settled> chosen;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < count && !seen_.empty(); ++i) chosen.push_back(random.pick(seen_));
  }
  for (auto& [subject, word] : chosen) {
    // A call's delivery may get any answer: the reaper finds a call whose message is gone. What
    // a collector gave back it must get again, so there we only repeat its own word.
    if (subject.find(".collector.") == std::string::npos) word = random.pick(words);
    bus_->tell(subject, word);
  }
  return chosen.size();
}

Result<OrderedJson> BusFaults::api(const std::string& what, const std::string& body) {
  const auto answer = bus::answer_of<std::string>(
      [&](auto handler) { bus_->request("$JS.API." + what, body, std::move(handler)); });
  if (!answer) return fail(answer.error());
  auto json = parse_ordered_json(*answer, 1000);
  if (!json) return fail(json.error());
  if (json->contains("error"))
    return fail(ErrorCode::kInternal, fmt::format("{}: {}", what, to_text((*json)["error"])));
  return std::move(*json);
}

std::vector<std::string> BusFaults::durables(const std::string& stream) {
  auto names = bus::answer_of<std::vector<std::string>>(
      [&](auto handler) { bus_->durables(stream, std::move(handler)); });
  return names ? std::move(*names) : std::vector<std::string>();
}

std::string BusFaults::delete_durable(Randomness& random) {
  const std::string stream = random.chance(0.7) ? "CALLS" : "EVENTS";
  const auto names = durables(stream);
  if (names.empty()) return {};
  const auto& name = random.pick(names);
  // Without an answer it may still be gone.
  (void)api(fmt::format("CONSUMER.DELETE.{}.{}", stream, name));
  return stream + "/" + name;
}

Result<void> BusFaults::resize(const std::string& stream, std::int64_t max_bytes) {
  auto info = api("STREAM.INFO." + stream);
  if (!info) return fail(info.error());
  auto config = (*info)["config"];
  config["max_bytes"] = max_bytes;
  auto updated = api("STREAM.UPDATE." + stream, to_text(config));
  if (!updated) return fail(updated.error());
  return {};
}

std::optional<std::uint64_t> BusFaults::unrecorded(const std::string& stream) {
  const auto state = bus::answer_of<bus::ConsumerState>([&](auto handler) {
    bus_->consumer_state({stream, std::string(proto::kCollectorDurable)}, std::move(handler));
  });
  const auto end = bus::answer_of<bus::StreamState>(
      [&](auto handler) { bus_->stream_state(stream, std::move(handler)); });
  if (!state || !end) return std::nullopt;
  return end->last_sequence - std::min(end->last_sequence, state->ack_floor);
}

void BusFaults::sample() {
  for (const auto& name : durables("CALLS")) {
    if (!proto::parse_call_durable(name)) continue;
    const auto state = bus::answer_of<bus::ConsumerState>(
        [&](auto handler) { bus_->consumer_state({"CALLS", name}, std::move(handler)); });
    if (!state) continue;
    ++deepest_.samples;
    deepest_.pending = std::max(deepest_.pending, state->pending);
    deepest_.ack_pending = std::max(deepest_.ack_pending, state->ack_pending);
  }
}

}  // namespace toolway::chaos
