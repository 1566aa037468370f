#include "tools/executors/templated/template_kind.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/os/file_io.h"
#include "base/try.h"
#include "tools/native/native_tool.h"
#include "tools/templates/double_braces.h"

namespace toolway::tools::executors::templated {
namespace {

constexpr model::Kind kTemplate{"template"};
constexpr std::size_t kMaxFileBytes = 1024 * 1024;

/// In the directory itself, and not hidden.
bool plain_file_name(const Json& name) {
  if (!name.is_string()) return false;
  const auto& text = name.get_ref<const std::string&>();
  return !text.empty() && text.front() != '.' &&
         text.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

std::vector<Mistake> check_template(const model::Spec& spec) {
  const std::string at = "/implementation_config";
  const auto& config = spec.implementation;
  if (!config.is_object() || config.size() != 1) {
    return {
        {at,
         "a template tool needs one of `text`, `json`, `file`, such as `{text: \"Dear {{name}}, …\"}`"}};
  }
  const auto& field = config.begin().key();
  const Json form = config.begin().value();
  const std::string where = at + "/" + field;
  if (field == "file") {
    if (plain_file_name(form)) return {};
    return {
        {where,
         "`file` must be the name of a file in the workers' --set template.directory, without a path"}};
  }
  if (field != "text" && field != "json")
    return {
        {where, fmt::format("unknown field `{}`; a template tool has text, json or file", field)}};
  if (field == "text" && !form.is_string())
    return {{where, "`text` must be text; `json` takes any value"}};
  std::vector<Mistake> mistakes;
  std::vector<std::string> named;
  for (auto& what : templates::double_brace_mistakes(form, named))
    mistakes.push_back({where, std::move(what)});
  for (const auto& name : templates::not_among(spec.input_schema, named)) {
    mistakes.push_back(
        {where, fmt::format("`{{{{{}}}}}`: the input schema has no property of that name", name)});
  }
  return mistakes;
}

class TemplateTool final : public model::Tool {
 public:
  /// `file`: of a template in one.
  explicit TemplateTool(model::Spec spec, std::filesystem::path file = {})
      : spec_(std::move(spec)),
        form_(spec_.implementation.begin().value()),
        file_(std::move(file)) {}

  const model::Spec& spec() const override { return spec_; }

  model::Execution execute(const Json& given, model::ToolContext& context,
                           model::Progress&) const override {
    const Json arguments = native::with_defaults(spec_.input_schema, given);
    const templates::BracesInput input{.arguments = arguments, .attempt = context.attempt()};
    auto filled = spec_.implementation.contains("json") ? templates::fill_braces(form_, input)
                                                        : filled_text(input);
    if (context.cancellation().stop_requested()) {
      return tl::unexpected(model::ToolError(std::string(code_name(ErrorCode::kCancelled)),
                                             "the call was asked to stop"));
    }
    RETURN_IF_ERROR(filled);
    return *std::move(filled);
  }

 private:
  Result<Json> filled_text(const templates::BracesInput& input) const {
    ASSIGN_OR_RETURN(
        auto text, file_.empty() ? Result<std::string>(form_.get<std::string>()) : text_of_file());
    return templates::fill_braces_in_text(text, input);
  }

  /// Read at each call, so that a changed file is in force at once.
  Result<std::string> text_of_file() const {
    auto text = os::read_file(file_, kMaxFileBytes + 1);
    if (!text)
      return fail(ErrorCode::kNotFound,
                  fmt::format("the template file {} cannot be read", file_.filename().string()));
    if (text->size() <= kMaxFileBytes) return text;
    return fail(ErrorCode::kToolFailed,
                fmt::format("the template file {} has more than 1 MiB", file_.filename().string()));
  }

  const model::Spec spec_;
  const Json form_;
  const std::filesystem::path file_;
};

class Templates final : public model::ToolKind {
 public:
  explicit Templates(std::filesystem::path directory) : directory_(std::move(directory)) {}
  model::Kind kind() const override { return kTemplate; }

  Result<std::shared_ptr<const model::Tool>> make(model::Spec spec) override {
    if (const auto mistakes = check_template(spec); !mistakes.empty()) {
      return fail(ErrorCode::kInvalidSpec, mistakes.front().text());
    }
    if (!spec.implementation.contains("file"))
      return std::make_shared<const TemplateTool>(std::move(spec));
    if (directory_.empty()) {
      return fail(
          ErrorCode::kInvalidSpec,
          fmt::format(
              "tool '{}' has its template in a file, and this worker has no --set template.directory",
              spec.qualified_name()));
    }
    auto file = directory_ / spec.implementation["file"].get<std::string>();
    return std::make_shared<const TemplateTool>(std::move(spec), std::move(file));
  }

 private:
  const std::filesystem::path directory_;
};

Result<std::shared_ptr<model::ToolKind>> make_templates(const model::KindOptions& options) {
  const std::filesystem::path directory = options.setting("directory");
  if (!directory.empty() && !std::filesystem::is_directory(directory)) {
    return fail(ErrorCode::kNotFound,
                fmt::format("--set template.directory: {} is not a directory", directory.string()));
  }
  return std::make_shared<Templates>(directory);
}

}  // namespace

model::KindType template_kind_type() {
  return {.kind = kTemplate,
          .settings = {"directory"},
          .check = &check_template,
          .make = &make_templates};
}

}  // namespace toolway::tools::executors::templated
