// The kernel that a parameter names, as it is or repaired.
#pragma once

#include <exercises/conflict.cuh>
#include <exercises/deadlock.cuh>
#include <exercises/edge.cuh>
#include <exercises/race.cuh>
#include <exercises/wide.cuh>

namespace msda::exercises {

/// Numbers of the choices of parameter "kernel".
enum Exercise : int { kRace, kConflict, kDeadlock, kEdge, kWide };

template <class K, int exercise, bool repaired>
struct Chosen;
template <class K, bool repaired>
struct Chosen<K, kRace, repaired> : Race<K, repaired> {};
template <class K, bool repaired>
struct Chosen<K, kConflict, repaired> : Conflict<K, repaired> {};
template <class K, bool repaired>
struct Chosen<K, kDeadlock, repaired> : Deadlock<K, repaired> {};
template <class K, bool repaired>
struct Chosen<K, kEdge, repaired> : Edge<K, repaired> {};
template <class K, bool repaired>
struct Chosen<K, kWide, repaired> : Wide<K, repaired> {};

template <class K, class Parameters>
struct Kernel : Chosen<K, static_cast<int>(Parameters::kernel), (Parameters::repaired != 0)> {};

}  // namespace msda::exercises
