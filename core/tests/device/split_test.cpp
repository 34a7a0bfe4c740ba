// A call whose images are shared among devices leaves what one device would leave.
#include "device/split.hpp"

#include <cstring>

#include <gtest/gtest.h>

#include "device/device.hpp"
#include "measure/device_input.hpp"
#include "support/problems.hpp"

namespace msda {
namespace {

/// Several CPUs, which are all the same one.
class Cpus final : public DeviceGroup {
 public:
  explicit Cpus(int count) {
    for (int i = 0; i < count; ++i) devices_.push_back(open_device("cpu"));
  }

  std::size_t size() const override { return devices_.size(); }
  Device& device(std::size_t i) override { return *devices_.at(i); }
  void use(std::size_t) override {}
  void reach_first() override {}
  void copy(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void enqueue_copy(std::size_t, void* to, const void* from, std::size_t bytes) override {
    copy(to, from, bytes);
  }
  void fork(Stream) override {}
  void join(Stream) override {}

 private:
  std::vector<std::unique_ptr<Device>> devices_;
};

std::vector<Bytes> outputs_of(Executable& executable, Device& device, const Input& input) {
  DeviceInput own(device, input);
  own.poison_outputs();
  executable.bind(own.tensors());
  executable.launch(own.tensors(), nullptr);
  EXPECT_EQ(own.written_beside(), "");
  return own.download_outputs();
}

class Split : public testing::TestWithParam<const char*> {};

TEST_P(Split, GivesEachImageTheRowsThatItHasOnOneDevice) {
  const Registry registry({MSDA_BINARY_DIR "/lib/msda/variants"});
  constexpr int kDevices = 3;
  const Use split{"batch-split",
                  {{"devices", std::int64_t{kDevices}}, {"output", std::string(GetParam())}}};
  const Composition composition(registry, {{"cpu-scalar", {}}, split});
  const auto device = open_device("cpu");
  for (const std::int64_t batch : {3, 5}) {
    Problem problem = small_problem();
    problem.batch = batch;
    const Input input = generate(problem, {});
    Prepared one = device->load(composition.on_one_device(), problem, {});
    Prepared all = load_split(std::make_unique<Cpus>(kDevices), composition, problem, {});
    EXPECT_EQ(outputs_of(*all.executable, *device, input),
              outputs_of(*one.executable, *device, input))
        << batch;
  }
}

INSTANTIATE_TEST_SUITE_P(HoweverRowsCome, Split, testing::Values("written", "copied"));

}  // namespace
}  // namespace msda
