#include "backend/cuda/training.h"

namespace rwa::cuda {
namespace {

using Graph = std::unique_ptr<CUgraph_st, decltype(&cudaGraphDestroy)>;

Graph end_capture(cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  const cudaError_t result = cudaStreamEndCapture(stream, &graph);
  Graph owned(graph, &cudaGraphDestroy);
  check(result, "cudaStreamEndCapture");
  return owned;
}

// Thread-local capture: other threads have their own streams and may work meanwhile.
Graph capture(cudaStream_t stream, const std::function<void()>& work) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  try {
    work();
  } catch (...) {
    cudaGraph_t unfinished = nullptr;
    (void)cudaStreamEndCapture(stream, &unfinished);
    const Graph dropped(unfinished, &cudaGraphDestroy);
    (void)cudaGetLastError();
    throw;
  }
  return end_capture(stream);
}

// Holds no graph at first: its existence marks that the work has run once.
class GraphRecording final : public Recording {
 public:
  explicit GraphRecording(cudaStream_t stream) : stream_(stream) {}
  ~GraphRecording() override {
    if (executable_ == nullptr) return;
    (void)cudaStreamSynchronize(stream_);  // the graph may be running
    (void)cudaGraphExecDestroy(executable_);
  }
  GraphRecording(const GraphRecording&) = delete;
  GraphRecording& operator=(const GraphRecording&) = delete;

  void run(const std::function<void()>& work) {
    if (executable_ == nullptr) {
      const Graph graph = capture(stream_, work);
      check(cudaGraphInstantiate(&executable_, graph.get(), 0), "cudaGraphInstantiate");
    }
    check(cudaGraphLaunch(executable_, stream_), "cudaGraphLaunch");
  }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace

void repeat(const Context& context, std::unique_ptr<Recording>& recording,
            const std::function<void()>& work) {
  if (recording == nullptr) {
    work();
    recording = std::make_unique<GraphRecording>(context.stream);
  } else {
    static_cast<GraphRecording&>(*recording).run(work);
  }
}

}  // namespace rwa::cuda
