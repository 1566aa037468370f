#include "cli/bench/load/call_texts.h"

#include <fmt/format.h>

#include "cli/bench/load/call_book.h"

namespace toolway::cli::bench::load {

OrderedJson CallTexts::own_call(const scenario::CallChoice& choice) {
  if (!choice.tool.empty()) return {{"tool", choice.tool}, {"arguments", choice.arguments}};
  const std::string payload(choice.payload, 'x');
  if (choice.wait_ms > 0 || choice.result > 0 || !choice.idempotent)
    return {{"tool", choice.idempotent ? "bench.work" : fmt::format("bench.{}", kRunsOnceTool)},
            {"arguments",
             {{"payload", payload},
              {"wait_ms", choice.wait_ms},
              {"result_bytes", choice.result},
              {"chunks", choice.progress}}}};
  if (choice.progress > 0)
    return {{"tool", "bench.stream"},
            {"arguments", {{"payload", payload}, {"chunks", choice.progress}}}};
  return {{"tool", "bench.echo"}, {"arguments", {{"payload", payload}}}};
}

void CallTexts::add(const scenario::CallChoice& choice, const OrderedJson& call, unsigned batch) {
  OrderedJson body = call;
  if (batch > 1) {
    body = {{"calls", OrderedJson::array()}};
    for (unsigned i = 0; i < batch; ++i) body["calls"].push_back(call);
  }
  const auto text = to_text(body);
  auto ending = fmt::format("Content-Length: {}\r\n\r\n", text.size());
  const auto body_at = ending.size();
  sorts_.push_back({std::move(ending) + text, body_at, choice.weight, 0});
  total_ += choice.weight;
}

std::size_t CallTexts::next() {
  std::size_t chosen = 0;
  for (std::size_t i = 0; i < sorts_.size(); ++i) {
    sorts_[i].credit += sorts_[i].weight;
    if (sorts_[i].credit > sorts_[chosen].credit) chosen = i;
  }
  sorts_[chosen].credit -= total_;
  return chosen;
}

}  // namespace toolway::cli::bench::load
