# Sets RWA_HAS_NCCL: whether src/backend/cuda/nccl is built, else src/backend/cuda/no_nccl stands in its place. The
# header is all it needs: the library is loaded when it is asked for.
set(RWA_HAS_NCCL OFF)
if(RWA_HAS_CUDA AND RWA_HAS_MPI)
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  if(NCCL_INCLUDE_DIR)
    set(RWA_HAS_NCCL ON)
  endif()
endif()
