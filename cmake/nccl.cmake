# Sets RWA_HAS_NCCL: whether src/backend/cuda/nccl is built. If not, src/backend/cuda/no_nccl replaces
# it. The build needs only the header: the library is loaded at run time, on first use.
set(RWA_HAS_NCCL OFF)
if(RWA_HAS_CUDA AND RWA_HAS_MPI)
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  if(NCCL_INCLUDE_DIR)
    set(RWA_HAS_NCCL ON)
    rwa_note("sums of GPUs by NCCL" "")
  else()
    rwa_note("sums of GPUs by NCCL" "CMake found no nccl.h")
  endif()
endif()
