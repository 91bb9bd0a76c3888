/*===- aside.c - Test of copies and fills beside products -------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/*
RUN: %build_with_fake
RUN: %with_fake %t
*/

#include "testing.h"

/* What a call does before its kernel, a letter each: c copies x to the workspace, m multiplies x, w multiplies what was
   copied, r copies what was multiplied, f fills, b changes the branch and comes back, e records an event, v waits for it. */
static const char *steps;

static void multiply(const float *x, char *to) {
  lstmCudaGemm(0, LSTM_F32, LSTM_F32, LSTM_COMPUTE_F32, 0, 0, 1, 1, WIDTH, 1, x, WIDTH, 0, offsets, 1, 0, 0, to, 1, 0, 1);
}

static void work(void **values) {
  const int64_t *x = values[0];
  float s = *(float *)values[1];
  int64_t rows = x[3], shape[] = {rows, x[4]};
  const float *data = (float *)(intptr_t)x[1];
  char *workspace = lstmCudaGetWorkspace(1024);
  float *y = lstmCudaGetResult(0, shape);
  if (!lstmCudaEnter(1))
    return;
  for (const char *step = steps; *step; ++step) {
    if (*step == 'c')
      lstmCudaCopy(workspace, data, WIDTH * 4);
    if (*step == 'm')
      multiply(data, workspace + 256);
    if (*step == 'w')
      multiply((float *)workspace, workspace + 256);
    if (*step == 'r')
      lstmCudaCopy(workspace + 768, workspace + 256, 4);
    if (*step == 'f')
      lstmCudaFill(workspace + 512, 7, 8);
    if (*step == 'b') {
      lstmCudaSetBranch(1);
      lstmCudaJoin();
    }
    if (*step == 'e')
      lstmCudaRecord(0);
    if (*step == 'v')
      lstmCudaWaitFor(0);
  }
  launchScale(data, y, s, rows);
}

static const struct {
  const char *name;
  char letter;
} functions[] = {{"cuEventRecord", '<'},     {"cuStreamWaitEvent", '>'}, {"cuMemcpyAsync", 'c'},
                 {"cuMemsetD32Async", 'f'}, {"cublasGemmEx", 'm'},      {"cuLaunchKernel", 'k'}};

/* A letter for each call of the driver, as above; a wait, of one lane for another, is <>, a kernel k. */
static void expectAll(const char *given, bool isGraph, const char *wanted) {
  static char buffer[256];
  lstm_cuda_session *session = makeSession();
  lstm_tensor x = makeArgument(session, 4), y = makePlace(session, 4);
  float s = 2;
  int64_t variant = 0;
  void *values[] = {&x, &s, &variant, &y};
  steps = given;
  for (int i = 0; i <= isGraph; ++i) {
    fakeResetCounts();
    EXPECT_GOOD(session, lstmCudaInvoke(session, 0, signature, names, work, values));
  }
  size_t count = 0;
  const char *name;
  for (int i = 0; (name = fakeGetLogged(i)); ++i)
    for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f)
      if (strcmp(name, functions[f].name) == 0 && count + 1 < sizeof buffer)
        buffer[count++] = functions[f].letter;
  buffer[count] = 0;
  /* Events of the call itself stand behind its kernel. */
  char *end = strchr(buffer, 'k');
  if (end)
    end[1] = 0;
  if (strcmp(buffer, wanted) != 0) {
    fprintf(stderr, "%s: got %s, expected %s\n", given, buffer, wanted);
    exit(1);
  }
  EXPECT_RESULT(&y, 2);
  lstm_cuda_destroy(session);
}

int main(void) {
  /* In a graph copies and fills stand beside a product, and the kernel behind all. */
  expectAll("cfm", true, "<>cfm<>k");
  expectAll("cmf", true, "<>cmf<>k");
  /* A product of what was copied waits; what is done behind it starts anew. */
  expectAll("cw", true, "<>c<>mk");
  expectAll("cwf", true, "<>c<>m<>f<>k");
  /* So does a copy of a product's result, which began beside it. */
  expectAll("fmr", true, "<>fm<>c<>k");
  /* Branches and events come behind all. */
  expectAll("cbm", true, "<>c<><><>mk");
  expectAll("ce", true, "<>c<><k");
  expectAll("ecvf", true, "<<>c<><>f<>k");
  /* Nothing to wait for; and so many that nobody remembers what they access. */
  expectAll("m", true, "mk");
  expectAll("fffffffffffffffff", true, "<>ffffffffffffffff<>fk");
  /* A call that is no graph does one after the other; the first one takes the constant to the device. */
  expectAll("cmf", false, "cmfck");
  return 0;
}
