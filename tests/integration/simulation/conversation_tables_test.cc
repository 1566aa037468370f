// The simulation's tables of conversations are a model, written by hand: here they are held to
// Postgres.
#include "tests/integration/simulation/random_use.h"

namespace toolway::simulation::turns {
namespace {

class ModelOfConversations : public RandomUse {};

TEST_F(ModelOfConversations, AnswersAsPostgresDoes) {
  constexpr std::uint64_t kSeeds = 16;
  constexpr int kSteps = 250;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) use(seed, kSteps);
}

TEST_F(ModelOfConversations, IsMadeAsPostgresMakesIt) {
  begin(1);
  arrive({{owners_[0], turn(1), 10}, {owners_[0], turn(2), 20}});
  complete(owners_[0], turn(1), true, true);
  take(owners_[0], {turn(2), 1});
  take(owners_[0], {turn(1), 1});
  take(owners_[0], {turn(2), 1});
}

TEST_F(ModelOfConversations, KeepsPlacesAsLongAsPostgresDoes) {
  begin(2);
  for (const auto& owner : owners_) take(owner, {turn(1), 1});
  leave(owners_[0], {turn(1), 1});
  for (const int time : {110, 20, 20}) {
    pass(std::chrono::seconds(time));
    for (const auto& owner : owners_) arrive({{owner, turn(2), 20}});
  }
}

TEST_F(ModelOfConversations, WaitsAsLongAsPostgresDoesForACallThatIsNotRecorded) {
  begin(1);
  take(owners_[0], {turn(1), 1});
  const auto id = tables_->all().front().id;
  complete(owners_[0], turn(1000), false, true);
  complete(owners_[0], turn(1001), false, false);
  complete(owners_[0], turn(1002), false, false);
  complete(owners_[0], turn(1003), false, true);
  news(id, 0);
  record(1, false);
  news(id, 0);
  pass(std::chrono::seconds(13));
  news(id, 0);
  news(id, 2);
}

TEST_F(ModelOfConversations, ReadsAsManyMessagesAsPostgresDoes) {
  begin(1);
  const conversations::Writer writer{turn(1), 1};
  take(owners_[0], writer);
  const auto id = tables_->all().front().id;
  for (std::uint64_t number = 1; number <= 100; ++number)
    append(id, writer, {.number = number, .turn = {}, .role = "user", .body = "{}"}, {});
  for (const std::size_t bytes : {0, 1, 5, 100, 10'000, 20'000, 1'000'000})
    last_before(id, 101, bytes);
}

}  // namespace
}  // namespace toolway::simulation::turns
