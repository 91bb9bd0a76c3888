//===- Gemm.cpp - Products by cuBLAS --------------------------------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Status.h"

#include <algorithm>
#include <cinttypes>
#include <climits>

using namespace lstm::cuda;

/// What NVIDIA recommends for Hopper and for the others.
static int64_t getWorkspaceSize(const Device *device) {
  return device->capability >= 90 ? 32 << 20 : 4 << 20;
}

static bool createHandle(BlasHandle *handle) {
  // Without it products of narrow types may be summed up in these.
  return openCublas() && BLAS(cublasCreate, handle) &&
         BLAS(cublasSetMathMode, *handle, mathNoReducedPrecisionReduction);
}

void lstm::cuda::destroyBlas(lstm_cuda_session *session, Lane &lane) {
  BlasHandle handle = lane.blas;
  lane.blas = nullptr;
  if (handle)
    BLAS(cublasDestroy, handle);
  freeBuffer(session, lane.blasWorkspace);
}

/// The handle of the current lane; null after a failure.
static BlasHandle useBlas(lstm_cuda_session *session) {
  Lane &lane = session->lanes[session->call.lane];
  if (!lane.blasWorkspace.data) {
    if (!mayPrepare(session, "cuBLAS"))
      return nullptr;
    if (!lane.blas && !createHandle(&lane.blas)) {
      destroyBlas(session, lane);
      return nullptr;
    }
    if (!growBuffer(session, lane.blasWorkspace, getWorkspaceSize(session->device), "cuBLAS"))
      return nullptr;
  }
  if (!lane.blasIsSet) {
    // A new stream takes the workspace away.
    if (!BLAS(cublasSetStream, lane.blas, lane.stream) ||
        !BLAS(cublasSetWorkspace, lane.blas, lane.blasWorkspace.data, lane.blasWorkspace.bytes))
      return nullptr;
    lane.blasIsSet = true;
  }
  return lane.blas;
}

namespace {
struct Operand {
  const void *data;
  int64_t leading, stride;
  int operation;
};

/// A product as cuBLAS sees it, in column-major order.
struct Product {
  int64_t m, n, k;
  Operand a, b;
  int inputType, outputType, compute;
  double alpha, beta;
  void *c;
  int64_t leading, stride, batch;
};
} // namespace

static bool multiply(BlasHandle handle, const Product &p) {
  float alpha32 = float(p.alpha), beta32 = float(p.beta);
  bool wide = p.compute == computeF64;
  const void *alpha = wide ? static_cast<const void *>(&p.alpha) : &alpha32;
  const void *beta = wide ? static_cast<const void *>(&p.beta) : &beta32;
  if (p.batch == 1)
    return BLAS(cublasGemmEx, handle, p.a.operation, p.b.operation, p.m, p.n, p.k, alpha, p.a.data,
                p.inputType, p.a.leading, p.b.data, p.inputType, p.b.leading, beta, p.c,
                p.outputType, p.leading, p.compute, algorithmDefault);
  return BLAS(cublasGemmStridedBatchedEx, handle, p.a.operation, p.b.operation, p.m, p.n, p.k,
              alpha, p.a.data, p.inputType, p.a.leading, p.a.stride, p.b.data, p.inputType,
              p.b.leading, p.b.stride, beta, p.c, p.outputType, p.leading, p.stride, p.batch,
              p.compute, algorithmDefault);
}

static int getType(int32_t dtype) {
  switch (dtype) {
  case LSTM_F64:
    return typeF64;
  case LSTM_F32:
    return typeF32;
  case LSTM_F16:
    return typeF16;
  case LSTM_BF16:
    return typeBF16;
  default:
    return -1;
  }
}

static int getCompute(int32_t compute) {
  return compute == LSTM_COMPUTE_F64    ? computeF64
         : compute == LSTM_COMPUTE_TF32 ? computeFastTF32
                                        : computeF32;
}

