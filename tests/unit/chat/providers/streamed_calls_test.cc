#include "chat/providers/streamed_calls.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace toolway::chat::providers {
namespace {

using Strings = std::vector<std::string>;

/// `ID NAME ARGUMENTS` of each call that deltas of one piece each come to.
Strings calls_of_pieces(std::initializer_list<std::string_view> pieces) {
  StreamedCalls calls;
  for (const auto piece : pieces) calls.take(OrderedJson::array({*parse_ordered_json(piece)}));
  Strings made;
  for (const auto& call : calls.take_all())
    made.push_back(call.value("id", "") + " " + call["function"]["name"].get<std::string>() + " " +
                   call["function"]["arguments"].get<std::string>());
  return made;
}

TEST(StreamedCalls, PiecesWithoutAnIdContinueTheCallOfTheirIndex) {
  EXPECT_EQ(calls_of_pieces({R"({"index":1,"id":"b","function":{"name":"u","arguments":"{"}})",
                             R"({"index":0,"id":"a","function":{"name":"t","arguments":"{\"n\""}})",
                             R"({"index":1,"function":{"arguments":"}"}})",
                             R"({"index":0,"id":"","function":{"name":null,"arguments":":1}"}})"}),
            (Strings{R"(a t {"n":1})", "b u {}"}));
}

TEST(StreamedCalls, AnotherIdBeginsACallAtTheSameIndex) {
  EXPECT_EQ(calls_of_pieces({R"({"index":0,"id":"a1","function":{"name":"t","arguments":"{}"}})",
                             R"({"index":0,"id":"a2","function":{"name":"t","arguments":"{"}})",
                             R"({"index":0,"function":{"arguments":"}"}})"}),
            (Strings{"a1 t {}", "a2 t {}"}));
  EXPECT_EQ(calls_of_pieces({R"({"index":0,"id":"a","function":{"name":"t","arguments":"{"}})",
                             R"({"index":0,"id":"a","function":{"name":"t","arguments":"}"}})"}),
            (Strings{"a t {}"}))
      << "the same id in each piece";
}

TEST(StreamedCalls, WithoutIndexAndIdANameAfterWholeArgumentsBeginsACall) {
  for (const std::string index : {"", R"("index":0,)"}) {
    const auto piece = [&](std::string_view function) {
      return "{" + index + R"("id":"","function":)" + std::string(function) + "}";
    };
    EXPECT_EQ(
        calls_of_pieces({piece(R"({"name":"t","arguments":"{\"n\":1}"})"),
                         piece(R"({"name":"t","arguments":"{}"})"),
                         piece(R"({"name":"u","arguments":""})"), piece(R"({"arguments":"{}"})")}),
        (Strings{R"( t {"n":1})", " t {}", " u {}"}));
    EXPECT_EQ(calls_of_pieces({piece(R"({"name":"t","arguments":"{"})"),
                               piece(R"({"name":"t","arguments":"}"})"),
                               piece(R"({"name":"t","arguments":""})")}),
              (Strings{" t {}"}))
        << "a name that each piece repeats";
  }
}

TEST(StreamedCalls, WithoutIndexAnIdBeginsACall) {
  EXPECT_EQ(calls_of_pieces({R"({"id":"a","function":{"name":"t","arguments":{"n":1}}})",
                             R"({"id":"b","function":{"name":"u","arguments":"{"}})",
                             R"({"function":{"name":"u","arguments":"}"}})",
                             R"({"id":"b","function":{"arguments":" "}})"}),
            (Strings{R"(a t {"n":1})", "b u {} "}));
}

TEST(StreamedCalls, NoIndexIsTooLarge) {
  EXPECT_EQ(
      calls_of_pieces(
          {R"({"index":9223372036854775807,"id":"a","function":{"name":"t","arguments":"{}"}})",
           R"({"id":"b","function":{"name":"t","arguments":"{}"}})"}),
      (Strings{"a t {}", "b t {}"}));
}

}  // namespace
}  // namespace toolway::chat::providers
