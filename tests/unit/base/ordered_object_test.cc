#include "base/ordered_object.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

const char* text_at(const OrderedJson& object, const char* name) {
  return object.at(name).get_ref<const std::string&>().data();
}

TEST(OrderedObject, WithRoomItsValuesStayWhereTheyAre) {
  auto object = ordered_object(12);
  object["first"] = std::string(1000, 'a');
  const auto* const before = text_at(object, "first");
  for (char name = 'b'; name < 'b' + 11; ++name) object[std::string(1, name)] = 1;
  EXPECT_EQ(object.size(), 12);
  EXPECT_EQ(text_at(object, "first"), before);
}

TEST(OrderedObject, GrowingMovesItsValues) {
  OrderedJson object = OrderedJson::object();
  auto& members = object.get_ref<OrderedJson::object_t&>();
  object["first"] = std::string(1000, 'a');
  const auto* const before = text_at(object, "first");
  for (int i = 0; i < 100; ++i) {
    make_room(members);
    members.emplace_back(std::to_string(i), i);
  }
  EXPECT_EQ(text_at(object, "first"), before);
  EXPECT_EQ(object.size(), 101);
  EXPECT_EQ(object.at("99"), 99);
}

}  // namespace
}  // namespace toolway
