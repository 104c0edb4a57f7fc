# Sets RWA_HAS_MPI: whether src/comm/mpi is built, else src/comm/no_mpi stands in its place.
set(RWA_HAS_MPI OFF)
if(NOT RWA_MPI)
  return()
endif()
set(MPI_CXX_SKIP_MPICXX ON)  # MPI's C functions are all we call
find_package(MPI QUIET COMPONENTS CXX)
if(MPI_CXX_FOUND)
  set(RWA_HAS_MPI ON)
elseif(RWA_MPI STREQUAL ON)
  message(FATAL_ERROR "RWA_MPI is ON, but MPI is not found")
endif()
