# Sets RWA_HAS_ONNX: whether src/export/onnx is built. If not, src/export/no_onnx replaces it.
set(found OFF)
if(RWA_ONNX)
  find_package(Protobuf QUIET)
  find_library(ONNX_PROTO_LIBRARY onnx_proto)  # the messages alone
  find_path(ONNX_INCLUDE_DIR onnx/onnx_pb.h)
  if(Protobuf_FOUND AND ONNX_PROTO_LIBRARY AND ONNX_INCLUDE_DIR)
    set(found ON)
  endif()
endif()
rwa_optional(ONNX "ONNX export" ${found} "protobuf with onnx/onnx_pb.h and libonnx_proto")
