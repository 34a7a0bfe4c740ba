#include "device/cuda/graph.hpp"

#include <memory>
#include <set>
#include <type_traits>

#include "device/cuda/check.hpp"

namespace msda {
namespace {

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
struct DestroyExecutable {
  void operator()(cudaGraphExec_t executable) const { cudaGraphExecDestroy(executable); }
};
using OwnGraph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;
using OwnExecutable = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, DestroyExecutable>;

/// What `enqueue` enqueues on the stream.
OwnGraph captured(cudaStream_t stream, const std::function<void()>& enqueue) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  try {
    enqueue();
  } catch (...) {
    // The capture must end before the stream can be used again; its graph is worthless.
    cudaStreamEndCapture(stream, &graph);
    OwnGraph{graph};
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  return OwnGraph(graph);
}

/// The graph that the stream's capture builds.
cudaGraph_t graph_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
  check(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, nullptr, nullptr, nullptr),
        "cudaStreamGetCaptureInfo");
#else
  check(cudaStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, nullptr, nullptr),
        "cudaStreamGetCaptureInfo");
#endif
  return graph;
}

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) check(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
  return nodes;
}

void add_edges(cudaGraph_t graph, cudaGraphNode_t from, const std::vector<cudaGraphNode_t>& to) {
  for (const cudaGraphNode_t& node : to) {
#if CUDART_VERSION >= 13000
    check(cudaGraphAddDependencies(graph, &from, &node, nullptr, 1), "cudaGraphAddDependencies");
#else
    check(cudaGraphAddDependencies(graph, &from, &node, 1), "cudaGraphAddDependencies");
#endif
  }
}

}  // namespace

CudaGraph::CudaGraph(cudaStream_t stream, int count, const std::function<void(int)>& launch) {
  OwnGraph graph = captured(stream, [&] { capture(stream, count, launch); });
  check(cudaGraphInstantiate(&executable_, graph.get(), 0), "cudaGraphInstantiate");
  graph_ = graph.release();
}

void CudaGraph::capture(cudaStream_t stream, int count, const std::function<void(int)>& launch) {
  const cudaGraph_t graph = graph_of(stream);
  std::set<cudaGraphNode_t> known;
  for (int i = 0; i < count; ++i) {
    launch(i);
    std::vector<cudaGraphNode_t>& own = nodes_.emplace_back();
    for (const cudaGraphNode_t node : nodes_of(graph)) {
      if (known.insert(node).second) own.push_back(node);
    }
  }
}

CudaGraph::~CudaGraph() {
  cudaGraphExecDestroy(executable_);
  cudaGraphDestroy(graph_);
}

void CudaGraph::launch(cudaStream_t stream) const {
  check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
}

/// A node of all of `added`: after the launches before `next` and what was added last, before the
/// launches from `next` on.
cudaGraphNode_t CudaGraph::add_between(std::size_t next, cudaGraphNode_t last, cudaGraph_t added) {
  std::vector<cudaGraphNode_t> earlier;
  if (next > 0) earlier = nodes_[next - 1];
  if (last != nullptr) earlier.push_back(last);
  cudaGraphNode_t node = nullptr;
  check(cudaGraphAddChildGraphNode(&node, graph_, earlier.data(), earlier.size(), added),
        "cudaGraphAddChildGraphNode");
  if (next < nodes_.size()) add_edges(graph_, node, nodes_[next]);
  return node;
}

void CudaGraph::launch_watched(cudaStream_t stream, LaunchWatch& watch) {
  cudaGraphNode_t last = nullptr;
  for (std::size_t next = 0; next <= nodes_.size(); ++next) {
    const OwnGraph between = captured(stream, [&] {
      if (next > 0) watch.after(static_cast<int>(next) - 1);
      if (next < nodes_.size()) watch.before(static_cast<int>(next));
    });
    last = add_between(next, last, between.get());
  }
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph_, 0),
        "cudaGraphInstantiate, for a graph with copies between its launches");
  const OwnExecutable watched(executable);
  check(cudaGraphLaunch(watched.get(), stream), "cudaGraphLaunch");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

}  // namespace msda
