#include "gateway/mcp/offered.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "mcp/fields.h"
#include "tools/templates/double_braces.h"

namespace toolway::gateway::mcp {
namespace {

using tools::specs::Prompt;
using tools::specs::PromptQuestion;
using tools::specs::Resource;
using toolway::mcp::member;
using toolway::mcp::RpcError;
using Answered = tl::expected<Json, RpcError>;

constexpr std::array<std::string_view, 6> kMethods{"prompts/list",   "prompts/get",
                                                   "resources/list", "resources/templates/list",
                                                   "resources/read", "completion/complete"};
/// server/utilities/completion: "Maximum 100 items per response".
constexpr std::size_t kMaxCompletions = 100;
constexpr std::size_t kMaxUri = 8192;
constexpr int kTtlMs = 2000;
/// Of checking the answer to a question: well under a millisecond.
constexpr std::uint64_t kMaxAnswerSteps = 10'000;

tl::unexpected<RpcError> refuse(std::string message, Json data = {}) {
  return tl::unexpected(RpcError{.code = toolway::mcp::kInvalidParams,
                                 .message = std::move(message),
                                 .data = std::move(data)});
}

void set_text(Json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

class Answering {
 public:
  Answering(const Offered& offered, const Json& params) : offered_(offered), params_(params) {}

  Answered list_prompts() const {
    Json listed = Json::array();
    for (const auto* prompt : offered_.seen.prompts()) listed.push_back(shown(*prompt));
    return page("prompts", std::move(listed));
  }

  Answered list_resources(bool templates) const {
    Json listed = Json::array();
    for (const auto* resource : templates ? offered_.seen.templates() : offered_.seen.resources())
      listed.push_back(shown(*resource));
    // The first page of resources; those that follow are results of calls.
    if (!templates) return cached({{"resources", std::move(listed)}});
    return page("resourceTemplates", std::move(listed));
  }

  Answered get_prompt() const {
    const auto* prompt = offered_.seen.prompt(toolway::mcp::short_text(params_, "name"));
    if (prompt == nullptr) return refuse("there is no such prompt");
    Json arguments = Json::object();
    if (const auto* given = member(params_, "arguments")) {
      if (!given->is_object()) return refuse("params.arguments must be an object");
      for (const auto& [name, value] : given->items())
        if (!value.is_string()) return refuse(fmt::format("argument {} must be a text", name));
      arguments = *given;
    }
    for (const auto& argument : prompt->arguments) {
      if (arguments.contains(argument.name)) continue;
      if (argument.required) return refuse(fmt::format("argument {} is missing", argument.name));
      arguments[argument.name] = "";
    }
    if (auto asked = ask(*prompt, arguments); !asked || !asked->is_null()) return asked;
    auto messages = tools::templates::fill_braces(prompt->messages, {.arguments = arguments});
    if (!messages) return refuse(messages.error().message);
    Json result{{"messages", *std::move(messages)}};
    set_text(result, "description", prompt->description);
    return complete(std::move(result));
  }

  Answered read_resource() const {
    const auto uri = uri_of(params_);
    const auto [resource, variables] = offered_.seen.resource(uri);
    if (resource == nullptr) return tl::unexpected(no_such_resource(uri));
    Json content{{"uri", uri}};
    set_text(content, "mimeType", resource->mime_type);
    if (!resource->blob.empty()) {
      content["blob"] = resource->blob;
    } else if (resource->is_template) {
      auto text = tools::templates::fill_braces_in_text(resource->text, {.arguments = variables});
      if (!text) return refuse(text.error().message, {{"uri", uri}});
      content["text"] = *std::move(text);
    } else {
      content["text"] = resource->text;
    }
    return cached({{"contents", Json::array({std::move(content)})}});
  }

  Answered complete_argument() const {
    const auto* ref = member(params_, "ref");
    const auto* argument = member(params_, "argument");
    if (ref == nullptr || argument == nullptr)
      return refuse("params.ref or params.argument is missing");
    if (!ref->is_object() || !argument->is_object())
      return refuse("params.ref and params.argument must be objects");
    for (const char* field : {"name", "value"}) {
      const auto* said = member(*argument, field);
      if (said == nullptr || !said->is_string())
        return refuse(fmt::format("params.argument.{} must be a text", field));
    }
    const auto name = toolway::mcp::short_text(*argument, "name");
    const auto begun = toolway::mcp::short_text(*argument, "value", kMaxUri);
    const auto* values = values_of(*ref, name);
    if (values == nullptr) return refuse("there is no such prompt, resource or argument");
    Json found = Json::array();
    std::size_t total = 0;
    for (const auto& value : *values) {
      if (!value.starts_with(begun)) continue;
      if (total++ < kMaxCompletions) found.push_back(value);
    }
    return complete(
        {{"completion",
          {{"values", std::move(found)}, {"total", total}, {"hasMore", total > kMaxCompletions}}}});
  }

 private:
  const std::vector<std::string>* values_of(const Json& ref, const std::string& name) const {
    const auto type = toolway::mcp::short_text(ref, "type");
    if (type == "ref/prompt") {
      const auto* prompt = offered_.seen.prompt(toolway::mcp::short_text(ref, "name"));
      if (prompt == nullptr) return nullptr;
      const auto at =
          std::ranges::find(prompt->arguments, name, &tools::specs::PromptArgument::name);
      return at == prompt->arguments.end() ? nullptr : &at->values;
    }
    if (type != "ref/resource") return nullptr;
    const auto uri = uri_of(ref);
    const auto found =
        std::ranges::find(offered_.seen.templates(), uri, &tools::specs::Resource::uri);
    if (found == offered_.seen.templates().end() ||
        uri.find(fmt::format("{{{}}}", name)) == std::string::npos)
      return nullptr;
    return &(*found)->values;
  }

  static Json shown(const Prompt& prompt) {
    Json json{{"name", prompt.name}, {"arguments", Json::array()}};
    set_text(json, "title", prompt.title);
    set_text(json, "description", prompt.description);
    for (const auto& argument : prompt.arguments) {
      Json one{{"name", argument.name}, {"required", argument.required}};
      set_text(one, "description", argument.description);
      json["arguments"].push_back(std::move(one));
    }
    return json;
  }

  static Json shown(const Resource& resource) {
    Json json{{resource.is_template ? "uriTemplate" : "uri", resource.uri},
              {"name", resource.name}};
    set_text(json, "title", resource.title);
    set_text(json, "description", resource.description);
    set_text(json, "mimeType", resource.mime_type);
    return json;
  }

  /// What the prompt asks first and has no answer yet; null: nothing, and `arguments` have the
  /// answers. An answer that does not fit is asked for again (2026-07-28, basic/utilities/mrtr).
  Answered ask(const Prompt& prompt, Json& arguments) const {
    if (prompt.asks.empty()) return Json();
    if (!offered_.stateless)
      return refuse("this prompt asks the user first, which needs a client of 2026-07-28");
    const auto* responses = member(params_, "inputResponses");
    Json requests = Json::object();
    for (const auto& question : prompt.asks) {
      const auto* response =
          responses == nullptr ? nullptr : member(*responses, question.key.c_str());
      if (response != nullptr && response->is_object() &&
          toolway::mcp::short_text(*response, "action") != "accept" && response->contains("action"))
        return refuse(fmt::format("the user did not answer {}", question.key));
      if (response == nullptr || !take_answer(question, *response, arguments))
        requests[question.key] = {
            {"method", "elicitation/create"},
            {"params",
             {{"message", question.message}, {"requestedSchema", Json(question.schema)}}}};
    }
    if (requests.empty()) return Json();
    if (!may_elicit())
      return tl::unexpected(
          RpcError{.code = toolway::mcp::kMissingCapability,
                   .message = "this prompt asks the user first, and the client did not declare "
                              "elicitation",
                   .data = {{"requiredCapabilities", {{"elicitation", Json::object()}}}}});
    return Json{{"resultType", "input_required"}, {"inputRequests", std::move(requests)}};
  }

  static bool take_answer(const PromptQuestion& question, const Json& response, Json& arguments) {
    const auto* content = member(response, "content");
    if (content == nullptr || !content->is_object()) return false;
    const auto wrong = question.answer->validate_within(*content, kMaxAnswerSteps);
    if (!wrong || !wrong->empty()) return false;
    for (const auto& [name, value] : content->items())
      arguments[name] = value.is_string() ? value : Json(to_text(value));
    return true;
  }

  bool may_elicit() const {
    const auto* meta = member(params_, "_meta");
    const auto* capabilities =
        meta == nullptr ? nullptr : member(*meta, "io.modelcontextprotocol/clientCapabilities");
    return capabilities != nullptr && member(*capabilities, "elicitation") != nullptr;
  }

  /// All are on one page: a cursor is none of ours.
  Answered page(const char* what, Json listed) const {
    if (member(params_, "cursor") != nullptr) return refuse("this cursor was not made here");
    return cached({{what, std::move(listed)}});
  }

  Json complete(Json result) const {
    if (offered_.stateless) result["resultType"] = "complete";
    return result;
  }

  /// 2026-07-28, basic/patterns/caching.
  Json cached(Json result) const {
    if (offered_.stateless) {
      result["ttlMs"] = kTtlMs;
      result["cacheScope"] = "private";
    }
    return complete(std::move(result));
  }

  const Offered& offered_;
  const Json& params_;
};

}  // namespace

bool is_offered(std::string_view method) {
  return std::ranges::find(kMethods, method) != kMethods.end();
}

std::size_t answer_bytes(const SeenOffers& seen, std::string_view method, const Json& params) {
  if (method == "prompts/get") {
    const auto* prompt = seen.prompt(toolway::mcp::short_text(params, "name"));
    return prompt == nullptr ? 0 : prompt->bytes;
  }
  if (method == "resources/read") {
    const auto* resource = seen.resource(uri_of(params)).resource;
    return resource == nullptr ? 0 : resource->text.size() + resource->blob.size();
  }
  return method == "completion/complete" ? 0 : seen.list_bytes();
}

std::string uri_of(const Json& params) { return toolway::mcp::short_text(params, "uri", kMaxUri); }

/// 2026-07-28, server/resources, "Error Handling".
RpcError no_such_resource(const std::string& uri) {
  return {.code = toolway::mcp::kInvalidParams,
          .message = "there is no such resource",
          .data = {{"uri", uri}}};
}

Answered answer_offered(const Offered& offered, std::string_view method, const Json& params) {
  const Answering answering(offered, params);
  if (method == "prompts/list") return answering.list_prompts();
  if (method == "prompts/get") return answering.get_prompt();
  if (method == "resources/list") return answering.list_resources(false);
  if (method == "resources/templates/list") return answering.list_resources(true);
  if (method == "resources/read") return answering.read_resource();
  return answering.complete_argument();
}

}  // namespace toolway::gateway::mcp
