// `msda` for tests of what is fast: a launch of the fixture takes the milliseconds that its arm
// asks for. The linker has what opens devices lead here.
#include "support/told_times.hpp"

std::unique_ptr<msda::Device> open_real(std::string_view id) __asm__("__real_" MSDA_OPEN_DEVICE);
std::unique_ptr<msda::Device> open_told(std::string_view id) __asm__("__wrap_" MSDA_OPEN_DEVICE);

namespace {

double told_seconds(const msda::Composition& composition) {
  constexpr double kLaunch = 0.01;  ///< milliseconds of one that does not wait
  const auto& parameters = composition.parts().front().parameters;
  return 1e-3 * (kLaunch + parameters.get<double>("milliseconds"));
}

}  // namespace

std::unique_ptr<msda::Device> open_told(std::string_view id) {
  return std::make_unique<msda::test::ToldTimes>(told_seconds, open_real(id));
}
