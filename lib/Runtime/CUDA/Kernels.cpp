//===- Kernels.cpp - Kernels, loaded when they are launched ---------------===//
//
// Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Session.h"
#include "Status.h"

#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace lstm::cuda;

constinit std::atomic<uint64_t> lstm::cuda::releasedModules = 0;

namespace {
/// The state of a module. Libraries of the driver serve all contexts of one capability.
struct LoadedModule {
  struct Image {
    int capability;
    Library library;
  };
  std::vector<Image> images;
  /// Those whose state is to be cleared.
  std::vector<LSTMCudaKernel *> kernels;
};
} // namespace

/// How well code for a target suits a device; 0: not at all.
static int64_t rankTarget(const char *target, int capability) {
  // Of upstream's objects, which do not say; the driver will.
  if (!target)
    return 1;
  bool binary = strncmp(target, "sm_", 3) == 0;
  if (!binary && strncmp(target, "compute_", 8) != 0)
    return 0;
  char *suffix;
  long number = strtol(target + (binary ? 3 : 8), &suffix, 10);
  bool exact = *suffix == 'a', family = *suffix == 'f' || binary;
  if (number > capability || (exact && number != capability) ||
      (family && number / 10 != capability / 10))
    return 0;
  return (binary ? 1000000 : 0) + 10 * number + (*suffix != 0);
}

static const LSTMCudaImage *chooseImage(const LSTMCudaModule *module, int capability) {
  const LSTMCudaImage *best = nullptr;
  int64_t bestRank = 0;
  for (int64_t i = 0; i < module->count; ++i) {
    int64_t rank = rankTarget(module->images[i].target, capability);
    if (rank > bestRank) {
      best = &module->images[i];
      bestRank = rank;
    }
  }
  if (best)
    return best;
  char targets[512] = "";
  size_t size = 0;
  for (int64_t i = 0; i < module->count && size < sizeof targets; ++i)
    size += snprintf(targets + size, sizeof targets - size, "%s%s", i ? ", " : "",
                     module->images[i].target);
  lstmFail(LSTM_NO_KERNEL, "no code for this device of capability %d.%d: there is %s",
           capability / 10, capability % 10, module->count ? targets : "none");
  return nullptr;
}

/// The module as a library of the driver, under the mutex.
static Library loadLibrary(LSTMCudaModule *module, const Device *device) {
  auto *loaded = static_cast<LoadedModule *>(module->state);
  if (loaded)
    for (const LoadedModule::Image &image : loaded->images)
      if (image.capability == device->capability)
        return image.library;
  const LSTMCudaImage *image = chooseImage(module, device->capability);
  Library library = nullptr;
  if (!image || !CU(cuLibraryLoadData, &library, image->data, nullptr, nullptr, 0, nullptr, nullptr,
                    0))
    return nullptr;
  if (!loaded)
    module->state = loaded = new LoadedModule;
  loaded->images.push_back({device->capability, library});
  return library;
}

Resident *lstm::cuda::loadKernel(LSTMCudaKernel *kernel, const Device *device) {
  std::lock_guard<std::mutex> lock(mutex);
  if (Resident *resident = findResident(&kernel->state, device->id))
    return resident;
  Library library = loadLibrary(kernel->module, device);
  Kernel handle = nullptr;
  Function function = nullptr;
  // The function belongs to the current context: nothing is left to be loaded later.
  if (!library || !CU(cuLibraryGetKernel, &handle, library, kernel->name) ||
      !CU(cuKernelGetFunction, &function, handle))
    return nullptr;
  if (!kernel->state)
    static_cast<LoadedModule *>(kernel->module->state)->kernels.push_back(kernel);
  return addResident(&kernel->state, device->id, function);
}

