/*===- tensor.h - What goes in and out of compiled programs -------*- C -*-===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef LSTM_RUNTIME_TENSOR_H
#define LSTM_RUNTIME_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

/* Elements are as in C; f16 and bf16 are passed as their 16 bits. */
typedef enum lstm_dtype {
  LSTM_F64 = 1,
  LSTM_F32 = 2,
  LSTM_F16 = 3,
  LSTM_BF16 = 4,
  LSTM_I64 = 5,
  LSTM_I32 = 6,
  LSTM_BOOL = 7 /* a byte, 0 or 1 */
} lstm_dtype;

/* What a call returns. */
typedef enum lstm_status {
  LSTM_OK = 0,
  LSTM_NULL_POINTER = 1,
  LSTM_WRONG_DTYPE = 2,
  LSTM_WRONG_RANK = 3,
  LSTM_WRONG_SHAPE = 4,
  LSTM_CHECK_FAILED = 5, /* the program refuses these values, as a length of more than the steps */
  LSTM_OUT_OF_MEMORY = 6,
  /* Of programs for GPUs. */
  LSTM_NO_DRIVER = 7,    /* no CUDA driver, or no device */
  LSTM_NO_CUBLAS = 8,    /* cuBLAS cannot be opened */
  LSTM_CUDA_ERROR = 9,   /* a call of the driver failed */
  LSTM_CUBLAS_ERROR = 10, /* a call of cuBLAS failed */
  LSTM_NO_KERNEL = 11,   /* the program has no code for this device */
  LSTM_IN_CAPTURE = 12   /* what it needs is not possible while the stream is captured */
} lstm_status;

enum { LSTM_MAX_RANK = 8 };

typedef struct lstm_tensor {
  /* The first element. A result whose data is null gets memory of its own. */
  void *data;
  int64_t rank;
  int32_t dtype;
  int64_t shape[LSTM_MAX_RANK];
  /* In elements. */
  int64_t strides[LSTM_MAX_RANK];
  /* What is to be freed, where the callee allocated; else null. */
  void *owner;
} lstm_tensor;

/* Describes an array in row-major order. With null data it is the place for a
   result, whose shape then does not matter. */
static inline lstm_tensor lstm_make_tensor(const void *data, lstm_dtype dtype, int64_t rank,
                                           const int64_t *shape) {
  lstm_tensor tensor;
  int64_t stride = 1;
  tensor.data = (void *)(uintptr_t)data;
  tensor.rank = rank;
  tensor.dtype = dtype;
  for (int64_t i = LSTM_MAX_RANK - 1; i >= 0; --i) {
    bool used = shape && i < rank;
    tensor.shape[i] = used ? shape[i] : 0;
    tensor.strides[i] = used ? stride : 0;
    stride *= used ? shape[i] : 1;
  }
  tensor.owner = 0;
  return tensor;
}

#endif /* LSTM_RUNTIME_TENSOR_H */
