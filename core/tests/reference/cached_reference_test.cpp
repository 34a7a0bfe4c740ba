#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "operators/forward/forward.hpp"
#include "reference/cached_reference.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

using testing::ElementsAre;
using testing::EndsWith;

std::vector<double> cached(const Input& input) {
  return cached_reference(content_hash(input), elements(input.problem, forward::kOutput),
                          [&] { return forward::compute_reference(input); });
}

/// With another result.
Input another() {
  Generation generation;
  generation.seed = 2;
  return generate(small_problem(), generation);
}

class CachedReference : public testing::Test {
 protected:
  CachedReference()
      : variable_("MSDA_CACHE_DIR", directory_.path().c_str()),
        input_(generate(small_problem(), {})),
        truth_(forward::compute_reference(input_)) {}

  std::filesystem::path entry() const {
    return directory_.path() / "reference" / (content_hash(input_) + ".f64");
  }

  TemporaryDirectory directory_;
  ScopedVariable variable_;
  Input input_;
  std::vector<double> truth_;
};

TEST_F(CachedReference, IsStoredOnceAndReadBack) {
  EXPECT_EQ(cached(input_), truth_);
  EXPECT_THAT(files_in(entry().parent_path()), ElementsAre(EndsWith(".f64")));
  EXPECT_EQ(cached(input_), truth_);
}

TEST_F(CachedReference, IsNotStoredWhenItIsLargeAndComputedFast) {
  constexpr std::size_t kCount = 1 << 21;  // 17 MB, for which storing may take 34 ms
  std::vector<double> ready(kCount, 1.0);
  cached_reference("fast", kCount, [&] { return std::move(ready); });
  cached_reference("slow", kCount, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return std::vector<double>(kCount, 2.0);
  });
  EXPECT_THAT(files_in(directory_.path() / "reference"), ElementsAre(EndsWith("slow.f64")));
}

TEST_F(CachedReference, TheEntryIsReallyUsed) {
  cached(input_);
  // Move the entry of this input to where another one's would be: a hit returns its numbers.
  const Input other = another();
  std::filesystem::rename(entry(),
                          directory_.path() / "reference" / (content_hash(other) + ".f64"));
  EXPECT_EQ(cached(other), truth_);
}

TEST_F(CachedReference, OfADirectoryThatOthersMayWriteCountsForNothing) {
  using std::filesystem::perms;
  cached(input_);
  const Input other = another();
  const auto planted = directory_.path() / "reference" / (content_hash(other) + ".f64");
  std::filesystem::copy_file(entry(), planted);
  ASSERT_EQ(cached(other), truth_);  // planted, and believed
  ASSERT_NE(forward::compute_reference(other), truth_);
  for (const auto& open : {planted, planted.parent_path(), directory_.path()}) {
    std::filesystem::permissions(open, perms::others_write, std::filesystem::perm_options::add);
    EXPECT_EQ(cached(other), forward::compute_reference(other)) << open;
    std::filesystem::permissions(open, perms::others_write, std::filesystem::perm_options::remove);
    std::filesystem::copy_file(entry(), planted, std::filesystem::copy_options::overwrite_existing);
  }
}

TEST_F(CachedReference, IsComputedWhereThereIsNoPlaceForCaches) {
  const ScopedVariable own("MSDA_CACHE_DIR", "");
  const ScopedVariable xdg("XDG_CACHE_HOME", "");
  const ScopedVariable home("HOME", "");
  EXPECT_EQ(cached(input_), truth_);
}

TEST_F(CachedReference, AnyDamagedByteIsFoundAndRepaired) {
  cached(input_);
  const std::string whole = read_text(entry());
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{8}, std::size_t{20}, std::size_t{48}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write_text(entry(), damaged);
    EXPECT_EQ(cached(input_), truth_) << at;
    EXPECT_EQ(read_text(entry()), whole) << at;
  }
}

TEST_F(CachedReference, AnEntryOfAnotherLengthIsRepaired) {
  cached(input_);
  const std::string whole = read_text(entry());
  for (const std::string& damaged : {std::string(), whole.substr(0, 30),
                                     whole.substr(0, whole.size() - 8), whole + "12345678"}) {
    write_text(entry(), damaged);
    EXPECT_EQ(cached(input_), truth_);
    EXPECT_EQ(read_text(entry()), whole);
  }
}

TEST_F(CachedReference, AnInterruptedWriterDoesNoHarm) {
  std::filesystem::create_directories(entry().parent_path());
  write_text(entry().string() + ".1234-0.tmp", "half an ent");
  EXPECT_EQ(cached(input_), truth_);
  EXPECT_EQ(cached(input_), truth_);
}

TEST_F(CachedReference, ACacheThatCannotBeWrittenCostsOnlyTime) {
  write_text(directory_.path() / "reference", "a file where the directory should be");
  EXPECT_EQ(cached(input_), truth_);
}

TEST_F(CachedReference, AnEntryThatIsUsedCountsAsNewAgain) {
  using namespace std::chrono_literals;
  cached(input_);
  std::filesystem::last_write_time(entry(), std::filesystem::file_time_type::clock::now() - 24h);
  cached(input_);
  EXPECT_GT(std::filesystem::last_write_time(entry()),
            std::filesystem::file_time_type::clock::now() - 1h);
}

}  // namespace
}  // namespace msda
