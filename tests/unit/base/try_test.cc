#include "base/try.h"

#include <gtest/gtest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"

namespace toolway {
namespace {

/// An error that counts its copies.
struct Reason {
  explicit Reason(std::string why) : text(std::move(why)) {}
  Reason(const Reason& other) : text(other.text), copies(other.copies + 1) {}
  Reason(Reason&&) = default;
  Reason& operator=(const Reason&) = delete;
  Reason& operator=(Reason&&) = default;
  ~Reason() = default;
  std::string text;
  int copies = 0;
};
/// What a Reason becomes by itself.
struct Wide {
  Wide(Reason from) : reason(std::move(from)) {}  // NOLINT(google-explicit-constructor)
  Reason reason;
};
template <typename T>
using Tried = tl::expected<T, Reason>;
template <typename T>
using WideTried = tl::expected<T, Wide>;

Tried<std::unique_ptr<int>> number(int value, int& calls) {
  ++calls;
  if (value < 0) return tl::unexpected(Reason("negative"));
  return std::make_unique<int>(value);
}

WideTried<int> sum(int a, int b, int& calls) {
  ASSIGN_OR_RETURN(auto first, number(a, calls));
  std::unique_ptr<int> second;
  ASSIGN_OR_RETURN(second, number(b, calls));
  return *first + *second;
}

TEST(Try, AssignsTheValueOrReturnsTheErrorWithoutACopy) {
  int calls = 0;
  EXPECT_EQ(sum(2, 3, calls), 5);
  EXPECT_EQ(calls, 2);
  const auto first = sum(-1, 3, calls);
  EXPECT_EQ(calls, 3);
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().reason.text, "negative");
  EXPECT_EQ(first.error().reason.copies, 0);
  EXPECT_FALSE(sum(1, -3, calls));
  EXPECT_EQ(calls, 5);
}

Tried<void> check(bool right, int& calls) {
  ++calls;
  if (!right) return tl::unexpected(Reason("wrong"));
  return {};
}

WideTried<std::string> checked(bool first, bool second, int& calls) {
  RETURN_IF_ERROR(check(first, calls));
  RETURN_IF_ERROR(check(second, calls));
  return "fine";
}

TEST(Try, ReturnsTheFirstErrorAndEvaluatesOnce) {
  int calls = 0;
  EXPECT_EQ(checked(true, true, calls), "fine");
  EXPECT_EQ(calls, 2);
  const auto failed = checked(false, true, calls);
  EXPECT_EQ(calls, 3);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason.text, "wrong");
  EXPECT_EQ(failed.error().reason.copies, 0);
  EXPECT_FALSE(checked(true, false, calls));
  EXPECT_EQ(calls, 5);
}

Tried<std::string> twice(const Tried<std::string>& given, const std::string*& seen) {
  ASSIGN_OR_RETURN(const auto& text, given);
  seen = &text;
  RETURN_IF_ERROR(given);
  return text + *given;
}

TEST(Try, LeavesAloneWhatHasAName) {
  const Tried<std::string> given("ab");
  const std::string* seen = nullptr;
  EXPECT_EQ(twice(given, seen), "abab");
  EXPECT_EQ(seen, &*given);
  const Tried<std::string> failed(tl::unexpect, Reason("none"));
  const auto handed_on = twice(failed, seen);
  ASSERT_FALSE(handed_on);
  EXPECT_EQ(handed_on.error().copies, 1);
  EXPECT_EQ(failed.error().text, "none");
}

Tried<std::size_t> with_commas() {
  ASSIGN_OR_RETURN(auto size, Tried<std::map<int, int>>(std::map<int, int>{{1, 2}, {3, 4}}));
  RETURN_IF_ERROR(Tried<std::pair<int, int>>({1, 2}));
  if (size.empty())
    RETURN_IF_ERROR(Tried<void>());
  else
    RETURN_IF_ERROR(Tried<std::pair<int, int>>({3, 4}));
  return size.size();
}

TEST(Try, TakesCommasAndIsOneStatementWithoutAValue) { EXPECT_EQ(with_commas(), 2U); }

namespace asio = boost::asio;

/// Suspends before it answers, so that whatever the caller awaits with must live on.
asio::awaitable<Tried<std::unique_ptr<int>>> later(const std::string& digits, int& calls) {
  co_await asio::post(asio::use_awaitable);
  co_return number(std::stoi(digits), calls);
}
asio::awaitable<Tried<void>> check_later(const std::string& digits, int& calls) {
  co_await asio::post(asio::use_awaitable);
  co_return check(digits == "1", calls);
}

asio::awaitable<WideTried<int>> sum_later(std::string a, std::string b, int& calls) {
  CO_RETURN_IF_ERROR(co_await check_later(std::string(a), calls));
  CO_ASSIGN_OR_RETURN(auto first, co_await later(a + std::string(), calls));
  CO_ASSIGN_OR_RETURN(const auto second, co_await later(std::string("0") + b, calls));
  CO_RETURN_IF_ERROR(check(*second == 2, calls));
  co_return *first + *second;
}

WideTried<int> run(const std::string& a, const std::string& b, int& calls) {
  asio::io_context loop;
  WideTried<int> result(0);
  asio::co_spawn(loop, sum_later(a, b, calls), [&](std::exception_ptr failed, WideTried<int> sum) {
    if (failed) std::rethrow_exception(failed);
    result = std::move(sum);
  });
  loop.run();
  return result;
}

TEST(Try, DoesTheSameInCoroutines) {
  int calls = 0;
  EXPECT_EQ(run("1", "2", calls), 3);
  EXPECT_EQ(calls, 4);
  const auto failed = run("5", "2", calls);
  EXPECT_EQ(calls, 5);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason.text, "wrong");
  EXPECT_FALSE(run("1", "3", calls));
  EXPECT_EQ(calls, 9);
}

/// As gateway's Problem is: an aggregate that an Error becomes by itself.
struct Carrier {
  using Carried = Error;
  Error error;
  int more = 7;
};

tl::expected<int, Carrier> carried(ErrorCode code) {
  RETURN_IF_ERROR(Result<void>(fail(code, "why")));
  return 1;
}

TEST(Try, AnErrorBecomesWhatCarriesIt) {
  const auto result = carried(ErrorCode::kTimeout);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error.code, ErrorCode::kTimeout);
  EXPECT_EQ(result.error().error.message, "why");
  EXPECT_EQ(result.error().more, 7);
  static_assert(!std::is_convertible_v<Error, std::string>);
}

}  // namespace
}  // namespace toolway
