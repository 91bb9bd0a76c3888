/*===- cuda.c - Calling a program for GPUs ----------------------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* On the fake driver, where kernels do nothing: what the host does.
|*
\*===----------------------------------------------------------------------===*/

/*
UNSUPPORTED: sanitizer
RUN: rm -rf %t && mkdir %t
RUN: lstm-compile %S/Inputs/tiny.mlir --target=cuda --gpu-format=ptx -o %t/libtiny.so --header %t/tiny.h
RUN: lstm-compile %S/Inputs/tiny.mlir --target=cuda --gpu-format=ptx --strategy=library --graph=false -o %t/libplain.so --prefix=tiny
RUN: %c_compiler -std=gnu11 -O1 -pthread -shared -fPIC -I%lstm_src/test/Runtime/CUDA %lstm_src/test/Runtime/CUDA/fake_driver.c -o %t/fake.so
RUN: %c_compiler -std=c11 -Wall -Wextra -Wpedantic -Werror -I%t %s %t/libtiny.so %lstm_lib_dir/liblstm_cuda_runtime.so \
RUN:   -pthread -Wl,-rpath,%t -Wl,-rpath,%lstm_lib_dir -o %t/graph
RUN: %c_compiler -std=c11 -Wall -Wextra -Wpedantic -Werror -I%t %s %t/libplain.so %lstm_lib_dir/liblstm_cuda_runtime.so \
RUN:   -pthread -Wl,-rpath,%t -Wl,-rpath,%lstm_lib_dir -o %t/plain
RUN: env LSTM_LIBCUDA=%t/fake.so LSTM_LIBCUBLAS=%t/fake.so %t/graph | FileCheck %s --check-prefix=GRAPH --match-full-lines
RUN: env LSTM_LIBCUDA=%t/fake.so LSTM_LIBCUBLAS=%t/fake.so %t/plain steps | FileCheck %s --check-prefix=PLAIN --match-full-lines
RUN: env LSTM_LIBCUDA=%t/none.so %t/graph | FileCheck %s --check-prefix=DRIVER

The library needs the runtime, which it finds beside it, and nothing of LLVM or CUDA.
RUN: llvm-readelf -d %t/libtiny.so | FileCheck %s --check-prefix=NEEDED
NEEDED-NOT: (NEEDED) {{.*}}{{LLVM|MLIR|libcu|stdc\+\+}}
NEEDED: (NEEDED) {{.*}}[liblstm_cuda_runtime.so]
NEEDED-NOT: (NEEDED) {{.*}}{{LLVM|MLIR|libcu|stdc\+\+}}
RUN: llvm-nm -D --defined-only %t/libtiny.so | FileCheck %s --check-prefix=SYMBOLS --implicit-check-not={{.}}
SYMBOLS: {{^[0-9a-f]+}} V lstm_program{{$}}
SYMBOLS-NEXT: {{^[0-9a-f]+}} T tiny_main{{$}}
SYMBOLS-NEXT: {{^[0-9a-f]+}} T tiny_prefix{{$}}

The header alone, in C and in C++.
RUN: FileCheck %s --check-prefix=HEADER --input-file %t/tiny.h
RUN: echo '#include "tiny.h"' > %t/alone.c && cp %t/alone.c %t/alone.cpp
RUN: %c_compiler -std=c11 -Wall -Wextra -Werror -pedantic -fsyntax-only -I%t %t/alone.c
RUN: %cxx_compiler -std=c++20 -Wall -Wextra -Werror -pedantic -fsyntax-only -I%t %t/alone.cpp
HEADER: xs: f32 a x b x 2
HEADER: steps: i64, a scalar
HEADER: int32_t tiny_main(lstm_cuda_session *session,
HEADER-NEXT: void *stream,
HEADER-NEXT: const lstm_tensor *xs,
HEADER: lstm_tensor *hT,
HEADER-NEXT: int64_t *steps);
HEADER-NOT: tiny_free

GRAPH: 9 steps, 1 plain, 1 graphs, 1 captures, 1 replays
GRAPH: 4 elements
PLAIN: 9 steps, 3 plain, 0 graphs, 0 captures, 0 replays
PLAIN: 4 elements
PLAIN: 1000000 steps of 1 kernels and 2 products
DRIVER: status 7: {{.*}}none.so
*/

#include "tiny.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lstm_cuda_session *session;

static void check(int32_t status) {
  if (status == LSTM_OK)
    return;
  printf("status %d: %s\n", (int)status, lstm_cuda_last_error(session));
  exit(0);
}

static float *allocate(int64_t count) {
  void *data;
  check(lstm_cuda_allocate(session, count * 4, &data));
  return data;
}

static lstm_tensor x, h, w;
static int64_t runSteps(int64_t steps) {
  x.shape[0] = steps;
  int64_t result = -1;
  check(tiny_main(session, NULL, &x, &h, &w, &w, &h, &result));
  check(lstm_cuda_wait(session, NULL));
  return result;
}
static int64_t get(const char *counter) { return lstm_cuda_get(session, counter); }

static void testGraph(void) {
  for (int i = 0; i < 3; ++i)
    if (runSteps(9) != 9)
      printf("wrong scalar\n");
  printf("9 steps, %d plain, %d graphs, %d captures, %d replays\n", (int)get("plain"),
         (int)get("graphs"), (int)get("captures"), (int)get("replays"));
}

/* The size of a result that the device says. */
static void testPrefix(void) {
  int64_t *size = (int64_t *)(void *)allocate(2), shape[1] = {0};
  *size = 4;
  lstm_tensor n = lstm_make_tensor(size, LSTM_I64, 0, shape), r = {0};
  check(tiny_prefix(session, NULL, &n, &r));
  printf("%d elements\n", (int)r.shape[0]);
  check(lstm_cuda_free_tensor(session, &r));
}

/* Memory that is taken in the loop would not fit in this thread's stack. */
static void *testManySteps(void *unused) {
  (void)unused;
  int64_t launches[3], products[3], steps[3] = {10, 11, 1000000};
  for (int i = 0; i < 3; ++i) {
    launches[i] = -get("launches");
    products[i] = -get("products");
    if (runSteps(steps[i]) != steps[i])
      printf("wrong scalar\n");
    launches[i] += get("launches");
    products[i] += get("products");
  }
  int64_t launchesOfStep = launches[1] - launches[0], productsOfStep = products[1] - products[0];
  if (launches[2] - launches[0] == launchesOfStep * (steps[2] - steps[0]) &&
      products[2] - products[0] == productsOfStep * (steps[2] - steps[0]))
    printf("1000000 steps of %d kernels and %d products\n", (int)launchesOfStep, (int)productsOfStep);
  else
    printf("launches %d %d %d, products %d %d %d\n", (int)launches[0], (int)launches[1], (int)launches[2],
           (int)products[0], (int)products[1], (int)products[2]);
  return NULL;
}

int main(int argc, char **argv) {
  (void)argv;
  check(lstm_cuda_create(&session));
  int64_t shape[] = {1000000, 1, 2};
  x = lstm_make_tensor(allocate(2000000), LSTM_F32, 3, shape);
  h = lstm_make_tensor(allocate(2), LSTM_F32, 2, shape + 1);
  int64_t square[] = {2, 2};
  w = lstm_make_tensor(allocate(4), LSTM_F32, 2, square);
  testGraph();
  testPrefix();
  if (argc > 1) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    if (pthread_create(&thread, &attributes, testManySteps, NULL) != 0)
      return 1;
    pthread_join(thread, NULL);
  }
  lstm_cuda_destroy(session);
  return 0;
}
