#include "persistence/schema/stream_layout.h"

#include <algorithm>

#include "base/json.h"
#include "base/try.h"
#include "persistence/postgres/pg_connection.h"

namespace toolway::persistence::schema {

void keep_pools(bus::Layout& layout, const bus::Layout& known) {
  for (const auto& pool : known.pools) {
    const auto same = [&](const bus::PoolLayout& other) { return other.name == pool.name; };
    const auto found = std::find_if(layout.pools.begin(), layout.pools.end(), same);
    if (found == layout.pools.end()) {
      layout.pools.push_back(pool);
    } else {
      found->partitions = std::max(found->partitions, pool.partitions);
    }
  }
}

std::string layout_text(const bus::Layout& layout) {
  Json pools = Json::array();
  for (const auto& pool : layout.pools) {
    pools.push_back({{"name", pool.name}, {"partitions", pool.partitions}});
  }
  return to_text(Json{{"pools", std::move(pools)},
                      {"replicas", layout.replicas},
                      {"max_bytes", layout.max_bytes},
                      {"max_age_hours", layout.max_age.count()}});
}

Result<bus::Layout> parse_layout(std::string_view text) try {
  const auto json = Json::parse(text);
  bus::Layout layout;
  for (const auto& pool : json.at("pools")) {
    layout.pools.push_back({.name = pool.at("name"), .partitions = pool.at("partitions")});
  }
  layout.replicas = json.at("replicas");
  layout.max_bytes = json.at("max_bytes");
  layout.max_age = std::chrono::hours(json.at("max_age_hours").get<std::int64_t>());
  return layout;
} catch (const Json::exception&) {
  return fail(ErrorCode::kInternal,
              "the row in table stream_layout is not a layout: run `toolway migrate` again");
}

Result<std::optional<bus::Layout>> stored_layout(const std::string& postgres_url) {
  auto connection = postgres::PgConnection::open(postgres_url, postgres::patience_of_a_command());
  if (!connection) {
    return fail(ErrorCode::kStoreUnavailable,
                "connecting to Postgres to read the layout: " + connection.error().message);
  }
  auto found = connection->execute("SELECT layout FROM stream_layout");
  if (!found)
    return fail(ErrorCode::kStoreUnavailable, "reading the layout: " + found.error().message);
  if (found->empty()) return std::nullopt;
  ASSIGN_OR_RETURN(auto layout, parse_layout(found->front().get<std::string>("layout")));
  return layout;
}

Result<void> store_layout(const std::string& postgres_url, const bus::Layout& layout) {
  auto connection = postgres::PgConnection::open(postgres_url, postgres::patience_of_a_command());
  if (!connection) {
    return fail(ErrorCode::kStoreUnavailable,
                "connecting to Postgres to write the layout: " + connection.error().message);
  }
  auto whole = layout;
  if (auto before = connection->execute("SELECT layout FROM stream_layout");
      before && !before->empty()) {
    if (auto known = parse_layout(before->front().get<std::string>("layout")))
      keep_pools(whole, *known);
  }
  auto done = connection->execute(
      "INSERT INTO stream_layout (layout) VALUES ($1) ON CONFLICT (single) DO UPDATE "
      "SET layout = excluded.layout, written_at = now()",
      {layout_text(whole)});
  if (!done) {
    return fail(ErrorCode::kStoreUnavailable, "writing the layout: " + done.error().message);
  }
  return {};
}

}  // namespace toolway::persistence::schema
