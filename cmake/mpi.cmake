# Sets RWA_HAS_MPI: whether src/comm/mpi is built. If not, src/comm/no_mpi replaces it.
set(RWA_HAS_MPI OFF)
if(NOT RWA_MPI)
  return()
endif()
set(MPI_CXX_SKIP_MPICXX ON)  # rwa calls only MPI's C functions
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  set(RWA_HAS_MPI ON)
elseif(RWA_MPI STREQUAL ON)
  message(FATAL_ERROR "RWA_MPI is ON, but CMake found no MPI")
endif()
