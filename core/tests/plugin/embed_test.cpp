#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include <msda/plugin.hpp>

namespace msda {

namespace test_embedded {
extern const EmbeddedSource kSources[];
}
namespace test_long {
extern const EmbeddedSource kSources[];
}
namespace test_none {
extern const EmbeddedSource kSources[];
}

namespace {

std::string read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream.is_open()) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(EmbeddedSources, KeepEveryByteOfHostileText) {
  const EmbeddedSource& source = test_embedded::kSources[0];
  EXPECT_STREQ(source.path, "prefix/hostile.cuh");
  EXPECT_EQ(source.text, read(MSDA_EMBEDDED_DIR "/hostile.cuh"));
}

TEST(EmbeddedSources, MayBeEmpty) {
  EXPECT_STREQ(test_embedded::kSources[1].path, "prefix/empty.cuh");
  EXPECT_STREQ(test_embedded::kSources[1].text, "");
}

TEST(EmbeddedSources, MayBeLongerThanAStringLiteral) {
  const std::string text = read(MSDA_GENERATED_DIR "/long.cuh");
  EXPECT_GT(text.size(), 200'000U);
  EXPECT_STREQ(test_long::kSources[0].path, "long.cuh");
  EXPECT_EQ(test_long::kSources[0].text, text);
}

TEST(EmbeddedSources, EndWithAnEmptyEntry) {
  EXPECT_EQ(test_embedded::kSources[2].path, nullptr);
  EXPECT_EQ(test_embedded::kSources[2].text, nullptr);
  EXPECT_EQ(test_none::kSources[0].path, nullptr);
}

}  // namespace
}  // namespace msda
