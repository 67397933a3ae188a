// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// wgmma of 8-bit integers with a in registers: for an a that is not contiguous along k, which the
/// instruction cannot read in shared memory.
namespace tandem::cuda_impl::ptx {

/// sums += a * b as ptx::wgmma_int8 has it, with a in registers, which stay as they are until the
/// product has ended. Thread t holds terms k = 4 (t % 4) to k + 3 and k + 16 to k + 19 of rows
/// r = 16 (t / 32) + t % 32 / 4 and r + 8: a[0] is (r, k), a[1] (r + 8, k), a[2] (r, k + 16), a[3]
/// (r + 8, k + 16). "wgmma.mma_async", "Register Fragments for wgmma.mma_async.m64nNk32".
template <int Count>
__device__ __forceinline__ void wgmma_int8(int (&sums)[Count], const std::uint32_t (&a)[4],
                                           std::uint64_t b, bool accumulate);

template <>
__device__ __forceinline__ void wgmma_int8<16>(int (&sums)[16], const std::uint32_t (&a)[4],
                                               std::uint64_t b, bool accumulate) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %21, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n32k32.s32.s8.s8 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
      "}, {%16, %17, %18, %19}, %20, p;\n\t}"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3]), "+r"(sums[4]), "+r"(sums[5]),
        "+r"(sums[6]), "+r"(sums[7]), "+r"(sums[8]), "+r"(sums[9]), "+r"(sums[10]), "+r"(sums[11]),
        "+r"(sums[12]), "+r"(sums[13]), "+r"(sums[14]), "+r"(sums[15])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(accumulate)));
}

template <>
__device__ __forceinline__ void wgmma_int8<64>(int (&sums)[64], const std::uint32_t (&a)[4],
                                               std::uint64_t b, bool accumulate) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %69, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
      "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
      "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "
      "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
      "}, {%64, %65, %66, %67}, %68, p;\n\t}"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3]), "+r"(sums[4]), "+r"(sums[5]),
        "+r"(sums[6]), "+r"(sums[7]), "+r"(sums[8]), "+r"(sums[9]), "+r"(sums[10]), "+r"(sums[11]),
        "+r"(sums[12]), "+r"(sums[13]), "+r"(sums[14]), "+r"(sums[15]), "+r"(sums[16]),
        "+r"(sums[17]), "+r"(sums[18]), "+r"(sums[19]), "+r"(sums[20]), "+r"(sums[21]),
        "+r"(sums[22]), "+r"(sums[23]), "+r"(sums[24]), "+r"(sums[25]), "+r"(sums[26]),
        "+r"(sums[27]), "+r"(sums[28]), "+r"(sums[29]), "+r"(sums[30]), "+r"(sums[31]),
        "+r"(sums[32]), "+r"(sums[33]), "+r"(sums[34]), "+r"(sums[35]), "+r"(sums[36]),
        "+r"(sums[37]), "+r"(sums[38]), "+r"(sums[39]), "+r"(sums[40]), "+r"(sums[41]),
        "+r"(sums[42]), "+r"(sums[43]), "+r"(sums[44]), "+r"(sums[45]), "+r"(sums[46]),
        "+r"(sums[47]), "+r"(sums[48]), "+r"(sums[49]), "+r"(sums[50]), "+r"(sums[51]),
        "+r"(sums[52]), "+r"(sums[53]), "+r"(sums[54]), "+r"(sums[55]), "+r"(sums[56]),
        "+r"(sums[57]), "+r"(sums[58]), "+r"(sums[59]), "+r"(sums[60]), "+r"(sums[61]),
        "+r"(sums[62]), "+r"(sums[63])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(accumulate)));
}

