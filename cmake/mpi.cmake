# Sets RWA_HAS_MPI: whether src/comm/mpi is built. If not, src/comm/no_mpi replaces it.
if(RWA_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)  # rwa calls only MPI's C functions
  find_package(MPI QUIET COMPONENTS CXX)
endif()
rwa_optional(MPI "training on several machines" "${MPI_CXX_FOUND}" "MPI")
