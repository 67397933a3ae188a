// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

namespace perf {

/// Data that candidates share: constructed from `of` for the first user, destroyed with the last.
template <class Data, class Of>
class shared_while_used {
 public:
  explicit shared_while_used(const Of& of) : of_(of) {}

  std::shared_ptr<Data> get() {
    std::shared_ptr<Data> data = held_.lock();
    if (!data) held_ = data = std::make_shared<Data>(of_);
    return data;
  }

 private:
  Of of_;
  std::weak_ptr<Data> held_;
};

}  // namespace perf
