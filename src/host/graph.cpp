// graph.cpp -- runs the operations that a thread has captured.
#include "host/runtime.h"

namespace cuarray::host {

void HostGraph::launch(Stream& stream) {
    if (stream.device() != Device{})
        raise(ErrorKind::Value, "launch: a graph of cpu cannot run on a stream of ", to_string(stream.device()));
    refuse_in_capture("launch");
    for (const auto& operation : operations_) operation();
}

}  // namespace cuarray::host