void lstmCudaRelease(LSTMCudaModule *module) {
  std::lock_guard<std::mutex> lock(mutex);
  auto *loaded = static_cast<LoadedModule *>(module->state);
  if (!loaded)
    return;
  module->state = nullptr;
  for (LSTMCudaKernel *kernel : loaded->kernels) {
    auto *resident = static_cast<Resident *>(kernel->state);
    kernel->state = nullptr;
    while (resident) {
      Resident *next = resident->next;
      delete resident;
      resident = next;
    }
  }
  // At the end of the process the driver may be gone, and with it what is to be unloaded.
  for (const LoadedModule::Image &image : loaded->images)
    driver.cuLibraryUnload(image.library);
  delete loaded;
  ++releasedModules;
}

/// More dynamic shared memory than this has to be asked for.
static constexpr int32_t plainSharedBytes = 48 * 1024;
/// So have larger clusters than this.
static constexpr int64_t portableClusterBlocks = 8;

/// What a function has to be allowed, once. Returns the driver's result.
static int allow(Resident *resident, int32_t sharedBytes, int64_t clusterBlocks) {
  auto function = static_cast<Function>(resident->value);
  if (sharedBytes > plainSharedBytes && sharedBytes > resident->sharedBytes.load(std::memory_order_relaxed)) {
    if (int result = driver.cuFuncSetAttribute(function, maxDynamicShared, sharedBytes))
      return result;
    resident->sharedBytes.store(sharedBytes, std::memory_order_relaxed);
  }
  if (clusterBlocks > portableClusterBlocks && !resident->hasLargeClusters.load(std::memory_order_relaxed)) {
    if (int result = driver.cuFuncSetAttribute(function, allowsLargeClusters, 1))
      return result;
    resident->hasLargeClusters.store(true, std::memory_order_relaxed);
  }
  return 0;
}

bool lstm::cuda::launchKernel(const LSTMCudaKernel *kernel, Resident *resident,
                              const LaunchSize &size, Stream stream, void **parameters,
                              void **extra) {
  const int64_t *grid = size.grid, *block = size.block;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return true;
  for (const int64_t *sizes : {grid, block})
    for (int i = 0; i < 3; ++i)
      if (sizes[i] < 0 || sizes[i] > INT_MAX) {
        lstmFail(LSTM_CUDA_ERROR, "kernel '%s': %s #%d of %" PRId64 " is out of range", kernel->name,
                 sizes == grid ? "grid size" : "block size", i, sizes[i]);
        return false;
      }
  auto function = static_cast<Function>(resident->value);
  if (!checkDriver(allow(resident, size.sharedBytes, size.cluster[0] * size.cluster[1] * size.cluster[2]),
                   "cuFuncSetAttribute"))
    return false;
  int result;
  const char *name = "cuLaunchKernel";
  bool isCluster = size.cluster[0] != 0;
  if (!isCluster && !size.together && !size.early) {
    result = driver.cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1],
                                   block[2], size.sharedBytes, stream, parameters, extra);
  } else {
    LaunchAttribute attributes[3] = {};
    unsigned count = 0;
    LaunchAttribute *cluster = isCluster ? &attributes[count++] : nullptr;
    if (cluster)
      cluster->id = attributeCluster;
    if (size.together) {
      attributes[count].id = attributeCooperative;
      attributes[count++].cooperative = 1;
    }
    if (size.early) {
      attributes[count].id = attributeEarly;
      attributes[count++].early = 1;
    }
    LaunchConfig config = {{}, {}, unsigned(size.sharedBytes), stream, attributes, count};
    for (int i = 0; i < 3; ++i) {
      if (cluster)
        cluster->cluster[i] = size.cluster[i];
      config.grid[i] = grid[i];
      config.block[i] = block[i];
    }
    name = "cuLaunchKernelEx";
    result = driver.cuLaunchKernelEx(&config, function, parameters, extra);
  }
  if (result == 0)
    return true;
  char what[256];
  snprintf(what, sizeof what,
           "kernel '%s', grid %" PRId64 " %" PRId64 " %" PRId64 ", block %" PRId64 " %" PRId64
           " %" PRId64 ", %d bytes of shared memory: %s",
           kernel->name, grid[0], grid[1], grid[2], block[0], block[1], block[2], size.sharedBytes,
           name);
  return checkDriver(result, what);
}

