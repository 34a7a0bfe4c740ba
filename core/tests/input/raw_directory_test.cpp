#include <gmock/gmock.h>

#include <limits>

#include <msda/operators/forward.hpp>
#include "input/tensor_files.hpp"
#include "support/tensors.hpp"

namespace msda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RawDirectory : public testing::Test {
 protected:
  RawDirectory() { make(small_problem()); }

  void make(const Problem& problem) {
    input_ = generate(problem, {});
    input_.expected[forward::kOutput].assign(
        static_cast<std::size_t>(elements(problem, forward::kOutput)), 0.5F);
    rewrite();
  }

  void rewrite() const { write_directory(input_, directory_.path(), FileFormat::kRaw); }

  std::filesystem::path file(std::string_view stem) const {
    return tensor_path(directory_.path(), stem, FileFormat::kRaw);
  }

  void write_integers(std::string_view stem, const std::vector<std::int64_t>& numbers) const {
    write_text(file(stem), {reinterpret_cast<const char*>(numbers.data()), numbers.size() * 8});
  }

  Input read() const {
    return read_raw_directory(directory_.path(), forward::kTensors, small_problem());
  }
  std::string error() const {
    return usage_error_of([&] { read(); });
  }

  TemporaryDirectory directory_;
  Input input_;
};

TEST_F(RawDirectory, IsReadAsItWasWritten) {
  const Input input = read();
  EXPECT_EQ(content_hash(input), content_hash(input_));
  EXPECT_EQ(input.expected, input_.expected);
  EXPECT_EQ(input.problem.name, "small");
  EXPECT_EQ(input.origin, directory_.path().string());
}

TEST_F(RawDirectory, SizesTellTheElementTypes) {
  for (const DType narrow : {DType::kFloat16, DType::kBFloat16}) {
    Problem problem = small_problem();
    problem.types = {narrow, DType::kFloat32, narrow, narrow};
    make(problem);
    const Input input = read_raw_directory(directory_.path(), forward::kTensors, problem);
    EXPECT_EQ(input.problem.types, problem.types);
    EXPECT_EQ(content_hash(input), content_hash(input_));
  }
  EXPECT_EQ(read().problem.types.value, DType::kFloat16);  // fp32 was declared: 2 bytes are fp16
}

TEST_F(RawDirectory, LevelsComeFromTheFileWhenThereIsOne) {
  Problem declared = small_problem();
  declared.levels = {{1, 1}};
  EXPECT_EQ(read_raw_directory(directory_.path(), forward::kTensors, declared).problem.levels,
            small_problem().levels);
  std::filesystem::remove(file("spatial_shapes"));
  std::filesystem::remove(file("level_start_index"));
  EXPECT_EQ(content_hash(read()), content_hash(input_));
}

TEST_F(RawDirectory, ABorderIsRecognisedWithAndWithoutStarts) {
  Problem padded = small_problem();
  padded.layout = ValueLayout::kZeroBorder;
  make(padded);
  EXPECT_EQ(read().problem.layout, ValueLayout::kZeroBorder);
  std::filesystem::remove(file("level_start_index"));
  EXPECT_EQ(read().problem.layout, ValueLayout::kZeroBorder);
  make(small_problem());
  EXPECT_EQ(read_raw_directory(directory_.path(), forward::kTensors, padded).problem.layout,
            ValueLayout::kPlain);
}

TEST_F(RawDirectory, ABorderThatIsNotZeroIsRefused) {
  Problem padded = small_problem();
  padded.layout = ValueLayout::kZeroBorder;
  make(padded);
  store_element(DType::kFloat32, input_.at("value").data(), 0, 1.0F);
  rewrite();
  EXPECT_THAT(error(), AllOf(HasSubstr("value.bin"), HasSubstr("border pixel 0 of image 0")));
}

TEST_F(RawDirectory, WrongSizesAreNamedWithBothExpectations) {
  for (const char* stem : {"value", "sampling_locations", "attention_weights", "output"}) {
    const auto size = std::filesystem::file_size(file(stem));
    std::filesystem::resize_file(file(stem), size - 1);
    EXPECT_THAT(error(), AllOf(HasSubstr(std::string(stem) + ".bin"),
                               HasSubstr(std::to_string(size - 1) + " bytes found"),
                               HasSubstr(std::to_string(size) + " (fp32)"),
                               HasSubstr(std::to_string(size / 2) + " (fp16, bf16)")));
    rewrite();
  }
}

TEST_F(RawDirectory, MissingFilesAreNamed) {
  for (const char* stem : {"value", "sampling_locations", "attention_weights"}) {
    std::filesystem::remove(file(stem));
    EXPECT_THAT(error(), AllOf(HasSubstr(stem), HasSubstr("no such file")));
    rewrite();
  }
  EXPECT_THAT(usage_error_of(
                  [&] { read_raw_directory(directory_.path() / "absent", forward::kTensors, {}); }),
              HasSubstr("absent: no such directory"));
}

TEST_F(RawDirectory, InconsistentStartsAreRefusedByLevel) {
  write_integers("level_start_index", {0, 54, 70});
  EXPECT_THAT(error(), AllOf(HasSubstr("level_start_index.bin"), HasSubstr("level 2 (1x1)"),
                             HasSubstr("would end at 71")));
  write_integers("level_start_index", {0, 54});
  EXPECT_THAT(error(), HasSubstr("2 entries for 3 levels"));
  write_text(file("level_start_index"), "12 bytes lon");
  EXPECT_THAT(error(), AllOf(HasSubstr("level_start_index.bin: 12 bytes"), HasSubstr("int64")));
}

TEST_F(RawDirectory, ShapesMustBePairsOfPositiveNumbers) {
  write_integers("spatial_shapes", {6, 9, 3});
  EXPECT_THAT(error(),
              AllOf(HasSubstr("spatial_shapes.bin: 24 bytes"), HasSubstr("multiple of 16")));
  write_integers("spatial_shapes", {6, 9, 3, -5, 1, 1});
  EXPECT_THAT(error(), HasSubstr("levels[1].width is -5"));
}

TEST_F(RawDirectory, OnlyLocationsMayBeNotFinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  store_element(DType::kFloat32, input_.at("locations").data(), 0, kInfinity);
  rewrite();
  EXPECT_EQ(error(), "");
  store_element(DType::kFloat32, input_.at("weights").data(), 0, kInfinity);
  rewrite();
  EXPECT_THAT(error(), AllOf(HasSubstr("attention_weights.bin"), HasSubstr("is inf")));
}

TEST_F(RawDirectory, IsToldFromAnNpyDirectory) {
  EXPECT_TRUE(is_raw_directory(directory_.path(), forward::kTensors));
  EXPECT_FALSE(
      is_raw_directory(MSDA_SOURCE_DIR "/experiments/inputs/captured_decoder", forward::kTensors));
  EXPECT_FALSE(is_raw_directory(directory_.path() / "absent", forward::kTensors));
}

}  // namespace
}  // namespace msda
