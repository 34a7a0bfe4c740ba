// Ways to make a 95% interval of a log ratio from what each process has of it.
#pragma once

#include <random>
#include <span>

#include "statistics/estimate.hpp"

namespace msda::study {

struct Way {
  const char* name;
  Interval (*interval)(const LogsByProcess& logs, std::mt19937_64& random);
};

/// The first is the one that the program takes.
std::span<const Way> ways();

}  // namespace msda::study