/// The distance of rows; of one row it does not matter, but cuBLAS looks at it.
static int64_t getLeading(int64_t rows, int64_t columns, int64_t leading) {
  return rows <= 1 ? std::max({leading, columns, int64_t(1)}) : std::max(leading, int64_t(1));
}

static bool checkProduct(const Product &p) {
  if (p.inputType < 0 || p.outputType < 0) {
    lstmFail(LSTM_WRONG_DTYPE, "a product of elements that are no floating-point numbers");
    return false;
  }
  for (int64_t size : {p.m, p.n, p.k, p.a.leading, p.b.leading, p.leading, p.batch})
    if (size < 0 || size > INT_MAX) {
      lstmFail(LSTM_WRONG_SHAPE,
               "a product of %" PRId64 " x %" PRId64 " by %" PRId64 " x %" PRId64
               " elements, %" PRId64 " times: %" PRId64 " is out of range for cuBLAS",
               p.n, p.k, p.k, p.m, p.batch, size);
      return false;
    }
  return true;
}

namespace {
/// The handle of a context for products on streams that are given.
struct ContextHandle {
  Context context;
  BlasHandle handle;
};
} // namespace

static bool multiplyOn(Stream stream, const Product &product) {
  static constinit std::mutex handlesMutex;
  static auto *const handles = new std::vector<ContextHandle>;
  Context context = nullptr;
  if (!openDriver() || !CU(cuCtxGetCurrent, &context))
    return false;
  std::lock_guard<std::mutex> lock(handlesMutex);
  auto found = std::find_if(handles->begin(), handles->end(),
                            [&](const ContextHandle &entry) { return entry.context == context; });
  if (found == handles->end()) {
    BlasHandle handle = nullptr;
    if (!createHandle(&handle))
      return false;
    found = handles->insert(handles->end(), {context, handle});
  }
  return BLAS(cublasSetStream, found->handle, stream) && multiply(found->handle, product);
}

void lstmCudaGemm(void *stream, int32_t inputType, int32_t outputType, int32_t compute,
                  int32_t transposeA, int32_t transposeB, int64_t m, int64_t n, int64_t k,
                  double alpha, const void *a, int64_t lda, int64_t strideA, const void *b,
                  int64_t ldb, int64_t strideB, double beta, void *c, int64_t ldc, int64_t strideC,
                  int64_t batch) {
  if (m == 0 || n == 0 || batch == 0)
    return;
  // An array in row-major order is its transpose in column-major order, and the transpose of
  // a product is the product of the transposes in the other order.
  Product product = {
      n,
      m,
      k,
      {b, transposeB ? getLeading(n, k, ldb) : getLeading(k, n, ldb), strideB,
       transposeB ? operationT : operationN},
      {a, transposeA ? getLeading(k, m, lda) : getLeading(m, k, lda), strideA,
       transposeA ? operationT : operationN},
      getType(inputType),
      getType(outputType),
      getCompute(compute),
      alpha,
      beta,
      c,
      getLeading(m, n, ldc),
      strideC,
      batch};
  if (stream) {
    FailureOutsideOfCall outside;
    if (!hasFailed() && checkProduct(product))
      multiplyOn(static_cast<Stream>(stream), product);
    return;
  }
  lstm_cuda_session *session = getSession(__func__);
  if (!session || !checkProduct(product))
    return;
  BlasHandle handle = useBlas(session);
  auto range = [&](const void *data, int32_t type, int64_t rows, int64_t columns, int64_t leading, int64_t stride,
                   bool isWritten) {
    int64_t elements = (batch - 1) * stride + (rows - 1) * leading + columns;
    return MemoryRange::of(data, rows > 0 && columns > 0 ? elements * lstmGetElementSize(type) : 0, isWritten);
  };
  goBeside(session, {range(a, inputType, transposeA ? k : m, transposeA ? m : k, lda, strideA, false),
                     range(b, inputType, transposeB ? n : k, transposeB ? k : n, ldb, strideB, false),
                     range(c, outputType, m, n, ldc, strideC, true)});
  if (handle && multiply(handle, product))
    ++session->products;
}
