#include "device/cuda/nvml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace msda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* kDevice = "0000:3b:00.0";

TEST(Nvml, TellsOfTheDevice) {
  const NvmlDevice device(kDevice, MSDA_FAKE_NVML);
  ASSERT_EQ(device.unavailable(), "");
  const Conditions conditions = device.conditions().value();
  EXPECT_EQ(conditions.sm_clock_mhz, 1755);
  EXPECT_EQ(conditions.memory_clock_mhz, 2619);
  EXPECT_EQ(conditions.temperature_celsius, 66);
  EXPECT_EQ(conditions.power_watts, 700.25);
  EXPECT_THAT(conditions.throttled, ElementsAre("sw-power-cap", "hw-thermal"));
  EXPECT_EQ(device.energy_joules(), 5'000'000.25);
}

TEST(Nvml, LeavesOutWhatTheLibraryDoesNotKnow) {
  const NvmlDevice device(kDevice, MSDA_FAKE_NVML);
  EXPECT_THAT(device.facts(),
              ElementsAre(Pair("driver", "123.45"), Pair("ecc", "on"),
                          Pair("gpu_number", testing::MatchesRegex("[0-9a-f]{8}"))));
}

TEST(Nvml, ASliceHasTheClocksOfItsGpuAndNoPower) {
  const NvmlDevice device("0000:5e:00.0", MSDA_FAKE_NVML);
  const Conditions conditions = device.conditions().value();
  EXPECT_EQ(conditions.sm_clock_mhz, 1755);
  EXPECT_FALSE(conditions.power_watts);
  EXPECT_FALSE(device.energy_joules());
  EXPECT_THAT(device.facts().at("mig"), HasSubstr("a slice"));
}

TEST(Nvml, AnAbsentLibraryIsNoError) {
  const NvmlDevice device(kDevice, "libnvidia-ml-nowhere.so.1");
  EXPECT_THAT(device.unavailable(), HasSubstr("libnvidia-ml-nowhere.so.1"));
  EXPECT_FALSE(device.conditions());
  EXPECT_FALSE(device.energy_joules());
  EXPECT_THAT(device.throttled(), testing::IsEmpty());
  EXPECT_THAT(device.facts().at("nvml"), HasSubstr("cannot load"));
}

TEST(Nvml, ADeviceThatItDoesNotKnowIsNoError) {
  const NvmlDevice device("0000:00:00.0", MSDA_FAKE_NVML);
  EXPECT_THAT(device.unavailable(), HasSubstr("does not know device 0000:00:00.0"));
  EXPECT_FALSE(device.conditions());
}

}  // namespace
}  // namespace msda
