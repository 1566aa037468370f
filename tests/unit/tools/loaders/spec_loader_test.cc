#include "tools/loaders/spec_loader.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/awaiting.h"
#include "tests/support/sample_tools.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/tools/loaders/spec_texts.h"
#include "tools/loaders/file_source.h"

namespace toolway::tools::loaders {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Names = std::vector<std::string>;

/// A source that says what the test puts into it.
class ScriptedSource final : public SpecSource {
 public:
  struct Script {
    std::mutex mutex;
    std::optional<SourceState> next;  // under mutex
  };
  ScriptedSource(SourceKind kind, std::shared_ptr<Script> script)
      : kind_(kind), script_(std::move(script)) {}

  static std::shared_ptr<Script> script() { return std::make_shared<Script>(); }
  static void put(Script& script, const std::string& text) {
    SourceState state;
    state.parts.push_back(make_part("scripted", read_any(text, "scripted").specs));
    const std::scoped_lock lock(script.mutex);
    script.next = std::move(state);
  }

  SourceKind kind() const override { return kind_; }
  const std::string& name() const override { return name_; }
  std::optional<SourceState> look(std::stop_token) override {
    const std::scoped_lock lock(script_->mutex);
    return std::exchange(script_->next, std::nullopt);
  }
  milliseconds pause() const override { return milliseconds(1); }

 private:
  const SourceKind kind_;
  const std::string name_ = "scripted";
  const std::shared_ptr<Script> script_;
};

class SpecLoaders : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / (name + ".new"), std::ios::binary) << text;
    fs::rename(dir_ / (name + ".new"), dir_ / name);
  }
  std::unique_ptr<SpecSource> files() {
    return std::make_unique<FileSource>(std::vector<fs::path>{dir_.path()}, read_any,
                                        milliseconds(5));
  }
  Result<std::unique_ptr<SpecLoader>> start(std::vector<std::unique_ptr<SpecSource>> sources) {
    LoaderOptions options;
    options.builtin = builtin_;
    options.sources = std::move(sources);
    options.offers = &offers_;
    options.on_load = loads_.callback();
    options.patience = milliseconds(50);
    options.pool_exists = [asked = asked_.callback()](const std::string& pool) -> Result<bool> {
      asked(pool);
      return pool != "python";
    };
    return SpecLoader::start(live_, std::move(options));
  }
  std::string described(const char* name) const {
    const auto tool = live_.now()->find("t", name);
    return tool ? tool->spec().description : "none";
  }

  const test::TempDir dir_;
  std::shared_ptr<const model::Registry> builtin_ = samples::sample_registry();
  model::LiveRegistry live_{builtin_};
  specs::LiveOffers offers_;
  test::Awaited<LoadReport> loads_;
  test::Awaited<std::string> asked_;
};

TEST_F(SpecLoaders, OffersFilesWhenItHasStartedAndTheirChangesSoonAfter) {
  write("a.yaml", document({"a"}));
  std::vector<std::unique_ptr<SpecSource>> sources;
  sources.push_back(files());
  const auto loader = start(std::move(sources));
  ASSERT_TRUE(loader) << loader.error().message;
  EXPECT_EQ(described("a"), "first");
  EXPECT_EQ(loads_.next()->changes.added, Names{"t.a"});
  EXPECT_EQ(asked_.next(), "native");
  EXPECT_EQ(asked_.next(), "python");
  const auto held = live_.now();
  write("a.yaml", document({"a"}, "second"));
  EXPECT_EQ(loads_.next()->changes.changed, Names{"t.a"});
  EXPECT_EQ(described("a"), "second");
  EXPECT_EQ(held->find("t", "a")->spec().description, "first");
  write("a.yaml", "tools: [{name: 1");
  const auto broken = loads_.next();
  ASSERT_TRUE(broken);
  EXPECT_TRUE(broken->changes.none());
  EXPECT_FALSE(broken->kinds[0].up);
  EXPECT_EQ(broken->kinds[0].mistakes, 1U);
  EXPECT_EQ(broken->kinds[0].in_force, 1U);
  EXPECT_FALSE(broken->kinds[1].configured);
  EXPECT_EQ(described("a"), "second");
  write("a.yaml", document({"a"}, "fixed"));
  EXPECT_TRUE(loads_.next()->kinds[0].up);
  EXPECT_EQ(described("a"), "fixed");
  EXPECT_EQ(asked_.waiting(), 0U);
}

