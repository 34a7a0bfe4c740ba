#include "render/text/text.hpp"

#include <gtest/gtest.h>

namespace msda {
namespace {

TEST(DisplayWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("vector-loads"), 12U);
  EXPECT_EQ(display_width("größe"), 5U);
  EXPECT_EQ(display_width("e\u0301"), 1U);  // combining acute accent
  EXPECT_EQ(display_width("漢字"), 4U);
  EXPECT_EQ(display_width("🚀"), 2U);
  EXPECT_EQ(display_width("\xff\xc3"), 2U);  // neither byte is UTF-8
}

TEST(Padding, FillsToTheWidthShown) {
  EXPECT_EQ(pad_left("é", 3), "  é");
  EXPECT_EQ(pad_right("漢", 3), "漢 ");
  EXPECT_EQ(pad_right("long", 2), "long");
}

TEST(Printable, TakesControlOfTheTerminalAway) {
  EXPECT_EQ(printable("a\x1b[31mb\r\n"), R"(a\x1b[31mb)");
  EXPECT_EQ(printable("one\ntwo\t3\n\n"), "one\ntwo\t3");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            R"(\x9b31m)");  // the one-character form of ESC [
  EXPECT_EQ(printable_line("one\ntwo\t3"), "one two 3");
}

TEST(Printable, ShowsWhatOrdersTextAnewOrHidesInIt) {
  EXPECT_EQ(printable("a\u202eb\u2066c\u200bd\ufeffe"), R"(a\u202eb\u2066c\u200bd\ufeffe)");
  EXPECT_EQ(printable("größe 漢字 🚀"), "größe 漢字 🚀");
  EXPECT_EQ(printable("\xff"), R"(\xff)");
}

TEST(TimeScale, OneUnitForAColumnByItsSmallest) {
  EXPECT_EQ(time_scale(333.12e-6).text(333.12e-6), "333.1 us");
  EXPECT_EQ(time_scale(333.12e-6).number(24.373e-3), "24373.0");
  EXPECT_EQ(time_scale(2.5e-3).text(2.5e-3), "2.500 ms");
  EXPECT_EQ(time_scale(12.5).text(12.5), "12.50 s");
  EXPECT_EQ(time_scale(250e-9).text(250e-9), "250.0 ns");
}

TEST(FlopsScale, ChangesAtATera) {
  EXPECT_EQ(flops_scale(2.2e12).text(2.2e12), "2.200 TFLOP/s");
  EXPECT_EQ(flops_scale(8.5e9).text(8.5e9), "8.5 GFLOP/s");
}

TEST(RatioText, KeepsTheDigitsThatMatter) {
  EXPECT_EQ(ratio_text(1.0034), "1.003x");
  EXPECT_EQ(ratio_text(12.345), "12.35x");
  EXPECT_EQ(ratio_text(123.45), "123.5x");
  EXPECT_EQ(ratio_text(2, Interval{1.9, 2.1}), "2.000x [1.900, 2.100]");
  EXPECT_EQ(ratio_text(2, std::nullopt), "2.000x");
}

TEST(PercentText, EndsWhereDigitsSayNothing) {
  EXPECT_EQ(percent_text(0.0042), "0.42%");
  EXPECT_EQ(percent_text(1.7), "170%");
  EXPECT_EQ(percent_text(1e12), "more than 1000%");
}

TEST(Wrapped, BreaksBetweenWordsAndLeavesIndentedLinesAlone) {
  EXPECT_EQ(wrapped("one two three\n\n  four five six\nseven", 7),
            "one two\nthree\n\n  four five six\nseven");
  EXPECT_EQ(wrapped("unbreakable\n", 4), "unbreakable\n");
  EXPECT_EQ(wrapped("", 4), "");
}

TEST(Wrapped, CountsTheSpaceBeforeAWord) {
  EXPECT_EQ(wrapped("one two", 7), "one two");
  EXPECT_EQ(wrapped("one two", 6), "one\ntwo");
}

}  // namespace
}  // namespace msda
