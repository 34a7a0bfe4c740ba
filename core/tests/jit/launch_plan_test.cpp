#include "jit/launch_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <msda/error.hpp>

namespace msda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// Of level 1: 920 pixels of 64 channels in 16 bits, boxes of 32 channels and 230 pixels.
LaunchPlan plan_with_boxes() {
  constexpr unsigned long long kPixel = 128;  // bytes
  LaunchPlan plan{};
  plan.boxes[1] = {.element_bytes = 2,
                   .rank = 3,
                   .extent = {64, 920, 0},
                   .box = {32, 230, 0},
                   .stride_bytes = {kPixel, 920 * kPixel, 0},
                   .start_bytes = 3680 * kPixel};
  return plan;
}

struct Refusal {
  const char* why;
  void (*change)(BoxShape&);
};

TEST(CheckBoxes, TakesWhatTmaCopies) {
  EXPECT_NO_THROW(check_boxes(LaunchPlan{}));
  EXPECT_NO_THROW(check_boxes(plan_with_boxes()));
}

TEST(CheckBoxes, SaysWhyTmaCannotCopyThem) {
  const Refusal refusals[] = {
      {"a box has 920 along dimension 1, TMA takes 1 to 256",
       [](BoxShape& shape) { shape.box[1] = 920; }},
      {"a box has 0 along dimension 1", [](BoxShape& shape) { shape.box[1] = 0; }},
      {"rows of a box have 6 bytes, no multiple of 16", [](BoxShape& shape) { shape.box[0] = 3; }},
      {"dimension 1 has a stride of 72 bytes", [](BoxShape& shape) { shape.stride_bytes[0] = 72; }},
      {"dimension 2 has a stride of 8 bytes", [](BoxShape& shape) { shape.stride_bytes[1] = 8; }},
      {"the level begins at byte 24", [](BoxShape& shape) { shape.start_bytes = 24; }},
      {"rank 2, not 3 or 4", [](BoxShape& shape) { shape.rank = 2; }},
      {"elements of 3 bytes", [](BoxShape& shape) { shape.element_bytes = 3; }},
  };
  for (const Refusal& refusal : refusals) {
    LaunchPlan plan = plan_with_boxes();
    refusal.change(plan.boxes[1]);
    EXPECT_THAT(
        [&] { check_boxes(plan); },
        ThrowsMessage<Error>(AllOf(HasSubstr("boxes of level 1: "), HasSubstr(refusal.why))));
  }
}

TEST(CheckBoxes, TakesBoxesOfThe256ThatTmaCopiesAlongADimension) {
  LaunchPlan plan = plan_with_boxes();
  plan.boxes[1].box[1] = 256;
  EXPECT_NO_THROW(check_boxes(plan));
  plan.boxes[1].box[1] = 257;
  EXPECT_THROW(check_boxes(plan), Error);
}

TEST(CheckBlock, TakesAllOfTheSharedMemoryThatABlockMayHave) {
  DeviceInfo device;
  device.name = "a device";
  device.shared_bytes = 1024;
  LaunchShape shape{};
  shape.shared_bytes = 1024;
  EXPECT_NO_THROW(check_block(shape, device));
  shape.shared_bytes = 1025;
  EXPECT_THROW(check_block(shape, device), Unsupported);
}

TEST(BlockCount, RefusesMoreBlocksThanALaunchCanHave) {
  const LaunchShape shape{.threads = 32, .rows_per_query = 1, .rows_per_item = 1};
  Problem problem;
  problem.queries = 0x7FFFFFFF;
  EXPECT_EQ(block_count(shape, problem, 1), 0x7FFFFFFFU);
  problem.queries += 1;
  EXPECT_THROW(block_count(shape, problem, 1), Unsupported);
}

}  // namespace
}  // namespace msda