template <>
__device__ __forceinline__ void wgmma_int8<128>(int (&sums)[128], const std::uint32_t (&a)[4],
                                                std::uint64_t b, bool accumulate) {
  asm volatile(
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %133, 0;\n\t"
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, "
      "%19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
      "%36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, "
      "%53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, "
      "%70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, "
      "%87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, "
      "%103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "
      "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
      "}, {%128, %129, %130, %131}, %132, p;\n\t}"
      : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3]), "+r"(sums[4]), "+r"(sums[5]),
        "+r"(sums[6]), "+r"(sums[7]), "+r"(sums[8]), "+r"(sums[9]), "+r"(sums[10]), "+r"(sums[11]),
        "+r"(sums[12]), "+r"(sums[13]), "+r"(sums[14]), "+r"(sums[15]), "+r"(sums[16]),
        "+r"(sums[17]), "+r"(sums[18]), "+r"(sums[19]), "+r"(sums[20]), "+r"(sums[21]),
        "+r"(sums[22]), "+r"(sums[23]), "+r"(sums[24]), "+r"(sums[25]), "+r"(sums[26]),
        "+r"(sums[27]), "+r"(sums[28]), "+r"(sums[29]), "+r"(sums[30]), "+r"(sums[31]),
        "+r"(sums[32]), "+r"(sums[33]), "+r"(sums[34]), "+r"(sums[35]), "+r"(sums[36]),
        "+r"(sums[37]), "+r"(sums[38]), "+r"(sums[39]), "+r"(sums[40]), "+r"(sums[41]),
        "+r"(sums[42]), "+r"(sums[43]), "+r"(sums[44]), "+r"(sums[45]), "+r"(sums[46]),
        "+r"(sums[47]), "+r"(sums[48]), "+r"(sums[49]), "+r"(sums[50]), "+r"(sums[51]),
        "+r"(sums[52]), "+r"(sums[53]), "+r"(sums[54]), "+r"(sums[55]), "+r"(sums[56]),
        "+r"(sums[57]), "+r"(sums[58]), "+r"(sums[59]), "+r"(sums[60]), "+r"(sums[61]),
        "+r"(sums[62]), "+r"(sums[63]), "+r"(sums[64]), "+r"(sums[65]), "+r"(sums[66]),
        "+r"(sums[67]), "+r"(sums[68]), "+r"(sums[69]), "+r"(sums[70]), "+r"(sums[71]),
        "+r"(sums[72]), "+r"(sums[73]), "+r"(sums[74]), "+r"(sums[75]), "+r"(sums[76]),
        "+r"(sums[77]), "+r"(sums[78]), "+r"(sums[79]), "+r"(sums[80]), "+r"(sums[81]),
        "+r"(sums[82]), "+r"(sums[83]), "+r"(sums[84]), "+r"(sums[85]), "+r"(sums[86]),
        "+r"(sums[87]), "+r"(sums[88]), "+r"(sums[89]), "+r"(sums[90]), "+r"(sums[91]),
        "+r"(sums[92]), "+r"(sums[93]), "+r"(sums[94]), "+r"(sums[95]), "+r"(sums[96]),
        "+r"(sums[97]), "+r"(sums[98]), "+r"(sums[99]), "+r"(sums[100]), "+r"(sums[101]),
        "+r"(sums[102]), "+r"(sums[103]), "+r"(sums[104]), "+r"(sums[105]), "+r"(sums[106]),
        "+r"(sums[107]), "+r"(sums[108]), "+r"(sums[109]), "+r"(sums[110]), "+r"(sums[111]),
        "+r"(sums[112]), "+r"(sums[113]), "+r"(sums[114]), "+r"(sums[115]), "+r"(sums[116]),
        "+r"(sums[117]), "+r"(sums[118]), "+r"(sums[119]), "+r"(sums[120]), "+r"(sums[121]),
        "+r"(sums[122]), "+r"(sums[123]), "+r"(sums[124]), "+r"(sums[125]), "+r"(sums[126]),
        "+r"(sums[127])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(accumulate)));
}

}  // namespace tandem::cuda_impl::ptx
