// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No #pragma once: ends what begin_vectorised.hpp begins, under the same conditions.
#if defined(__clang__)
#pragma clang diagnostic pop
#elif defined(__OPTIMIZE__) && !defined(TANDEM_DEVICE_PASS)
#pragma GCC pop_options
#endif
