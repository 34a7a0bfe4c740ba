// Shares that blocks learn, on multiprocessors of which every other one is half as fast.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include <msda/slot_list.cuh>

#include "compose/unit_writer.hpp"
#include "device/simt/loaded_unit.hpp"
#include "jit/host_compiler.hpp"

namespace msda::simt {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr unsigned kBlocks = 4;  // of which two are on a fast multiprocessor
constexpr unsigned kTiles = 1200;
constexpr unsigned kLearned = 64;

/// Each block writes down how many tiles it has, and works on each for as long.
constexpr const char* kKernel = R"(#include <work_redistribution/shares.cuh>

namespace shares {
using namespace msda;

struct K {
  struct Mapping {
    static constexpr int kThreads = 64;
  };
};
using Shares = work_redistribution::Shares<K, 64>;

__global__ void kernel(const ForwardArguments arguments) {
  Shares shares(arguments, *reinterpret_cast<Shares::Storage*>(simt::shared_memory()));
  shares.begin(1200);
  const long long tiles = shares.last(1200) - shares.first(1200);
  if (simt::thread() == 0) static_cast<unsigned*>(arguments.output)[simt::block()] = tiles;
  volatile unsigned done = 0;
  for (long long step = 0; step < 20 * tiles; ++step) done = done + 1;
  shares.end(1200);
}
}  // namespace shares
)";

/// Rows of an item as a schedule has them whose tiles have 8 rows, of 4 warps.
constexpr const char* kRowsOfItems = R"(#include <work_redistribution/schedule.cuh>

namespace shares {
using namespace msda;

template <unsigned cluster>
struct Tiled {
  struct Mapping {
    static constexpr int kThreads = 128;
    static constexpr int kRows = 8;
    static constexpr int kRowsPerLane = 1;
  };
  struct Source {
    static constexpr unsigned kCluster = cluster;
  };
};
template <int end>
struct Ends {
  static constexpr long long blocks = 1, waves = 1, turn = 0, learned = 0;
  static constexpr int ends = end;
};
template <unsigned cluster, int end>
inline constexpr unsigned kRows =
    work_redistribution::Schedule<Tiled<cluster>, Ends<end>>::kRowsPerItem;
static_assert(kRows<1, 0> == 8, "a tile");
static_assert(kRows<1, 1> == 2, "the rows of a warp");
static_assert(kRows<2, 1> == 8, "blocks of a cluster take tiles together");

__global__ void nothing(const ForwardArguments) {}
}  // namespace shares
)";

LoadedUnit compiled(const char* text, const char* kernel) {
  Unit unit;
  unit.label = "shares";
  unit.text = text;
  unit.headers = device_headers();
  for (const std::string name : {"shares.cuh", "schedule.cuh"}) {
    std::ifstream file(MSDA_SHARES + ("/" + name));
    unit.headers.push_back(
        {"work_redistribution/" + name, std::string(std::istreambuf_iterator<char>(file), {})});
  }
  unit.kernels = {kernel};
  return LoadedUnit(HostCompiler().compile(unit));
}

const LoadedUnit& unit() {
  static const LoadedUnit kUnit = compiled(kKernel, "shares::kernel");
  return kUnit;
}

/// Tiles of each block in each launch.
std::vector<std::vector<unsigned>> launches(unsigned count) {
  static std::vector<unsigned char> book;
  book.assign(std::size_t{1} << 16U, 0);
  std::vector<std::vector<unsigned>> all;
  for (unsigned launch = 0; launch < count; ++launch) {
    std::vector<unsigned> tiles(kBlocks);
    ForwardArguments arguments{};
    arguments.output = tiles.data();
    arguments.workspace[kSchedule] = book.data();
    Grid grid;
    grid.kernel = unit().kernel("shares::kernel");
    grid.blocks = kBlocks;
    grid.threads = 64;
    grid.shared_bytes = 1024;
    Options options;
    options.seed = launch;
    options.races = true;
    run(grid, &arguments, unit().image(), unit().attach(),
        {{tiles.data(), kBlocks * sizeof(unsigned), "output", true},
         {book.data(), book.size(), "the book", true},
         {&arguments, sizeof arguments, "the arguments", false}},
        options);
    all.push_back(tiles);
  }
  return all;
}

TEST(LearnedShares, FollowTheSpeedOfTheMultiprocessors) {
  const auto all = launches(kLearned + 6);
  EXPECT_THAT(all.front(), ElementsAre(300, 300, 300, 300));
  for (const unsigned fast : {0, 1}) {
    EXPECT_NEAR(all.back()[fast], 400, 8);
    EXPECT_NEAR(all.back()[fast + 2], 200, 8);
  }
  const std::vector<std::vector<unsigned>> after(all.begin() + kLearned, all.end());
  EXPECT_THAT(after, Each(all.back())) << "nothing is learned any more";
}

TEST(LearnedShares, AreAllOfTheTilesInEachLaunch) {
  for (const std::vector<unsigned>& tiles : launches(10)) {
    EXPECT_EQ(tiles[0] + tiles[1] + tiles[2] + tiles[3], kTiles);
  }
}

TEST(Shares, EndAfterAnyWarpsRowsWhereTheyAreToldTo) {
  EXPECT_NO_THROW(compiled(kRowsOfItems, "shares::nothing"));
}

}  // namespace
}  // namespace msda::simt
