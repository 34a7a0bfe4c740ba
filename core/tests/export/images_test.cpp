// The compiled code that an export carries beside its source, and which of it a device takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <msda/runtime/images.hpp>

#include "conformance/conformance.hpp"
#include "exported.hpp"

namespace msda::test {
namespace {

using testing::HasSubstr;

TEST(ExportedImages, CarriesCodeAsFarAsAKernelRunsThere) {
  ExportRequest request;
  request.kernels = {exported_kernel({"tma-boxes"}, preset_in_half("rtdetr-decoder"))};
  request.images = {"sm_80", "sm_90a"};
  const auto files = export_source(request, Compiler());
  const auto json = nlohmann::json::parse(content_of(files, "export.json"));
  std::vector<std::string> found;
  for (const auto& image : json.at("kernels").at(0).at("images")) {
    found.push_back(image.at("architecture"));
  }
  EXPECT_THAT(found, testing::ElementsAre("sm_90a", "compute_90"));
}

TEST(ExportedImages, IsNotForLaterDevicesWithLessSharedMemory) {
  ExportRequest request;
  request.kernels = {exported_kernel({}, preset_in_half("rtdetr-decoder"))};
  // Two levels of 64 bytes a pixel: more than the 99 KiB of compute capability 12.0.
  request.kernels[0].composition =
      Composition(shipped_plugins(), {{"smem-levels", {{"budget", std::int64_t{140}}}}});
  request.images = {"sm_90a", "sm_120"};
  const auto files = export_source(request, Compiler());
  const auto json = nlohmann::json::parse(content_of(files, "export.json")).at("kernels").at(0);
  EXPECT_EQ(json.at("images").size(), 2U);
  EXPECT_EQ(json.at("images").at(1).at("architecture"), "compute_90");
  EXPECT_THAT(content_of(files, "msda_forward.cu"), HasSubstr(",\n     80,\n     103,\n"));
  request.kernels = {exported_kernel({"vector-loads"}, preset_in_half("rtdetr-decoder"))};
  EXPECT_THAT(content_of(export_source(request, Compiler()), "msda_forward.cu"),
              HasSubstr(",\n     80,\n     0,\n"));
}

/// What NAME_images.h has behind a place's kind: where the code begins.
std::size_t offset_in(const std::string& header, const std::string& kind) {
  const std::string before = kind + ", msda_forward_code + ";
  const std::size_t at = header.find(before);
  if (at == std::string::npos) throw Error("no image " + kind);
  return std::stoul(header.substr(at + before.size()));
}

TEST(ExportedImages, HasCodeAndPtxAtThePlacesThatItsTablesSay) {
  ExportRequest request;
  request.kernels = {exported_kernel({"vector-loads"}, preset_in_half("rtdetr-decoder"))};
  request.images = {"sm_80", "sm_90a"};
  const auto files = export_source(request, Compiler());
  const std::string& header = content_of(files, "msda_forward_images.h");
  const std::string& data = content_of(files, "msda_forward_images.h.bin");
  EXPECT_THAT(header, HasSubstr("msda_forward_code[" + std::to_string(data.size()) + "]"));
  EXPECT_THAT(header, HasSubstr("{80, msda::runtime::ImageKind::kCubin, "));
  EXPECT_THAT(header, HasSubstr("{90, msda::runtime::ImageKind::kExact, "));
  EXPECT_THAT(header, HasSubstr("{90, msda::runtime::ImageKind::kPtx, "));
  EXPECT_EQ(count(header, "msda_forward_code + "), 3U);
  EXPECT_THAT(content_of(files, "msda_forward.cu"), HasSubstr("{images_rtdetr_decoder_fp16, 3}"));
  EXPECT_EQ(data.substr(offset_in(header, "kExact"), 4),
            "\x7f"
            "ELF");
  const std::size_t ptx = offset_in(header, "kPtx");
  EXPECT_EQ(ptx % 16, 0U);
  const std::string text = data.c_str() + ptx;  // it ends in a zero
  EXPECT_THAT(text, HasSubstr(".target sm_90\n"));
  EXPECT_LT(ptx + text.size(), data.size());
}

/// One of two has no code for the only architecture that images are made for.
TEST(ExportedImages, IsBuiltFromTheSourceWhereOneOfItsKernelsHasNoImage) {
  ExportRequest request;
  request.kernels = {exported_kernel({"vector-loads"}, preset_in_half("rtdetr-decoder")),
                     exported_kernel({"tma-boxes"}, preset_in_half("rtdetr-decoder"))};
  request.images = {"sm_80"};
  const auto files = export_source(request, Compiler());
  const std::string& source = content_of(files, "msda_forward.cu");
  EXPECT_THAT(source, HasSubstr("#define MSDA_FROM_SOURCE 1\n"));
  EXPECT_THAT(source, HasSubstr("#include \"msda_forward_images.h\""));
  EXPECT_EQ(count(source, "{images_"), 1U);
  EXPECT_EQ(count(content_of(files, "msda_forward_images.h"), "Image images_"), 1U);
  request.images = {"sm_80", "sm_90a"};
  EXPECT_THAT(content_of(export_source(request, Compiler()), "msda_forward.cu"),
              HasSubstr("#define MSDA_FROM_SOURCE 0\n"));
}

TEST(ExportedImages, WithoutImagesIsBuiltFromTheSource) {
  ExportRequest request;
  request.kernels = {exported_kernel({"vector-loads"}, preset_in_half("rtdetr-decoder"))};
  const auto files = export_source(request, Compiler());
  EXPECT_THAT(content_of(files, "msda_forward.cu"), HasSubstr("#define MSDA_FROM_SOURCE 1\n"));
  EXPECT_THROW(content_of(files, "msda_forward_images.h"), Error);
}

TEST(Images, AreChosenForADevice) {
  using runtime::Image;
  using runtime::ImageKind;
  const Image images[] = {{80, ImageKind::kCubin, nullptr},
                          {90, ImageKind::kExact, nullptr},
                          {100, ImageKind::kCubin, nullptr},
                          {100, ImageKind::kPtx, nullptr}};
  const auto chosen = [&](int capability) {
    const Image* image = runtime::choose_image(images, 4, capability);
    return image == nullptr ? -1 : static_cast<int>(image - images);
  };
  EXPECT_EQ(chosen(75), -1);
  EXPECT_EQ(chosen(80), 0);
  EXPECT_EQ(chosen(89), 0);
  EXPECT_EQ(chosen(90), 1);
  EXPECT_EQ(chosen(100), 2);
  EXPECT_EQ(chosen(103), 2);
  EXPECT_EQ(chosen(120), 3);
}

}  // namespace
}  // namespace msda::test
