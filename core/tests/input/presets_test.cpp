#include <gmock/gmock.h>

#include <msda/operators/forward.hpp>
#include "problem/validate.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Presets, AreValidAndCarryTheirNames) {
  EXPECT_EQ(preset_names().size(), 15U);
  for (const std::string& name : preset_names()) {
    const Problem problem = preset(name);
    EXPECT_EQ(problem.name, name);
    EXPECT_EQ(problem.types, Types::all(DType::kFloat32));
    EXPECT_NO_THROW(validate(problem, forward::kTensors)) << name;
  }
}

TEST(Presets, HaveTheirPublishedSizes) {
  EXPECT_EQ(preset("ledger-48").spatial_size(), 19560);
  EXPECT_EQ(preset("ledger-48-padded").spatial_size(), 20522);
  EXPECT_EQ(preset("ledger-48-padded").queries, 15422);
  EXPECT_EQ(preset("ledger-48-square").queries, preset("ledger-48-square").spatial_size());
  EXPECT_EQ(preset("dino-encoder").queries, 22223);
  EXPECT_EQ(preset("dino-5scale-encoder").queries, 89023);
  EXPECT_EQ(preset("mask2former").queries, 128 * 128 + 64 * 64 + 32 * 32);
  EXPECT_EQ(preset("bevformer-tsa").queries, preset("bevformer-tsa").spatial_size());
  EXPECT_EQ(preset("rfdetr-decoder").heads * preset("rfdetr-decoder").channels, 256);
}

TEST(Presets, TheCapturedOneIsWhatTheFilesHold) {
  const Input files =
      read_npy_directory(MSDA_SOURCE_DIR "/experiments/inputs/captured_decoder", forward::kTensors);
  Problem declared = preset("captured-decoder");
  declared.name = files.problem.name;
  EXPECT_EQ(declared, files.problem);
}

TEST(Presets, UnknownNameGetsTheNearestAndTheList) {
  EXPECT_THAT(usage_error_of([] { preset("dino-encodr"); }),
              AllOf(HasSubstr("'dino-encodr'"), HasSubstr("did you mean 'dino-encoder'"),
                    HasSubstr("ledger-48-padded")));
}

}  // namespace
}  // namespace msda
