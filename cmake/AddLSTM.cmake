# Helpers for this project's libraries and tools.

# What is installed finds LLVM's shared libraries where they were at build time.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

# A static library that links the MLIR shared library. All of its directory's
# .cpp files belong to it. With clang a precompiled header of MLIR's usual
# headers takes a file from 10 s to 2 s.
function(add_lstm_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "LINK;DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    set(sources ${CMAKE_BINARY_DIR}/empty.cpp)
    file(TOUCH ${sources})
  endif()
  add_library(${name} STATIC ${sources})
  llvm_update_compile_flags(${name})
  add_dependencies(${name} LSTMTableGen ${ARG_DEPENDS})
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT ARG_NO_PCH)
    if(name STREQUAL "LSTMDialect")
      target_precompile_headers(${name} PRIVATE
        <mlir/Dialect/Affine/IR/AffineOps.h> <mlir/Dialect/Arith/IR/Arith.h>
        <mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h>
        <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Math/IR/Math.h>
        <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/SCF/IR/SCF.h>
        <mlir/Dialect/Tensor/IR/Tensor.h> <mlir/Dialect/Vector/IR/VectorOps.h>
        <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Pass/Pass.h>
        <mlir/Transforms/GreedyPatternRewriteDriver.h>)
      # Lets ccache serve the header's users (with CCACHE_SLOPPINESS, see CMakePresets.json).
      target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    else()
      target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
      target_precompile_headers(${name} REUSE_FROM LSTMDialect)
    endif()
  endif()
  set_property(GLOBAL APPEND PROPERTY LSTM_LIBRARIES ${name})
endfunction()

# A tool in build/bin.
function(add_lstm_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_llvm_executable(${name} ${sources} DISABLE_LLVM_LINK_LLVM_DYLIB)
  llvm_update_compile_flags(${name})
  add_dependencies(${name} LSTMTableGen)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()
