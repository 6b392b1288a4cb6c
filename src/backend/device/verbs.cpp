// SPDX-License-Identifier: Apache-2.0
#include "backend/device/verbs.h"

namespace ringfort::device {

namespace {

const DevicePlan& plan_of(const View& view) noexcept { return static_cast<const DevicePlan&>(*view.plan); }
Buffer& buffer_of(const View& view) noexcept { return static_cast<Buffer&>(*view.buffer); }
std::size_t word_bytes_of(const View& view) noexcept { return word_bytes(view.plan->plan.word); }
std::size_t bytes_of_polynomial(const View& view) noexcept {
  return std::size_t{view.limbs.count} * view.plan->n() * word_bytes_of(view);
}
Address address_of(const View& view, std::size_t polynomial = 0) noexcept {
  const std::size_t words = view.offset + polynomial * view.limb_stride() * view.plan->n();
  return buffer_of(view).address + words * word_bytes_of(view);
}
bool is_empty(const View& view) noexcept { return view.batch == 0 || view.limbs.count == 0; }

// From the first word of the view to its last one.
Use use_of(const View& view, bool is_written) noexcept {
  const std::size_t limbs = (view.batch - std::size_t{1}) * view.limb_stride();
  return {address_of(view), limbs * view.plan->n() * word_bytes_of(view) + bytes_of_polynomial(view), is_written};
}

template <class Word>
Batch<Word> batch_of(const View& view) noexcept {
  return {reinterpret_cast<Word*>(address_of(view)), u64{view.limb_stride()} * view.plan->n()};
}

struct Submitter {
  Pool& pool;
  u32 stream;

  // Calls f(p, byte of the dense words) for each polynomial, or once if the view is dense.
  template <class F>
  Status rows(const View& view, F f) const noexcept {
    const bool dense = view.is_dense();
    const std::size_t row = bytes_of_polynomial(view) * (dense ? view.batch : 1);
    for (std::size_t p = 0; p < (dense ? 1 : view.batch); ++p) {
      if (const Status status = f(p, row); status != Status::ok) return status;
    }
    return Status::ok;
  }

  template <class F>
  Status ordered(std::span<const Touch> touches, F f) const noexcept {
    return pool.order().call(stream, touches, f);
  }

  Status operator()(const verb::Upload& v) const noexcept {
    const Touch written[] = {{&buffer_of(v.to).history, true}};
    const auto* const words = static_cast<const std::byte*>(v.words);
    return ordered(written, [&] {
      return rows(v.to, [&](std::size_t p, std::size_t bytes) {
        return pool.upload(stream, address_of(v.to, p), words + p * bytes, bytes);
      });
    });
  }
  Status operator()(const verb::Download& v) const noexcept {
    const Touch read[] = {{&buffer_of(v.from).history, false}};
    auto* const words = static_cast<std::byte*>(v.words);
    return ordered(read, [&] {
      return rows(v.from, [&](std::size_t p, std::size_t bytes) {
        return pool.driver().copy_out(stream, words + p * bytes, address_of(v.from, p), bytes);
      });
    });
  }
  Status operator()(const verb::Zero& v) const noexcept {
    const Touch written[] = {{&buffer_of(v.out).history, true}};
    return ordered(written, [&] {
      return rows(v.out, [&](std::size_t p, std::size_t bytes) {
        return pool.driver().zero(stream, address_of(v.out, p), bytes);
      });
    });
  }
  Status operator()(const verb::Copy& v) const noexcept {
    const Touch touches[] = {{&buffer_of(v.a).history, false}, {&buffer_of(v.out).history, true}};
    if (same_memory(v.out, v.a)) return Status::ok;
    return ordered(touches, [&] {
      for (std::size_t p = 0; p < v.out.batch; ++p) {
        const Status status =
            pool.driver().copy(stream, address_of(v.out, p), address_of(v.a, p), bytes_of_polynomial(v.out));
        if (status != Status::ok) return status;
      }
      return Status::ok;
    });
  }
  Status operator()(const verb::Ntt& v) const noexcept { return transform(v.inout, true); }
  Status operator()(const verb::Intt& v) const noexcept { return transform(v.inout, false); }
  template <class V>
  Status operator()(const V&) const noexcept {
    return Status::unsupported;
  }

  Status transform(const View& view, bool forward) const noexcept {
    return view.plan->plan.word == Word::u32 ? transform<u32>(view, forward) : transform<u64>(view, forward);
  }

  // The parts of the transforms, one launch each.
  template <class Word>
  Status transform(const View& view, bool forward) const noexcept {
    const DevicePlan& plan = plan_of(view);
    const Touch touches[] = {{&plan.tables().history, false}, {&buffer_of(view).history, true}};
    const Use uses[] = {{plan.tables().address, plan.tables().bytes, false}, use_of(view, true)};
    const std::size_t count = plan.parts().size();
    NttArgs<Word, Keep<Word>, Keep<Word>> args{batch_of<Word>(view),
                                               plan.limbs<Word>(view.limbs.first),
                                               plan.factors<Word>(forward, view.limbs.first),
                                               view.batch,
                                               {},
                                               {},
                                               {}};
    return ordered(touches, [&] {
      for (std::size_t i = 0; i < count; ++i) {
        args.part = plan.parts()[forward ? i : count - 1 - i];
        const Grid grid = ntt_grid(args.part, view.batch, view.limbs.count, sizeof(Word));
        const KernelCall call{plan.ntt(forward), grid, std::as_bytes(std::span(&args, 1)), uses};
        if (const Status status = pool.driver().launch(stream, call); status != Status::ok) return status;
      }
      return Status::ok;
    });
  }
};

bool is_empty(const Verb& verb) noexcept {
  const Operands operands = operands_of(verb);
  return operands.count != 0 && is_empty(operands.all[0].view);
}

}  // namespace

Status submit(Pool& pool, u32 stream, const Verb& verb) noexcept {
  return is_empty(verb) ? Status::ok : std::visit(Submitter{pool, stream}, verb);
}

}  // namespace ringfort::device
