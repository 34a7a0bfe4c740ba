#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "input/input.hpp"
#include "measure/compile_all.hpp"
#include "support/no_device.hpp"

namespace msda {
namespace {

using ::testing::ElementsAre;

std::vector<const Composition*> pointers(const std::vector<Composition>& compositions) {
  std::vector<const Composition*> result;
  result.reserve(compositions.size());
  for (const Composition& composition : compositions) result.push_back(&composition);
  return result;
}

TEST(CompileAll, AFailureStaysInItsOwnOutcome) {
  const std::vector<Composition> compositions = {
      {shipped(), {{"vector-loads", {{"width", std::int64_t{2}}}}}},
      {shipped(), {{"thread-per-channel", {}}}},
      {shipped(), {{"vector-loads", {{"width", std::int64_t{4}}}}}}};
  NoDevice device([](const Composition& composition, const Problem&) -> Build {
    if (composition.parts().front().plugin->name == "thread-per-channel")
      throw Error("does not compile");
    return {nullptr, {0.5, true}};
  });
  const auto outcomes =
      compile_all(device, pointers(compositions), preset("ledger-48"), [](const auto&) {});
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_TRUE(outcomes[0].build.compilation.from_cache);
  EXPECT_TRUE(outcomes[2].build.compilation.from_cache);
  EXPECT_FALSE(outcomes[0].failure);
  EXPECT_FALSE(outcomes[2].failure);
  ASSERT_TRUE(outcomes[1].failure);
  EXPECT_THROW(std::rethrow_exception(outcomes[1].failure), Error);
}

TEST(CompileAll, TellsOfEachInOrder) {
  const std::vector<Composition> compositions(4, Composition(shipped(), {}));
  NoDevice device([](const Composition&, const Problem&) -> Build { return {nullptr, {0, true}}; });
  std::vector<int> done;
  std::vector<int> from_cache;
  compile_all(device, pointers(compositions), preset("ledger-48"),
              [&](const CompileProgress& progress) {
                done.push_back(progress.done);
                from_cache.push_back(progress.from_cache);
                EXPECT_EQ(progress.count, 4);
                EXPECT_GE(progress.seconds, 0);
              });
  EXPECT_THAT(done, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(from_cache, ElementsAre(1, 2, 3, 4));
}

TEST(CompileAll, WorksOnSeveralAtATime) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one hardware thread";
  std::mutex mutex;
  std::condition_variable both;
  int begun = 0;
  NoDevice device([&](const Composition&, const Problem&) -> Build {
    std::unique_lock lock(mutex);
    ++begun;
    both.notify_all();
    const bool met = both.wait_for(lock, std::chrono::seconds(20), [&] { return begun == 2; });
    EXPECT_TRUE(met) << "the second compilation waited for the first";
    return {};
  });
  const std::vector<Composition> compositions(2, Composition(shipped(), {}));
  compile_all(device, pointers(compositions), preset("ledger-48"), [](const auto&) {});
}

}  // namespace
}  // namespace msda
