// The verdict on a claimed range, given a measured interval.
#include <limits>
#include <optional>

#include <gtest/gtest.h>

#include "claims/claims.hpp"
#include "support/claimed.hpp"

namespace msda {
namespace {

using claimed::kL;
using claimed::kS;
using claimed::kT;

constexpr double kNoEnd = std::numeric_limits<double>::infinity();

struct Case {
  Claim::Quantity quantity;
  double claimed_low;
  double claimed_high;
  double low;
  double high;
  ClaimVerdict verdict;
};

std::ostream& operator<<(std::ostream& stream, const Case& c) {
  return stream << c.claimed_low << ".." << c.claimed_high << " against " << c.low << ".." << c.high
                << ": " << name_of(c.verdict);
}

class Judge : public testing::TestWithParam<Case> {};

TEST_P(Judge, Verdict) {
  const Case& c = GetParam();
  EXPECT_EQ(name_of(judge(c.quantity, {c.claimed_low, c.claimed_high}, Interval{c.low, c.high})),
            name_of(c.verdict));
}

// 1.45..1.55 is accepted from 1.43564 to 1.5655.
INSTANTIATE_TEST_SUITE_P(
    Faster, Judge,
    testing::Values(Case{kS, 1.45, 1.55, 1.49, 1.51, ClaimVerdict::kConfirmed},
                    Case{kS, 1.45, 1.55, 1.4357, 1.5654, ClaimVerdict::kConfirmed},
                    Case{kS, 1.45, 1.55, 1.40, 1.4357, ClaimVerdict::kUndecided},
                    Case{kS, 1.45, 1.55, 1.40, 1.4356, ClaimVerdict::kSmaller},
                    Case{kS, 1.45, 1.55, 1.5654, 1.60, ClaimVerdict::kUndecided},
                    Case{kS, 1.45, 1.55, 1.5656, 1.60, ClaimVerdict::kLarger},
                    Case{kS, 1.45, 1.55, 1.43, 1.57, ClaimVerdict::kUndecided},
                    Case{kS, 1.45, 1.55, 0.999, 1.45, ClaimVerdict::kUndecided},
                    Case{kS, 1.45, 1.55, 1.001, 1.45, ClaimVerdict::kUndecided},
                    Case{kS, 1.45, 1.55, 0.990, 1.010, ClaimVerdict::kNoEffect},
                    Case{kS, 1.45, 1.55, 0.990, 1.011, ClaimVerdict::kSmaller},
                    Case{kS, 1.45, 1.55, 0.989, 1.010, ClaimVerdict::kNotMet},
                    Case{kS, 1.45, 1.55, 0.95, 0.991, ClaimVerdict::kNotMet},
                    Case{kS, 1.45, 1.55, 0.95, 0.989, ClaimVerdict::kOpposite}));

// 0.45..0.55 is accepted from 0.44554 to 0.5555.
INSTANTIATE_TEST_SUITE_P(
    Slower, Judge,
    testing::Values(Case{kS, 0.45, 0.55, 0.49, 0.51, ClaimVerdict::kConfirmed},
                    Case{kS, 0.45, 0.55, 0.4456, 0.5554, ClaimVerdict::kConfirmed},
                    Case{kS, 0.45, 0.55, 0.5554, 0.60, ClaimVerdict::kUndecided},
                    Case{kS, 0.45, 0.55, 0.5556, 0.60, ClaimVerdict::kSmaller},
                    Case{kS, 0.45, 0.55, 0.40, 0.4456, ClaimVerdict::kUndecided},
                    Case{kS, 0.45, 0.55, 0.40, 0.4454, ClaimVerdict::kLarger},
                    Case{kS, 0.45, 0.55, 0.44, 0.56, ClaimVerdict::kUndecided},
                    Case{kS, 0.45, 0.55, 0.55, 1.001, ClaimVerdict::kUndecided},
                    Case{kS, 0.45, 0.55, 0.991, 1.0099, ClaimVerdict::kNoEffect},
                    Case{kS, 0.45, 0.55, 0.95, 1.0099, ClaimVerdict::kSmaller},
                    Case{kS, 0.45, 0.55, 0.95, 1.0101, ClaimVerdict::kNotMet},
                    Case{kS, 0.45, 0.55, 1.0101, 1.1, ClaimVerdict::kOpposite},
                    // "At most 1x": equal confirms it, and there is no larger.
                    Case{kS, 0, 1, 0.01, 0.02, ClaimVerdict::kConfirmed},
                    Case{kS, 0, 1, 0.999, 1.001, ClaimVerdict::kConfirmed},
                    Case{kS, 0, 1, 0.999, 1.02, ClaimVerdict::kUndecided},
                    Case{kS, 0, 1, 1.02, 1.03, ClaimVerdict::kOpposite}));

// Of +0.75% a fifth is forgiven: 1.00599..1.01001 is accepted, and 1 +- 0.15% is no effect.
INSTANTIATE_TEST_SUITE_P(
    Tiny, Judge,
    testing::Values(Case{kS, 1.0075, 1.0085, 1.0061, 1.0099, ClaimVerdict::kConfirmed},
                    Case{kS, 1.0075, 1.0085, 0.999, 1.009, ClaimVerdict::kUndecided},
                    Case{kS, 1.0075, 1.0085, 0.999, 1.001, ClaimVerdict::kNoEffect},
                    Case{kS, 1.0075, 1.0085, 0.989, 1.005, ClaimVerdict::kNotMet},
                    Case{kS, 1.0075, 1.0085, 0.97, 0.98, ClaimVerdict::kOpposite},
                    Case{kS, 1.0075, 1.0085, 1.02, 1.03, ClaimVerdict::kLarger}));

// A limit is no gain: a slowdown does not confirm how large one can be.
INSTANTIATE_TEST_SUITE_P(AtMost, Judge,
                         testing::Values(Case{kS, 0, 1.1, 0.35, 0.36, ClaimVerdict::kNoGain},
                                         Case{kS, 0, 1.1, 0.99, 1.05, ClaimVerdict::kConfirmed},
                                         Case{kS, 0, 1.1, 1.04, 1.101, ClaimVerdict::kUndecided},
                                         Case{kS, 0, 1.1, 1.2, 1.3, ClaimVerdict::kLarger}));

// "At least" ends where it says.
INSTANTIATE_TEST_SUITE_P(
    AtLeast, Judge,
    testing::Values(Case{kS, 1.5, kNoEnd, 1.5, 1.6, ClaimVerdict::kConfirmed},
                    Case{kS, 1.5, kNoEnd, 1.499, 1.6, ClaimVerdict::kUndecided},
                    Case{kS, 1.5, kNoEnd, 1.49, 1.499, ClaimVerdict::kSmaller}));

// "1.0x": no difference is claimed, so there is no direction.
INSTANTIATE_TEST_SUITE_P(NoDifference, Judge,
                         testing::Values(Case{kS, 0.95, 1.05, 0.99, 1.04, ClaimVerdict::kConfirmed},
                                         Case{kS, 0.95, 1.05, 1.07, 1.10, ClaimVerdict::kFaster},
                                         Case{kS, 0.95, 1.05, 0.80, 0.94, ClaimVerdict::kSlower},
                                         Case{kS, 0.95, 1.05, 0.80, 1.10,
                                              ClaimVerdict::kUndecided}));

// 100..200 is accepted from 99.01 to 202.
INSTANTIATE_TEST_SUITE_P(TimesAndShares, Judge,
                         testing::Values(Case{kT, 100, 200, 150, 160, ClaimVerdict::kConfirmed},
                                         Case{kT, 100, 200, 99.1, 201.9, ClaimVerdict::kConfirmed},
                                         Case{kT, 100, 200, 90, 99.1, ClaimVerdict::kUndecided},
                                         Case{kT, 100, 200, 90, 98.9, ClaimVerdict::kFaster},
                                         Case{kT, 100, 200, 201.9, 210, ClaimVerdict::kUndecided},
                                         Case{kT, 100, 200, 202.1, 210, ClaimVerdict::kSlower},
                                         Case{kT, 100, 200, 98, 203, ClaimVerdict::kUndecided},
                                         // "At most" and "at least" end where they say.
                                         Case{kT, 0, 200, 190, 200, ClaimVerdict::kConfirmed},
                                         Case{kT, 0, 200, 190, 201, ClaimVerdict::kUndecided},
                                         Case{kT, 0, 200, 203, 204, ClaimVerdict::kSlower},
                                         Case{kT, 100, kNoEnd, 100, 300, ClaimVerdict::kConfirmed},
                                         Case{kT, 100, kNoEnd, 99.9, 300, ClaimVerdict::kUndecided},
                                         Case{kL, 0.8, 0.9, 0.85, 0.86, ClaimVerdict::kConfirmed},
                                         Case{kL, 0.8, 0.9, 0.5, 0.6, ClaimVerdict::kSmaller},
                                         Case{kL, 0.8, 0.9, 0.95, 1.2, ClaimVerdict::kLarger},
                                         Case{kL, 0.8, 0.9, 0.7, 1.2, ClaimVerdict::kUndecided}));

TEST(Judging, WithoutAnIntervalNothingIsDecided) {
  EXPECT_EQ(judge(kS, {1.45, 1.55}, std::nullopt), ClaimVerdict::kUndecided);
}

}  // namespace
}  // namespace msda
