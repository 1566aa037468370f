#include "persistence/store/last_event.h"

#include "persistence/store/recorded_rows.h"
#include "proto/codec.h"

namespace toolway::persistence {
namespace {

EventPosition position_of(const Cell& incarnation, const Cell& sequence) {
  return {static_cast<std::int64_t>(to_number(incarnation)), to_number(sequence)};
}

}  // namespace

Result<std::optional<RecordedEvent>> last_event(const std::vector<Cell>& row, std::size_t first) {
  const auto cell = [&](std::size_t i) -> const Cell& { return row.at(first + i); };
  if (cell(0)) {
    auto event = merged_event(cell(0), cell(1));
    if (!event) return fail(std::move(event.error()));
    return RecordedEvent{position_of(cell(2), cell(3)), std::move(*event)};
  }
  if (!cell(4)) return std::optional<RecordedEvent>();
  auto event = proto::decode_event(bytes_of_bytea(*cell(4)));
  if (!event) return fail(std::move(event.error()));
  RecordedEvent last{position_of(cell(5), cell(6)), std::move(*event)};
  const auto alive = position_of(cell(10), cell(11));
  if (cell(7) && alive > last.position) {
    last.position = alive;
    last.event.set_attempt(static_cast<std::uint32_t>(to_number(cell(7))));
    last.event.set_seq(static_cast<std::uint32_t>(to_number(cell(8))));
    last.event.set_time_us(static_cast<std::int64_t>(to_number(cell(9))));
    last.event.mutable_alive();
  }
  return last;
}

}  // namespace toolway::persistence
