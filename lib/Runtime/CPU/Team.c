/*===- Team.c - A team of threads -----------------------------------------===*\
|*
|* Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
|* Exceptions. See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif

#include "Call.h"

#include "lstm-runtime/cpu.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
  MAX_THREADS = 1024,
  /* Rounds of the barrier: 2 to this power is MAX_THREADS. */
  MAX_ROUNDS = 10,
  CACHE_LINE = 64,
  /* How often to look before giving the CPU away: about 20 us. */
  PATIENCE = 1000,
  /* Where threads outnumber CPUs, the one waited for may need this CPU. */
  PATIENCE_WHEN_CROWDED = 16,
  IDLE_SPIN_NANOSECONDS = 100 * 1000,
};

/* What a thread waits for in the barrier. */
struct Slot {
  /* The number of barriers that this thread has come to. */
  _Alignas(CACHE_LINE) unsigned epoch;
  /* The same of those that report to it, one a round. */
  atomic_uint arrived[MAX_ROUNDS];
};

static struct {
  /* Held from the launch of a body to its end. */
  _Alignas(CACHE_LINE) atomic_bool busy;

  /* All of these are written by the holder of `busy` alone. */
  int64_t wanted; /* what the team was made for; 0: there is none */
  int64_t count;  /* what it has, the caller included */
  bool crowded;   /* whether threads outnumber CPUs */
  void (*body)(void *context, int64_t thread, int64_t count); /* null: end */
  void *context;
  pthread_t workers[MAX_THREADS];

  /* The number of bodies launched so far: what the workers wait for. */
  _Alignas(CACHE_LINE) atomic_uint launches;
  /* The number of workers that are in the body. */
  _Alignas(CACHE_LINE) atomic_int_fast64_t running;

  pthread_mutex_t mutex;
  pthread_cond_t launched;
  atomic_int_fast64_t sleepers;

  struct Slot slots[MAX_THREADS];
} team = {.mutex = PTHREAD_MUTEX_INITIALIZER, .launched = PTHREAD_COND_INITIALIZER};

/* What the user asked for; 0: the default. */
static atomic_int_fast64_t requested;
_Thread_local bool lstmInBody;

/*===----------------------------------------------------------------------===*\
|* The number of threads
\*===----------------------------------------------------------------------===*/

static int64_t countCPUs(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set);
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? online : 1;
}

/* The first number of an environment variable (OpenMP's may be a list), or 0. */
static int64_t readCount(const char *variable) {
  const char *text = getenv(variable);
  if (!text)
    return 0;
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  return errno == 0 && end != text && (*end == 0 || *end == ',') && value > 0 ? value : 0;
}

static int64_t clampCount(int64_t count) { return count < MAX_THREADS ? count : MAX_THREADS; }

static int64_t defaultCount;
static pthread_once_t defaultCountOnce = PTHREAD_ONCE_INIT;
static void findDefaultCount(void) {
  int64_t count = readCount("LSTM_NUM_THREADS");
  if (!count)
    count = readCount("OMP_NUM_THREADS");
  defaultCount = clampCount(count ? count : countCPUs());
}

void lstmSetThreadCount(int64_t count) {
  atomic_store_explicit(&requested, count > 0 ? clampCount(count) : 0, memory_order_relaxed);
}

int64_t lstmGetThreadCount(void) {
  int64_t count = atomic_load_explicit(&requested, memory_order_relaxed);
  if (count)
    return count;
  pthread_once(&defaultCountOnce, findDefaultCount);
  return defaultCount;
}

/*===----------------------------------------------------------------------===*\
|* Waiting
\*===----------------------------------------------------------------------===*/

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  /* `yield` does nothing on most cores; this waits some cycles. */
  __asm__ volatile("isb" ::: "memory");
#else
  __asm__ volatile("" ::: "memory");
#endif
}

