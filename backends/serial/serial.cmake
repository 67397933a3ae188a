# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
tandem_add_backend(serial)
