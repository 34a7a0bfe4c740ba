// How to measure: the key `measure`.
#include "runner/experiment/parse.hpp"
#include "runner/experiment/settings.hpp"

namespace msda {
namespace {

constexpr int kMostProcesses = 1000;

const Settings<Timeouts>& timeout_settings() {
  static const Settings<Timeouts> settings{
      setting("compile", &Timeouts::compile, form::duration(), "compiling one arm"),
      setting("prepare", &Timeouts::prepare, form::duration(),
              "checking, loading and tearing down an arm; making inputs and references"),
      setting("verify", &Timeouts::verify, form::duration(), "one verification of an arm"),
      setting("measure", &Timeouts::measure, form::duration(), "one arm's samples of one block")};
  return settings;
}

/// One duration for all phases, or a map of those that differ.
Form<Timeouts> timeouts() {
  const Form<Timeouts::Seconds> one = form::duration();
  const std::string words = "a duration for all phases, or a map of the next table";
  return {form::any_of(words, {one.schema, object_schema(timeout_settings().keys())}),
          [=](const YamlNode& node, Timeouts& timeouts) {
            if (node.is_map()) return timeout_settings().read(node.as_map(), timeouts);
            Timeouts::Seconds all{};
            one.read(node, all);
            timeouts = {all, all, all, all};
          },
          [](const Timeouts&) { return std::string("as in the next table"); }};
}

const Settings<MeasureSettings>& measure_settings() {
  using M = MeasureSettings;
  static const Settings<M> settings{
      setting("modes", &M::modes, form::names<TimingMode>("mode"),
              "[how](measurement.md#modes) launches are timed"),
      setting("processes", &M::processes, form::integer<int>(1, kMostProcesses),
              "worker processes that measure each problem in each mode"),
      setting("most_processes", &M::most_processes, form::integer<int>(1, kMostProcesses),
              "as many may be added when ratios are not known to `precision`")
          .otherwise("twice `processes`; 1 for 1"),
      setting("precision", &M::precision, form::percentage(),
              "half the width of a ratio's 95% interval that is narrow enough"),
      setting("noise_pair", &M::noise_pair, form::truth(),
              "run the baseline a second time as `NAME-again`, where no arm is the same already"),
      setting("blocks", &M::blocks, form::integer<int>(1, 100'000),
              "interleaved passes over all arms in each process"),
      setting("samples", &M::samples, form::integer<int>(1, 100'000),
              "timed launches of an arm in a block"),
      setting("warmup", &M::warmup, form::integer<int>(0, 100'000), "untimed launches before them"),
      setting("input_sets", &M::input_sets, form::integer<int>(1, 64),
              "tensors that consecutive launches rotate over"),
      setting("seed", &M::seed, form::integer<std::uint64_t>(0),
              "of the order of arms inside blocks"),
      setting("budget", &M::budget, form::duration(),
              "time for the blocks of one problem in one mode, over all processes"),
      setting("energy", &M::energy, form::duration(),
              "time for which the first process launches each arm to [count its "
              "energy](measurement.md#energy)")
          .otherwise("not counted"),
      setting("timeout", &M::timeouts, timeouts(), "silence after which a worker counts as hung")};
  return settings;
}

}  // namespace

Keys keys::timeout() { return timeout_settings().keys(); }
Keys keys::measure() { return measure_settings().keys(); }

MeasureSettings parse_measure(const YamlNode& node) {
  const YamlMap map = node.as_map();
  MeasureSettings settings;
  measure_settings().read(map, settings);
  if (const auto most = map.find("most_processes")) {
    static_cast<void>(most->as_integer(settings.processes, kMostProcesses));
  } else {
    // A single process leaves out on purpose what replication costs.
    settings.most_processes = settings.processes == 1 ? 1 : 2 * settings.processes;
  }
  return settings;
}

}  // namespace msda