/// The kernel on the session's device; null after a failure.
static Resident *getKernel(lstm_cuda_session *session, LSTMCudaKernel *kernel) {
  if (Resident *resident = findResident(&kernel->state, session->device->id))
    return resident;
  return mayPrepare(session, "the code of a kernel") ? loadKernel(kernel, session->device) : nullptr;
}

/// A launch by the session of the call, if there is one.
static void launch(const char *caller, LSTMCudaKernel *kernel, const LaunchSize &size,
                   void **parameters) {
  lstm_cuda_session *session = getSession(caller);
  if (!session || size.grid[0] == 0 || size.grid[1] == 0 || size.grid[2] == 0)
    return;
  Resident *resident = getKernel(session, kernel);
  if (!resident)
    return;
  joinAside(session);
  if (launchKernel(kernel, resident, size, session->call.current, parameters))
    ++session->launches;
}

void lstmCudaLaunch(LSTMCudaKernel *kernel, int64_t gridX, int64_t gridY, int64_t gridZ,
                    int64_t blockX, int64_t blockY, int64_t blockZ, int32_t sharedBytes,
                    void **parameters) {
  launch(__func__, kernel,
         {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, {}, sharedBytes},
         parameters);
}

void lstmCudaLaunchTogether(LSTMCudaKernel *kernel, int64_t gridX, int64_t gridY, int64_t gridZ,
                            int64_t blockX, int64_t blockY, int64_t blockZ, int32_t sharedBytes,
                            void **parameters) {
  launch(__func__, kernel,
         {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, {}, sharedBytes, /*together=*/true},
         parameters);
}

void lstmCudaLaunchClusters(LSTMCudaKernel *kernel, int64_t gridX, int64_t gridY, int64_t gridZ,
                            int64_t blockX, int64_t blockY, int64_t blockZ, int64_t clusterX,
                            int64_t clusterY, int64_t clusterZ, int32_t sharedBytes, void **parameters) {
  launch(__func__, kernel,
         {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, {clusterX, clusterY, clusterZ}, sharedBytes},
         parameters);
}

void lstmCudaLaunchEarly(LSTMCudaKernel *kernel, int64_t gridX, int64_t gridY, int64_t gridZ,
                         int64_t blockX, int64_t blockY, int64_t blockZ, int32_t sharedBytes,
                         void **parameters) {
  constexpr int earlyCapability = 90;
  lstm_cuda_session *session = getSession(__func__);
  bool early = session && session->device->capability >= earlyCapability;
  launch(__func__, kernel,
         {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, {}, sharedBytes, /*together=*/false, early}, parameters);
}

int32_t lstmCudaFits(LSTMCudaKernel *kernel, int64_t threads, int64_t clusterBlocks, int32_t sharedBytes) {
  lstm_cuda_session *session = getSession(__func__);
  Resident *resident = session ? getKernel(session, kernel) : nullptr;
  // Of too much, the driver says so by an error: that is an answer.
  if (!resident || allow(resident, sharedBytes, clusterBlocks))
    return 0;
  auto function = static_cast<Function>(resident->value);
  int count = 0;
  if (clusterBlocks == 0)
    return driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, function, threads, sharedBytes) == 0 && count > 0;
  LaunchAttribute cluster = {attributeCluster, 0, {}};
  cluster.cluster[0] = clusterBlocks;
  cluster.cluster[1] = cluster.cluster[2] = 1;
  LaunchConfig config = {{unsigned(clusterBlocks), 1, 1}, {unsigned(threads), 1, 1}, unsigned(sharedBytes), nullptr,
                         &cluster, 1};
  return driver.cuOccupancyMaxActiveClusters(&count, function, &config) == 0 && count > 0;
}

int64_t lstmCudaGetMultiprocessors(void) {
  lstm_cuda_session *session = getSession(__func__);
  return session ? session->device->multiprocessors : 0;
}
