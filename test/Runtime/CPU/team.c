/*===- team.c - Test of the team of threads --------------------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

/*
It stands on its own: any C11 compiler will do.
RUN: %c_compiler -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -pthread -I%lstm_src/include \
RUN:   -I%lstm_src/lib/Runtime/Common %lstm_src/lib/Runtime/CPU/Team.c \
RUN:   %lstm_src/lib/Runtime/CPU/Error.c %s -o %t
RUN: %t
RUN: env LSTM_NUM_THREADS=3 OMP_NUM_THREADS=5 %t 3
RUN: env LSTM_NUM_THREADS=none OMP_NUM_THREADS=5,2 %t 5
*/

#include "lstm-runtime/cpu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX = 8, BARRIERS = 50 };

static void expect(const char *what, int64_t got, int64_t wanted) {
  if (got == wanted)
    return;
  fprintf(stderr, "%s: got %lld, expected %lld\n", what, (long long)got, (long long)wanted);
  exit(1);
}
#define EXPECT(got, wanted) expect(#got, (got), (wanted))

/* Every thread once. */
struct Visit {
  atomic_int visits[MAX];
  int64_t count;
};
static void visit(void *context, int64_t thread, int64_t count) {
  struct Visit *all = context;
  atomic_fetch_add(&all->visits[thread], 1);
  if (thread == 0)
    all->count = count;
}
static void testVisits(int64_t threads, int launches) {
  struct Visit all = {0};
  for (int i = 0; i < launches; ++i)
    lstmParallel(visit, &all);
  EXPECT(all.count, threads);
  for (int64_t i = 0; i < MAX; ++i)
    EXPECT(atomic_load(&all.visits[i]), i < threads ? launches : 0);
}

/* What a thread wrote before a barrier, with no atomics, all read after it. */
struct Steps {
  int64_t values[MAX];
};
static void step(void *context, int64_t thread, int64_t count) {
  struct Steps *steps = context;
  for (int64_t i = 1; i <= BARRIERS; ++i) {
    steps->values[thread] += i;
    lstmBarrier(thread, count);
    for (int64_t j = 0; j < count; ++j)
      EXPECT(steps->values[j], i * (i + 1) / 2);
    lstmBarrier(thread, count);
  }
}
static void testBarrier(void) {
  for (int i = 0; i < 20; ++i) {
    struct Steps steps = {{0}};
    lstmParallel(step, &steps);
  }
}

/* A body in a body has one thread. */
static void testInner(void *context, int64_t thread, int64_t count) {
  (void)context;
  (void)thread;
  EXPECT(count, 1);
  lstmBarrier(0, count);
}
static void outer(void *context, int64_t thread, int64_t count) {
  lstmBarrier(thread, count);
  lstmParallel(testInner, context);
  lstmBarrier(thread, count);
  visit(context, thread, count);
}
static void testNested(int64_t threads) {
  struct Visit all = {0};
  lstmParallel(outer, &all);
  for (int64_t i = 0; i < MAX; ++i)
    EXPECT(atomic_load(&all.visits[i]), i < threads);
}

/* Two users at once: one of them has the team, the other one thread. */
static void *use(void *unused) {
  (void)unused;
  for (int i = 0; i < 100; ++i) {
    struct Visit all = {0};
    lstmParallel(visit, &all);
    for (int64_t j = 0; j < MAX; ++j)
      EXPECT(atomic_load(&all.visits[j]), j < all.count);
    struct Steps steps = {{0}};
    if (i % 10 == 0)
      lstmParallel(step, &steps);
  }
  return NULL;
}
static void testTwoUsers(void) {
  pthread_t other;
  EXPECT(pthread_create(&other, NULL, use, NULL), 0);
  use(NULL);
  pthread_join(other, NULL);
}

/* A forked process makes its own team, and ends as any other does. */
static void testFork(int64_t threads) {
  pid_t child = fork();
  if (child == 0) {
    testVisits(threads, 100);
    testBarrier();
    exit(0);
  }
  int status = -1;
  EXPECT(waitpid(child, &status, 0), child);
  EXPECT(status, 0);
  testVisits(threads, 10);
}

/* Workers that have gone to sleep wake up. */
static void testSleep(int64_t threads) {
  struct timespec pause = {0, 2000000};
  for (int i = 0; i < 5; ++i) {
    nanosleep(&pause, NULL);
    testVisits(threads, 1);
  }
}

/* `team m` prints the least microseconds of a launch and of a barrier. */
static void measured(void *context, int64_t thread, int64_t count) {
  for (int64_t i = 0; i < *(int64_t *)context; ++i)
    lstmBarrier(thread, count);
}
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}
static double least(double a, double b) { return a < b ? a : b; }
static void measure(int64_t threads) {
  int64_t none = 0, some = 1000;
  double launch = 1e9, barrier = 1e9;
  for (int i = 0; i < 200; ++i) {
    double start = now();
    for (int j = 0; j < 10; ++j)
      lstmParallel(measured, &none);
    double launched = now();
    lstmParallel(measured, &some);
    launch = least(launch, (launched - start) / 10);
    barrier = least(barrier, (now() - launched) / some);
  }
  printf("%d threads: launch %.3f us, barrier %.3f us\n", (int)threads, launch, barrier);
}

int main(int argc, char **argv) {
  bool measuring = argc > 1 && argv[1][0] == 'm';
  if (argc > 1 && !measuring) {
    EXPECT(lstmGetThreadCount(), atoi(argv[1]));
    testVisits(atoi(argv[1]), 10);
    return 0;
  }
  int64_t byDefault = lstmGetThreadCount();
  EXPECT(byDefault >= 1, 1);
  for (int64_t threads = 1; threads <= MAX; ++threads) {
    lstmSetThreadCount(threads);
    EXPECT(lstmGetThreadCount(), threads);
    if (measuring) {
      measure(threads);
      continue;
    }
    testVisits(threads, 1000);
    testBarrier();
    testNested(threads);
    testSleep(threads);
    testTwoUsers();
    testFork(threads);
  }
  lstmSetThreadCount(0);
  EXPECT(lstmGetThreadCount(), byDefault);
  return 0;
}
