// src/backend/cuda/nccl/library.h: NCCL's functions. The library is loaded on first use: it is
// large, and only jobs on several GPUs need it.
#pragma once

#include <nccl.h>

namespace rwa::cuda::nccl {

struct Library {
  decltype(&ncclGetUniqueId) get_unique_id;
  decltype(&ncclCommInitRankConfig) init;
  decltype(&ncclCommGetAsyncError) get_state;
  decltype(&ncclCommFinalize) finalize;
  decltype(&ncclCommDestroy) destroy;
  decltype(&ncclCommAbort) abort;
  decltype(&ncclGroupStart) start_group;
  decltype(&ncclGroupEnd) end_group;
  decltype(&ncclAllReduce) all_reduce;
  decltype(&ncclGetErrorString) error_string;
  decltype(&ncclGetLastError) last_error;
};

// Null if NCCL is missing or too old.
const Library* library();

}  // namespace rwa::cuda::nccl
