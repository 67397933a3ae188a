// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that receives NVTX ranges as NVIDIA's profilers do, and prints them. NVTX loads it if
// NVTX_INJECTION64_PATH names it, and calls InitializeInjectionNvtx2. It does not need a GPU.
// Source: NVTX 3, "Library injection" (nvtx3/nvtxDetail/nvtxTypes.h).

#include <cstdio>

#include <nvtx3/nvToolsExt.h>

namespace {

int push(const char* name) {
  std::printf("push %s, ", name);
  return 0;
}

int pop() {
  std::printf("pop, ");
  return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t table_of) {
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(table_of(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr) return 0;
  NvtxFunctionTable functions = nullptr;
  unsigned count = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &count) == 0 ||
      count <= NVTX_CBID_CORE_RangePop)
    return 0;
  *functions[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  *functions[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}
