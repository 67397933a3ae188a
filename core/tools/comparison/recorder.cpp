// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/errors.hpp>
#include <tandem/core/tools/comparison/recorder.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <istream>
#include <set>

namespace tandem::detail {

namespace {

double milliseconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

const change* find(const changes& all, int number) {
  const auto found = all.find(number);
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace

void recorder::add_array(void* data, index_t count, const element_format& format,
                         const space_access& space) {
  if (depth_ > 0 || count == 0) return;
  known_array added{next_array_++, count, format, space.copy != nullptr,
                    unwritten(which_, count, format)};
  if (space.copy == nullptr) {
    std::memcpy(data, added.last.data(), added.last.size());
  } else {
    space.copy(space.space, added.last.data(), data, added.last.size(), false);
  }
  if (which_ == run::b && !last_of_a_.contains(added.number))
    last_of_a_[added.number] = {format, unwritten(run::a, count, format)};
  arrays_[data] = std::move(added);
}

void recorder::add_output(const noted_output& output) {
  if (depth_ == 1 && !lies_in_array(output.data)) outputs_.push_back(output);
}

void recorder::add_result(const void* value, const element_format& format) {
  if (depth_ != 1) return;
  const auto* const bytes = static_cast<const unsigned char*>(value);
  const int number = first_result - static_cast<int>(results_.size());
  results_[number] = {format, element_bytes(bytes, bytes + format.bytes)};
}

void recorder::begin(const operation& what) {
  if (depth_++ > 0) return;
  outputs_.clear();
  results_.clear();
  keep({"", 0, array_changes(what.space)});
  begin_ = milliseconds_now();
}

void recorder::end(const operation& what) {
  if (--depth_ > 0) return;
  const double milliseconds = milliseconds_now() - begin_;
  std::string label = what.label;
  for (int d = 0; d < what.sizes.count; ++d)
    label += (d == 0 ? " " : " x ") + std::to_string(what.sizes.size[d]);
  record done{std::move(label), milliseconds, array_changes(what.space)};
  done.written.insert(results_.begin(), results_.end());
  add_host_outputs(done.written);
  keep(done);
}

void recorder::finish(const space_access& space) {
  depth_ = 0;
  keep({"", 0, array_changes(space)});
  if (which_ == run::b && report_.mismatch.empty() && (other_ || get_record(records_)))
    report_.mismatch = report_.name_b + " runs fewer operations than " + report_.name_a;
}

std::size_t recorder::watched_bytes() const {
  std::size_t bytes = 1;
  for (const auto& one : arrays_) bytes += one.second.last.size();
  return bytes;
}

bool recorder::lies_in_array(const void* data) const {
  auto after = arrays_.upper_bound(const_cast<void*>(data));
  if (after == arrays_.begin()) return false;
  const auto& [begin, array] = *--after;
  return data < static_cast<const unsigned char*>(begin) + array.last.size();
}

changes recorder::array_changes(const space_access& space) {
  changes found;
  for (auto& [data, array] : arrays_) {
    if (array.is_on_device && space.copy == nullptr) continue;
    element_bytes now(array.last.size());
    try {
      if (array.is_on_device) {
        space.copy(space.space, data, now.data(), now.size(), true);
      } else {
        std::memcpy(now.data(), data, now.size());
      }
    } catch (const out_of_memory_error&) {
      throw;
    } catch (...) {
      continue;  // while the space records a graph, or is lost: the next operation reports it
    }
    if (now == array.last) continue;
    array.last = now;
    found[array.number] = {array.format, std::move(now)};
  }
  return found;
}

void recorder::add_host_outputs(changes& written) const {
  int number = first_host_output;
  for (const noted_output& output : outputs_) {
    index_t count = 1;
    for (int d = 0; d < output.rank; ++d) count *= output.extent[d];
    change one{output.format, {}};
    one.bytes.reserve(static_cast<std::size_t>(count) * output.format.bytes);
    const auto* const data = static_cast<const unsigned char*>(output.data);
    for (index_t i = 0; i < count; ++i) {
      index_t rest = i;
      index_t offset = 0;
      for (int d = output.rank - 1; d >= 0; --d) {
        offset += rest % output.extent[d] * output.stride[d];
        rest /= output.extent[d];
      }
      const auto* const at = data + offset * static_cast<index_t>(output.format.bytes);
      one.bytes.insert(one.bytes.end(), at, at + output.format.bytes);
    }
    written[number--] = std::move(one);
  }
}

void recorder::keep(const record& what) {
  const bool is_outside = what.label.empty();
  if (which_ == run::a) {
    if (!is_outside || !what.written.empty()) put_record(records_, what);
    return;
  }
  if (!report_.mismatch.empty()) return;
  if (!other_) other_ = get_record(records_);
  record outside;  // writes of the other run between operations
  if (other_ && other_->label.empty()) {
    outside = std::move(*other_);
    other_.reset();
    if (!is_outside) other_ = get_record(records_);
  }
  const record none;
  if (!outside.written.empty() || (is_outside && !what.written.empty()))
    compare(outside, is_outside ? what : none);
  if (is_outside) return;
  if (!other_ || other_->label != what.label) {
    report_.mismatch = report_.name_b + " runs " + what.label + " where " + report_.name_a +
                       (other_ ? " runs " + other_->label : " has ended");
    return;
  }
  compare(*other_, what);
  other_.reset();
}

void recorder::compare(const record& a, const record& b) {
  compared_operation result;
  result.label = b.label.empty() ? "(between operations)" : b.label;
  result.milliseconds_a = a.milliseconds;
  result.milliseconds_b = b.milliseconds;
  std::set<int> numbers;
  for (const auto& [number, one] : a.written) {
    numbers.insert(number);
    if (number >= 0) last_of_a_[number] = one;
  }
  for (const auto& one : b.written) numbers.insert(one.first);
  for (const int number : numbers) {
    const bool is_array = number >= 0;
    const change* const left = find(is_array ? last_of_a_ : a.written, number);
    const change* const right = find(b.written, number);
    const change held = right == nullptr && is_array ? held_by(number) : change{};
    compare_output(number, left, right == nullptr && is_array ? &held : right, result);
  }
  if (!b.label.empty() || !result.agrees) report_.operations.push_back(std::move(result));
}

change recorder::held_by(int number) const {
  for (const auto& [data, array] : arrays_) {
    if (array.number == number) return {array.format, array.last};
  }
  return {};
}

void recorder::compare_output(int number, const change* a, const change* b,
                              compared_operation& result) {
  if (a == nullptr || b == nullptr || a->bytes.size() != b->bytes.size() ||
      a->format.bytes != b->format.bytes) {
    report_.mismatch =
        output_name(number) + " has another size or type, or is missing, in " + result.label;
    return;
  }
  const difference found = find_difference(a->bytes, b->bytes, b->format);
  if (found.differing == 0) return;
  if (result.agrees) {
    result.agrees = false;
    result.output = output_name(number);
    result.first = found.first;
    result.value_a = found.value_a;
    result.value_b = found.value_b;
  }
  result.differing += found.differing;
  result.ulp = std::max(result.ulp, found.ulp);
}

}  // namespace tandem::detail