/* One look at what another thread is to write; `looks` counts from 0. */
static void waitABit(unsigned *looks) {
  if (++*looks < (team.crowded ? PATIENCE_WHEN_CROWDED : PATIENCE))
    relax();
  else
    sched_yield();
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Whether there was a launch after `seen` within the time to spin. */
static bool spinForLaunch(unsigned seen) {
  if (team.crowded)
    return false;
  int64_t end = now() + IDLE_SPIN_NANOSECONDS;
  do {
    for (int i = 0; i < 32; ++i) {
      if (atomic_load_explicit(&team.launches, memory_order_acquire) != seen)
        return true;
      relax();
    }
  } while (now() < end);
  return false;
}

static void waitForLaunch(unsigned seen) {
  if (spinForLaunch(seen))
    return;
  pthread_mutex_lock(&team.mutex);
  /* Sequentially consistent here and in `launch`: either this thread sees the
     launch, or the launching one sees the sleeper. */
  atomic_fetch_add(&team.sleepers, 1);
  while (atomic_load(&team.launches) == seen)
    pthread_cond_wait(&team.launched, &team.mutex);
  atomic_fetch_sub(&team.sleepers, 1);
  pthread_mutex_unlock(&team.mutex);
}

/*===----------------------------------------------------------------------===*\
|* The team
\*===----------------------------------------------------------------------===*/

static void launch(void (*body)(void *, int64_t, int64_t), void *context) {
  team.body = body;
  team.context = context;
  atomic_store_explicit(&team.running, team.count - 1, memory_order_relaxed);
  atomic_fetch_add(&team.launches, 1);
  if (atomic_load(&team.sleepers) == 0)
    return;
  pthread_mutex_lock(&team.mutex);
  pthread_cond_broadcast(&team.launched);
  pthread_mutex_unlock(&team.mutex);
}

static void *work(void *thread) {
  lstmInBody = true;
  /* A team is made before its first launch. */
  for (unsigned seen = 0;; ++seen) {
    waitForLaunch(seen);
    if (!team.body)
      return NULL;
    team.body(team.context, (intptr_t)thread, team.count);
    atomic_fetch_sub_explicit(&team.running, 1, memory_order_release);
  }
}

static void endTeam(void) {
  if (team.count > 1) {
    launch(NULL, NULL);
    for (int64_t i = 1; i < team.count; ++i)
      pthread_join(team.workers[i], NULL);
  }
  team.wanted = team.count = 0;
}

/* In a forked process there is one thread; what the others held is free again. */
static void forgetTeam(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t launched = PTHREAD_COND_INITIALIZER;
  team.mutex = mutex;
  team.launched = launched;
  team.wanted = team.count = 0;
  atomic_store(&team.sleepers, 0);
  atomic_store(&team.running, 0);
  atomic_store(&team.busy, false);
}

static pthread_once_t atForkOnce = PTHREAD_ONCE_INIT;
static void registerAtFork(void) { pthread_atfork(NULL, NULL, forgetTeam); }

static void makeTeam(int64_t wanted) {
  pthread_once(&atForkOnce, registerAtFork);
  endTeam();
  team.wanted = wanted;
  team.crowded = wanted > countCPUs();
  atomic_store(&team.launches, 0);
  for (int64_t i = 0; i < wanted; ++i) {
    team.slots[i].epoch = 0;
    for (int round = 0; round < MAX_ROUNDS; ++round)
      atomic_store_explicit(&team.slots[i].arrived[round], 0, memory_order_relaxed);
  }
  /* Signals are for the program's own threads. */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  team.count = 1;
  while (team.count < wanted && pthread_create(&team.workers[team.count], NULL, work,
                                               (void *)(intptr_t)team.count) == 0)
    ++team.count;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Where the library is unloaded, its code must not run any more. */
__attribute__((destructor)) static void unload(void) {
  if (atomic_exchange_explicit(&team.busy, true, memory_order_acquire))
    return;
  endTeam();
  atomic_store_explicit(&team.busy, false, memory_order_release);
}

void lstmParallel(void (*body)(void *context, int64_t thread, int64_t count), void *context) {
  bool outer = lstmInBody;
  int64_t wanted = lstmGetThreadCount();
  if (outer || wanted == 1 ||
      atomic_exchange_explicit(&team.busy, true, memory_order_acquire)) {
    lstmInBody = true;
    body(context, 0, 1);
    lstmInBody = outer;
    return;
  }
  if (team.wanted != wanted)
    makeTeam(wanted);
  lstmInBody = true;
  /* A failure must not leave the others behind. */
  struct LSTMHandler *handler = lstmHandler;
  lstmHandler = NULL;
  launch(body, context);
  body(context, 0, team.count);
  for (unsigned looks = 0; atomic_load_explicit(&team.running, memory_order_acquire) != 0;)
    waitABit(&looks);
  lstmHandler = handler;
  lstmInBody = false;
  atomic_store_explicit(&team.busy, false, memory_order_release);
}

/* A dissemination barrier: in round r each thread reports to the one 2^r further
   on and waits for the one 2^r before. With two threads that is the way of one
   cache line. */
void lstmBarrier(int64_t thread, int64_t count) {
  if (count == 1)
    return;
  struct Slot *slot = &team.slots[thread];
  unsigned epoch = ++slot->epoch;
  for (int64_t distance = 1, round = 0; distance < count; distance *= 2, ++round) {
    int64_t to = thread + distance < count ? thread + distance : thread + distance - count;
    atomic_store_explicit(&team.slots[to].arrived[round], epoch, memory_order_release);
    /* It may be one barrier ahead. */
    unsigned looks = 0;
    while ((int)(atomic_load_explicit(&slot->arrived[round], memory_order_acquire) - epoch) < 0)
      waitABit(&looks);
  }
}
