#include "experiment/mistakes.hpp"

namespace msda::test {

std::vector<Mistake> claim_mistakes() {
  return {
      {"ClaimArm",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: c, speedup: 2x}\n"),
       "5:31",
       {"no arm 'c'", "there are fixture, b"}},
      {"ClaimWithoutQuantity",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b}\n"),
       "5:5",
       {"lacks its quantity", "speed-of-light"}},
      {"ClaimWithTwoQuantities",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedup: 2x, time: 3 us}\n"),
       "5:53",
       {"a claim has one of"}},
      {"ClaimSpeedup",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedup: fast}\n"),
       "5:43",
       {"'fast' is no speedup above zero", "+5.3%"}},
      {"ClaimTime",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, time: 724}\n"),
       "5:40",
       {"'724' is no time above zero", "724 us"}},
      {"ClaimShare",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speed-of-light: 0.8}\n"),
       "5:50",
       {"'0.8' is no speed-of-light above zero, such as 85%"}},
      {"ClaimCounter",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, counter: {dram__bytes.sum: -1}}\n"),
       "5:61",
       {"'-1' is no counter, such as {metric: 0}"}},
      {"ClaimCounterWithoutMetric",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, counter: {Bank conflicts: 0}}\n"),
       "5:44",
       {"'Bank conflicts' is no name of a metric"}},
      {"ClaimCounterOfTwoArms",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: [b, fixture], counter: {m.sum: 0}}\n"),
       "5:31",
       {"'counter' is a claim of one arm"}},
      {"ClaimOver",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, over: b, speedup: 2x}\n"),
       "5:40",
       {"not compared with itself"}},
      {"ClaimOverItselfAmongOthers",
       with(
           "arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
           "fixture\nclaims:\n  - {text: t, source: s, arm: b, over: [fixture, b], speedup: 2x}\n"),
       "5:40",
       {"not compared with itself"}},
      {"ClaimOfOutputsOfSeveral",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}, {name: c, use: [{fixture: "
            "{after: 3}}]}]\nbaseline: fixture\nclaims:\n"
            "  - {text: t, source: s, arm: b, over: [fixture, c], outcome: identical}\n"),
       "5:40",
       {"an output is identical with that of one arm"}},
      {"ClaimOfTheBaseline",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: fixture, speedup: 2x}\n"),
       "5:31",
       {"'fixture' is the baseline"}},
      {"ClaimProblem",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedup: 2x, problem: x}\n"),
       "5:56",
       {"no problem 'x'", "there are "}},
      {"ClaimWithoutSource",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, arm: b, time: 1 s}\n"),
       "5:5",
       {"lacks key 'source'"}},
      {"ClaimEmptyText",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: '', source: s, arm: b, time: 1 s}\n"),
       "5:12",
       {"key 'text' is empty"}},
      {"ClaimEmptyReason",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, not-testable: ''}\n"),
       "5:48",
       {"key 'not-testable' is empty"}},
      {"ClaimKey",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedupp: 1x}\n"),
       "5:34",
       {"unknown key 'speedupp' (did you mean 'speedup'?)"}},
      {"ClaimUnmeasuredMode",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, time: 1 s, mode: cold}\n"),
       "5:51",
       {"no measured mode 'cold': there are warm"}},
      {"ClaimOverOfATime",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, time: 1 s, over: fixture}\n"),
       "5:51",
       {"'over' belongs to a speedup"}},
      {"ClaimOfNothing",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedup: 0x}\n"),
       "5:43",
       {"'0x' is no speedup above zero"}},
      {"ClaimList",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedup: [1, 2]}\n"),
       "5:43",
       {"key 'speedup' must be text, not a list"}},
      {"ClaimOutcome",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, outcome: hangs}\n"),
       "5:43",
       {"'hangs' is no outcome, such as hung, crashed"}},
      {"ClaimOutcomeOfSeveral",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: [b, fixture], outcome: hung}\n"),
       "5:31",
       {"'outcome' is a claim of one arm"}},
      {"ClaimArmTwice",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: [b, b], time: 1 s}\n"),
       "5:35",
       {"arm 'b' stands here a second time"}},
      {"ClaimAgainstOfASpeedup",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, speedup: 2x, against: {fixture: 1 "
            "s}}\n"),
       "5:56",
       {"'against' belongs to a time, throughput or bandwidth"}},
      {"ClaimAgainstItself",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, time: 1 s, against: {b: 2 s}}\n"),
       "5:54",
       {"an arm is not measured against itself"}},
      {"ClaimAgainstInAnotherQuantity",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, time: 1 s, against: {fixture: "
            "2x}}\n"),
       "5:64",
       {"'2x' is no time above zero"}},
      {"ClaimUnit",
       with("arms: [fixture, {name: b, use: [{fixture: {after: 2}}]}]\nbaseline: "
            "fixture\nclaims:\n  - {text: t, source: s, arm: b, throughput: 3 GB/s}\n"),
       "5:46",
       {"'3 GB/s' is no throughput above zero, such as 22.9 TFLOP/s"}},
  };
}

}  // namespace msda::test
