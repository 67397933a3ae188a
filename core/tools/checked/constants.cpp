// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tandem/core/tools/checked/access.hpp>
#include <tandem/core/tools/checked/ranges.hpp>

/// Views of const elements, which promise that the elements do not change while a kernel reads
/// them: a GPU may load them before, or again after, a write through another view.
namespace tandem::checked {

namespace {

const char* const hint =
    "a view of const elements promises that they do not change while a kernel runs: read them "
    "through a view of elements that are not const";
const char* const reads = "reads through a view of const elements";

/// The pages that kernels have read most recently; pages live for ever.
page* recent[1024];

page& recent_page(std::uintptr_t address) {
  page*& known = recent[(address >> page_bits) % 1024];
  if (known == nullptr || known->number != address >> page_bits) known = &find_page(address);
  return *known;
}

void note_constant(page& p, std::uintptr_t address, std::size_t bytes) {
  if (p.constants == nullptr) {
    p.constants = new constant_bytes;
    update_cache(p);
  }
  constant_bytes& all = *p.constants;
  if (all.operation != operation.number) {
    all = {};
    all.operation = operation.number;
  }
  // Elements of 1 to 8 bytes are aligned, so their bits are in one word; longer ones begin one.
  const std::size_t at = address % page_bytes;
  const std::uint64_t bits = (std::uint64_t{1} << bytes % 64) - 1;
  all.bits[at / 64] |= bits << at % 64;
}

/// Whether a write of this operation precedes the running actor's read, or is its own. A write of
/// an actor that may run at the same time is a race, and outputs of the operation come later.
bool is_changed(const page& p, const access_record& writer) {
  if (writer.who < current.operation_first() || writer.who >= last_actor) return false;
  const actor who = writer.who & actor_mask;
  return writer.code != 0 && (who == current.me || is_settled(current, p.kind, who));
}

}  // namespace

void begin_constant_read(const void* element, std::size_t bytes) {
  const current_state& now = current;
  if (now.is != mode::on || now.silences > 0) return;
  const auto address = reinterpret_cast<std::uintptr_t>(element);
  if (address - now.stack_begin < now.stack_bytes) return;
  if (address - now.captured_begin < now.captured_bytes) return;
  page& p = recent_page(address);
  if (p.kind == page_kind::scratch) return;
  note_constant(p, address, bytes);
  const cell& c = p.cells[(address & (page_bytes - 1)) >> p.shift];
  if (!is_changed(p, c.writer)) return;
  const auto code = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  const suspect s{address, bytes, code, false, false};
  finding f = make_finding("constant", find_range(address), s, address);
  f.access = reads;
  f.other = c.writer.who & actor_mask;
  f.other_access = "writes";
  f.other_place = source_place(c.writer.code);
  f.hint = hint;
  report_later(f);
}

void judge_constant(const suspect& s, const page& p, const access_record& reader) {
  if (!p.constants->overlap(operation.number, s.address, s.bytes)) return;
  const actor who = reader.who & actor_mask;
  if (who != current.me && !is_settled(current, p.kind, who)) return;
  finding f = make_finding("constant", find_range(s.address), s, s.address);
  f.other_access = reads;
  if (who >= current.operation_first()) {
    f.other = who;
    f.other_place = source_place(reader.code);
  }
  f.hint = hint;
  report_later(f);
}

}  // namespace tandem::checked