TEST_F(SpecLoaders, KeepsTheLastGoodPromptsAndResourcesOfFiles) {
  const auto resource = [](const char* text) {
    return std::string("resources: [{uri: 'x://a', name: a, text: ") + text + "}]\n";
  };
  const auto text = [this] { return offers_.now()->resources.at(0)->text; };
  write("a.yaml", resource("one"));
  write("b.yaml", document({"b"}));
  std::vector<std::unique_ptr<SpecSource>> sources;
  sources.push_back(files());
  const auto loader = start(std::move(sources));
  ASSERT_TRUE(loader) << loader.error().message;
  loads_.next();
  EXPECT_EQ(text(), "one");
  const auto held = offers_.now();
  write("b.yaml", document({"b"}, "second"));
  loads_.next();
  EXPECT_EQ(offers_.now(), held) << "nothing of it has changed";
  write("a.yaml", resource("two") + "prompts: [1]\n");
  EXPECT_EQ(loads_.next()->kinds[0].mistakes, 1U);
  EXPECT_EQ(offers_.now(), held) << "a broken edit";
  write("a.yaml", resource("three"));
  loads_.next();
  EXPECT_EQ(text(), "three");
  EXPECT_EQ(held->resources.at(0)->text, "one");
}

TEST_F(SpecLoaders, DoesNotStartWithMistakesInFilesAndNamesAllOfThem) {
  write("a.yaml", "tools: [{name: 1");
  write("b.yaml", document({"x"}));
  write("c.yaml", document({"x"}));
  write("d.yaml", "- 1\n");
  std::vector<std::unique_ptr<SpecSource>> sources;
  sources.push_back(files());
  const auto loader = start(std::move(sources));
  ASSERT_FALSE(loader);
  EXPECT_EQ(loader.error().code, ErrorCode::kInvalidSpec);
  for (const char* where :
       {"a.yaml:1: ", "c.yaml:2: tool 't.x' already exists, at ", "d.yaml:1: "}) {
    EXPECT_NE(loader.error().message.find((dir_.path() / where).string()), std::string::npos)
        << loader.error().message;
  }
  EXPECT_EQ(live_.now(), builtin_);
  EXPECT_EQ(loads_.waiting(), 0U);
}

TEST_F(SpecLoaders, StartsWithoutASourceThatDoesNotAnswerAndTakesItWhenItDoes) {
  const auto http = ScriptedSource::script();
  const auto rows = ScriptedSource::script();
  ScriptedSource::put(*rows, document({"a", "b"}, "rows"));
  std::vector<std::unique_ptr<SpecSource>> sources;
  sources.push_back(std::make_unique<ScriptedSource>(SourceKind::kDatabase, rows));
  sources.push_back(std::make_unique<ScriptedSource>(SourceKind::kHttp, http));
  const auto loader = start(std::move(sources));
  ASSERT_TRUE(loader);
  EXPECT_EQ(described("a"), "rows");
  const auto first = loads_.next();
  EXPECT_FALSE(first->kinds[1].up);
  EXPECT_TRUE(first->kinds[2].up);
  // A source that comes later still takes precedence.
  ScriptedSource::put(*http, document({"a"}, "http"));
  const auto second = loads_.next();
  EXPECT_EQ(second->changes.changed, Names{"t.a"});
  EXPECT_TRUE(second->kinds[1].up);
  EXPECT_EQ(described("a"), "http");
  EXPECT_EQ(described("b"), "rows");
}

}  // namespace
}  // namespace toolway::tools::loaders
