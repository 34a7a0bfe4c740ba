#include "files/compressed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <msda/error.hpp>

namespace msda {
namespace {

using testing::HasSubstr;

std::string refusal(ByteSpan frame, std::int64_t most = kMostText) {
  try {
    decompressed(frame, most);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::string repetitive_text() {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "the same line\n";
  return text;
}

TEST(Compressed, ComesBackAsItWas) {
  const std::string with_zero("a\0b", 3);
  for (const std::string& text : {std::string(), with_zero, repetitive_text()}) {
    EXPECT_EQ(decompressed(compressed(text)), text);
  }
}

TEST(Compressed, IsSmaller) {
  const std::string text = repetitive_text();
  EXPECT_LT(compressed(text).size(), text.size() / 50);
}

TEST(Compressed, ASpoiltByteIsRefusedOrChangesNothingAndATornEndIsRefused) {
  const std::string text = "a text that is long enough to have a body, and a checksum";
  const Bytes frame = compressed(text);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    Bytes spoilt = frame;
    spoilt[i] ^= std::byte{0x10};
    if (refusal(spoilt).empty()) {
      EXPECT_EQ(decompressed(spoilt), text) << "byte " << i;  // a bit that the format leaves unused
    } else {
      ++refused;
    }
    EXPECT_NE(refusal(ByteSpan(frame).first(i)), "") << "the first " << i << " bytes";
  }
  EXPECT_GT(10 * refused, 9 * frame.size());
}

TEST(Compressed, WhatIsNoFrameOrTooLongIsRefusedBeforeItTakesMemory) {
  EXPECT_THAT(refusal(bytes_of("{\"schema\": 1}")), HasSubstr("not a Zstandard frame"));
  EXPECT_THAT(refusal(compressed(repetitive_text()), 100),
              HasSubstr("holds 14000 bytes of text, more than 100"));
}

}  // namespace
}  // namespace msda
