#include "persistence/store/last_event.h"

#include "base/try.h"
#include "persistence/store/recorded_rows.h"
#include "proto/codec.h"

namespace toolway::persistence::store {

Result<std::optional<RecordedEvent>> last_event(const postgres::SqlRow& row) {
  if (const auto completion = row.nullable<std::string>("completion")) {
    ASSIGN_OR_RETURN(auto event, merged_event(*completion, row.nullable<std::string>("result")));
    return RecordedEvent{position_of(row, "completion_"), std::move(event)};
  }
  const auto newest = row.nullable<std::string>("event");
  if (!newest) return std::optional<RecordedEvent>();
  ASSIGN_OR_RETURN(auto event, proto::decode_event(*newest));
  RecordedEvent last{position_of(row, "event_"), std::move(event)};
  const auto attempt = row.nullable<std::int64_t>("alive_attempt");
  if (!attempt) return last;
  if (const auto alive = position_of(row, "alive_"); alive > last.position) {
    last.position = alive;
    last.event.set_attempt(static_cast<std::uint32_t>(*attempt));
    last.event.set_seq(static_cast<std::uint32_t>(row.get<std::int64_t>("alive_seq")));
    last.event.set_time_us(row.get<std::int64_t>("alive_time"));
    last.event.mutable_alive();
  }
  return last;
}

Result<CallAndLog> call_and_log(const postgres::SqlRow& row) {
  CallAndLog found;
  ASSIGN_OR_RETURN(found.request, proto::decode_call(row.get<std::string>("request")));
  if (auto arguments = row.nullable<std::string>("arguments"))
    found.request.set_arguments(*std::move(arguments));
  ASSIGN_OR_RETURN(auto last, last_event(row));
  if (last) found.last = std::move(last->event);
  return found;
}

}  // namespace toolway::persistence::store
