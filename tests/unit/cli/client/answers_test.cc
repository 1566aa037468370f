#include "cli/client/answers.h"

#include <gtest/gtest.h>

namespace toolway::cli::client {
namespace {

OrderedJson json(const char* text) { return OrderedJson::parse(text); }

OrderedJson asks(const char* key, const char* method = "elicitation/create",
                 const char* params = "{}") {
  return {{"key", key}, {"method", method}, {"params", json(params)}};
}

OrderedJson form(const char* key) {
  return asks(key, "elicitation/create",
              R"({"message":"Which?","requestedSchema":{"type":"object","required":["size"],
                  "properties":{"size":{"type":"integer"},"name":{"type":"string"}}}})");
}

std::vector<std::string> keys(const QuestionList& list) {
  std::vector<std::string> found;
  for (const auto& question : list.waiting()) found.push_back(question["key"].get<std::string>());
  return found;
}

using Keys = std::vector<std::string>;

TEST(QuestionList, ThoseWaitThatWereNotAnswered) {
  QuestionList list;
  list.add({{"type", "started"}});
  list.add({{"type", "input_requested"}, {"questions", {asks("a"), asks("b")}}});
  list.add({{"type", "input_requested"}, {"questions", {asks("b"), asks("c")}}});
  EXPECT_EQ(keys(list), (Keys{"a", "b", "c"}));
  list.add({{"type", "input_provided"}, {"answered", {"b"}}});
  EXPECT_EQ(keys(list), (Keys{"a", "c"}));
  list.add({{"type", "completed"}});
  EXPECT_EQ(keys(list), Keys{});
}

std::string answered(const std::vector<OrderedJson>& waiting, const AnswerOptions& options) {
  const auto answers = answers_of(waiting, options);
  return answers ? to_text(*answers) : "refused: " + answers.error().message;
}

TEST(AnswersOf, TheFieldsOfAFormAreTypedByIt) {
  EXPECT_EQ(answered({form("k")}, {.words = {"size=3", "name=4"}}),
            R"({"k":{"action":"accept","content":{"size":3,"name":"4"}}})");
  EXPECT_NE(answered({form("k")}, {.words = {"size=big"}}).find("refused: "), std::string::npos);
  EXPECT_EQ(answered({form("k")}, {.accept = true}), R"({"k":{"action":"accept","content":{}}})");
  EXPECT_EQ(answered({form("k")}, {.decline = true}), R"({"k":{"action":"decline"}})");
  EXPECT_EQ(answered({form("k")}, {.words = {R"({"action":"cancel"})"}}),
            R"({"k":{"action":"cancel"}})");
}

TEST(AnswersOf, AFieldThatTheFormDoesNotHaveIsNamed) {
  EXPECT_EQ(answered({form("k")}, {.words = {"size=3", "nme=x"}}),
            "refused: the form has no field 'nme'; did you mean 'name'?");
  EXPECT_EQ(answered({form("k")}, {.words = {"colour=red"}}),
            "refused: the form has no field 'colour'; it has size, name");
  EXPECT_EQ(answered({asks("k")}, {.words = {"colour=red"}}),
            R"({"k":{"action":"accept","content":{"colour":"red"}}})")
      << "it does not say which it has";
}

TEST(AnswersOf, WhichQuestionIsSaidWhenThereAreSeveral) {
  const std::vector<OrderedJson> two{form("a"), form("b")};
  EXPECT_EQ(answered(two, {.decline = true}),
            "refused: several questions wait for an answer: say --key, one of a, b");
  EXPECT_EQ(answered(two, {.key = "b", .decline = true}), R"({"b":{"action":"decline"}})");
  EXPECT_EQ(answered(two, {.key = "c", .decline = true}),
            "refused: no question 'c' waits for an answer; these do: a, b");
  EXPECT_EQ(answered({}, {.decline = true}), "refused: the call waits for no answer");
}

TEST(AnswersOf, WhatFitsNoQuestionIsRefused) {
  const auto page = asks("p", "elicitation/create",
                         R"({"mode":"url","message":"Sign in","url":"https://x.example"})");
  EXPECT_EQ(message_of(page), "Sign in https://x.example");
  EXPECT_EQ(answered({page}, {.words = {"a=b"}}),
            "refused: this asks to open a page: answer --accept or --decline");
  EXPECT_EQ(answered({form("k")}, {.accept = true, .decline = true}),
            "refused: --accept and --decline say the opposite: leave one of them out");
  EXPECT_EQ(answered({form("k")}, {.words = {"size=3"}, .accept = true}),
            "refused: --accept and --decline take no fields: leave them or the option out");
  const auto roots = asks("r", "roots/list");
  EXPECT_EQ(answered({roots}, {.accept = true}),
            "refused: this asks for folders: answer with the result of roots/list as JSON, or "
            "--decline");
  EXPECT_EQ(answered({roots}, {.words = {R"({"roots":[]})"}}), R"({"r":{"roots":[]}})");
  EXPECT_EQ(answered({roots}, {.decline = true}), R"({"r":{"error":{"message":"declined"}}})");
}

TEST(Questions, AreShownInWords) {
  EXPECT_EQ(fields_text(form("k")), "size* (integer), name");
  EXPECT_EQ(asked_for(form("k")), "a form");
  EXPECT_EQ(asked_for(asks("s", "sampling/createMessage")), "a message of a model");
}

}  // namespace
}  // namespace toolway::cli::client
