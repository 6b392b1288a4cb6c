// SPDX-License-Identifier: Apache-2.0
// The operands, contracts and costs of the verbs that backend/verbs.h declares.
#include "backend/verbs.h"

#include <bit>

#include "math/word.h"

namespace ringfort {

namespace {

// Tells whether the view is inside its buffer and its plan.
bool is_inside(const View& view) noexcept {
  if (view.plan == nullptr || view.buffer == nullptr) return false;
  const Plan& plan = view.plan->plan;
  if (view.limbs.first + std::size_t{view.limbs.count} > plan.moduli.size() || view.limb_stride() < view.limbs.count)
    return false;
  const std::size_t capacity = view.buffer->bytes / word_bytes(plan.word);
  const std::size_t spread =
      view.batch == 0 ? 0 : ((view.batch - std::size_t{1}) * view.limb_stride() + view.limbs.count) * plan.n;
  return view.offset <= capacity && spread <= capacity - view.offset;
}

template <class... Views>
bool are_inside(const Views&... views) noexcept {
  return (is_inside(views) && ...);
}

Status whole(bool condition) noexcept { return condition ? Status::ok : Status::internal; }

// Returns Status::ok if these limbs can be converted, and Status::unsupported if not.
Status convertible(const View& from) noexcept {
  const RnsBasis& basis = from.plan->basis;
  return basis.size() != 0 && from.limbs.count <= kMostLimbs && basis.is_distinct(from.limbs) ? Status::ok
                                                                                              : Status::unsupported;
}

Status digits_fit(const View& a, const Gadget& gadget) noexcept {
  return gadget.holds(a.plan->plan.moduli[a.limbs.first]) ? Status::ok : Status::unsupported;
}

u64 limbs_in(const View& view) noexcept { return u64{view.batch} * view.limbs.count; }
u64 bytes_of(const View& view) noexcept { return limbs_in(view) * view.plan->n() * word_bytes(view.plan->plan.word); }

template <class... Views>
u64 bytes_of(const View& first, const Views&... others) noexcept {
  return bytes_of(first) + (bytes_of(others) + ...);
}

Cost products(u64 bytes, u64 multiplications) noexcept { return {.bytes = bytes, .multiplications = multiplications}; }

// Adds the cost of `limbs` transforms. A transform has log2(n) stages of n/2 butterflies with one product each.
Cost with_transforms(Cost cost, u64 limbs, u32 n) noexcept {
  const u64 butterflies = limbs * (u64{n} / 2 * static_cast<u64>(std::countr_zero(n)));
  return {.bytes = cost.bytes,
          .multiplications = cost.multiplications + butterflies,
          .transform_multiplications = butterflies};
}

// Returns the products of one coefficient in BaseConvert (verbs.h): one for each v_i, and one for each term of a sum.
// An exact conversion also has one for each fraction v_i / q_i, and one for the multiple of Q in each target limb.
u64 conversion_products(u64 from, u64 to, Conversion kind) noexcept {
  return from + from * to + (kind == Conversion::approximate ? 0 : from + to);
}

}  // namespace

// Tells whether the digits can represent every residue modulo q. Centred digits always can if the parameters are in
// range, because the last digit takes the remainder.
bool Gadget::holds(u128 q) const noexcept {
  if (base_bits < 1 || base_bits > 62 || digits < 1 || digits > 128 || shift > 126) return false;
  return centred || bits_of((q - 1) >> shift) <= u64{base_bits} * digits;
}

std::string_view name_of(const Verb& verb) noexcept {
  return std::visit([](const auto& v) { return v.kName; }, verb);
}

Operands operands_of(const Verb& verb) noexcept {
  return std::visit([](const auto& v) { return v.operands(); }, verb);
}

namespace verb {

namespace {

Operands list(std::initializer_list<View> written, std::initializer_list<View> read) noexcept {
  Operands operands;
  for (const View& view : written) operands.all[operands.count++] = {.view = view, .is_written = true};
  for (const View& view : read) operands.all[operands.count++] = {.view = view};
  return operands;
}

}  // namespace

Operands Upload::operands() const noexcept { return list({to}, {}); }
Status Upload::contract() const noexcept { return whole(is_inside(to) && (words != nullptr || to.batch == 0)); }
Cost Upload::cost() const noexcept { return products(bytes_of(to), 0); }

Operands Download::operands() const noexcept { return list({}, {from}); }
Status Download::contract() const noexcept { return whole(is_inside(from) && (words != nullptr || from.batch == 0)); }
Cost Download::cost() const noexcept { return products(bytes_of(from), 0); }

Operands Lift::operands() const noexcept { return list({to}, {}); }
Status Lift::contract() const noexcept {
  if (is_inside(to) && to.plan->plan.word == Word::u128) return Status::unsupported;
  return whole(is_inside(to) && (integers != nullptr || to.batch == 0) &&
               (integer_bytes == 1 || integer_bytes == 8 || integer_bytes == 16));
}
Cost Lift::cost() const noexcept { return products(bytes_of(to) + u64{to.batch} * to.plan->n() * integer_bytes, 0); }

Operands Copy::operands() const noexcept { return list({out}, {a}); }
Status Copy::contract() const noexcept { return whole(are_inside(out, a) && same_shape(out, a)); }
Cost Copy::cost() const noexcept { return products(bytes_of(out, a), 0); }

Operands Zero::operands() const noexcept { return list({out}, {}); }
Status Zero::contract() const noexcept { return whole(is_inside(out)); }
Cost Zero::cost() const noexcept { return products(bytes_of(out), 0); }

Operands Ntt::operands() const noexcept { return list({inout}, {}); }
Status Ntt::contract() const noexcept { return whole(is_inside(inout)); }
Cost Ntt::cost() const noexcept {
  return with_transforms(products(2 * bytes_of(inout), 0), limbs_in(inout), inout.plan->n());
}

Operands Intt::operands() const noexcept { return list({inout}, {}); }
Status Intt::contract() const noexcept { return whole(is_inside(inout)); }
Cost Intt::cost() const noexcept {
  return with_transforms(products(2 * bytes_of(inout), 0), limbs_in(inout), inout.plan->n());
}

template <Combination kOf>
Operands Combine<kOf>::operands() const noexcept {
  return list({out}, {a, b});
}
template <Combination kOf>
Status Combine<kOf>::contract() const noexcept {
  constexpr bool product = kOf == Combination::product || kOf == Combination::sum_of_product;
  return whole(are_inside(out, a, b) && same_shape(out, a) && (product ? same_or_single(a, b) : same_shape(a, b)));
}
template <Combination kOf>
Cost Combine<kOf>::cost() const noexcept {
  const bool sum = kOf == Combination::sum || kOf == Combination::difference,
             reads_out = kOf == Combination::sum_of_product;
  return products(bytes_of(out, a, b) + (reads_out ? bytes_of(out) : 0), sum ? 0 : limbs_in(out) * out.plan->n());
}
template struct Combine<Combination::sum>;
template struct Combine<Combination::difference>;
template struct Combine<Combination::product>;
template struct Combine<Combination::sum_of_product>;

Operands Negate::operands() const noexcept { return list({out}, {a}); }
Status Negate::contract() const noexcept { return whole(are_inside(out, a) && same_shape(out, a)); }
Cost Negate::cost() const noexcept { return products(bytes_of(out, a), 0); }

Operands MultiplyScalar::operands() const noexcept { return list({out}, {a}); }
Status MultiplyScalar::contract() const noexcept {
  return whole(are_inside(out, a) && same_shape(out, a) && per_limb.size() == out.limbs.count);
}
Cost MultiplyScalar::cost() const noexcept { return products(bytes_of(out, a), limbs_in(out) * out.plan->n()); }

Operands Decompose::operands() const noexcept { return list({out}, {a}); }
Status Decompose::contract() const noexcept {
  if (!are_inside(out, a) || out.plan != a.plan || !out.is_dense() || out.limbs != a.limbs || a.limbs.count != 1)
    return Status::internal;
  return u64{out.batch} == u64{a.batch} * gadget.digits ? digits_fit(a, gadget) : Status::internal;
}
Cost Decompose::cost() const noexcept { return products(bytes_of(out, a), 0); }

Operands ExpandUniform::operands() const noexcept { return list({out}, {}); }
Status ExpandUniform::contract() const noexcept { return whole(is_inside(out)); }
Cost ExpandUniform::cost() const noexcept { return products(bytes_of(out), 0); }

Operands Automorphism::operands() const noexcept { return list({out}, {a}); }
Status Automorphism::contract() const noexcept {
  return whole(are_inside(out, a) && same_shape(out, a) && !same_memory(out, a) && galois % 2 == 1 &&
               galois < 2 * out.plan->n());
}
Cost Automorphism::cost() const noexcept { return products(bytes_of(out, a), 0); }

Operands BaseConvert::operands() const noexcept { return list({out}, {a}); }
Status BaseConvert::contract() const noexcept {
  const bool fitting =
      are_inside(out, a) && out.plan == a.plan && out.batch == a.batch && out.limbs.count != 0 && a.limbs.count != 0;
  return fitting ? convertible(a) : Status::internal;
}
Cost BaseConvert::cost() const noexcept {
  return products(bytes_of(out, a),
                  a.batch * u64{out.plan->n()} * conversion_products(a.limbs.count, out.limbs.count, kind));
}

Operands InnerProduct::operands() const noexcept { return list({out}, {a, b}); }
Status InnerProduct::contract() const noexcept {
  if (!are_inside(out, a, b) || inner == 0 || out.plan != a.plan || out.plan != b.plan || out.limbs != a.limbs ||
      out.limbs != b.limbs)
    return Status::internal;
  return whole(u64{a.batch} == u64{rows} * inner && u64{b.batch} == u64{inner} * columns &&
               u64{out.batch} == u64{rows} * columns);
}
Cost InnerProduct::cost() const noexcept {
  return products(bytes_of(out, a, b) + (accumulate ? bytes_of(out) : 0), limbs_in(out) * inner * out.plan->n());
}

View ModDown::quotient() const noexcept { return galois == 1 ? out : a.in(out.limbs); }
Limbs ModDown::dropped() const noexcept {
  const u32 kept = out.limbs.count;
  if (kept >= a.limbs.count || out.plan != a.plan || out.plan != scratch.plan || out.batch != a.batch ||
      out.batch != scratch.batch)
    return {};
  const bool first = out.limbs.first == a.limbs.first + (a.limbs.count - kept);
  const Limbs limbs{first ? a.limbs.first : a.limbs.first + kept, a.limbs.count - kept};
  return (first || out.limbs.first == a.limbs.first) && scratch.limbs == limbs ? limbs : Limbs{};
}
Operands ModDown::operands() const noexcept {
  Operands all = galois == 1 ? list({out, scratch}, {a}) : list({out, scratch, a}, {});
  if (adds()) all.all[all.count++] = {.view = addend};
  return all;
}
Status ModDown::contract() const noexcept {
  if (!are_inside(out, a, scratch) || dropped().count == 0 || same_memory(out, a) || same_memory(out, scratch) ||
      same_memory(a, scratch))
    return Status::internal;
  if (galois % 2 != 1 || galois >= 2 * out.plan->n()) return Status::internal;
  if (adds()) {
    const bool fitting =
        is_inside(addend) && addend.plan == out.plan && addend.limbs == out.limbs && addend.batch <= out.batch;
    if (!fitting || same_memory(out, addend) || same_memory(a, addend) || same_memory(scratch, addend))
      return Status::internal;
  }
  if (convertible(a) != Status::ok) return Status::unsupported;
  for (u32 i = dropped().first; i < dropped().end(); ++i) {
    if (a.plan->basis[i].reduce(plain) == 0) return Status::unsupported;
  }
  return Status::ok;
}
Cost ModDown::cost() const noexcept {
  const u64 away = scratch.limbs.count, kept = out.limbs.count, n = out.plan->n();
  const u64 each = conversion_products(away, kept, Conversion::centred) + kept + (plain == 1 ? 0 : away + kept);
  const u64 bytes = bytes_of(a, out) + (adds() ? bytes_of(addend) : 0);
  return with_transforms(products(bytes, out.batch * each * n),
                         domain == Domain::evaluation ? out.batch * (away + kept) : 0, out.plan->n());
}

// Returns the two divisions. The first division writes to `scratch`. The second division uses the memory of `a` as
// scratch memory.
std::array<ModDown, 2> ModDownRescale::divisions() const noexcept {
  const u32 first = out.limbs.first, end = a.limbs.end();
  const Limbs special{a.limbs.first, first - a.limbs.first}, rest{first, end - first},
      last{out.limbs.end(), end - out.limbs.end()};
  return {
      ModDown{.out = scratch.in(rest),
              .a = a,
              .scratch = scratch.in(special),
              .plain = plain,
              .domain = Domain::evaluation,
              .addend = addend},
      ModDown{.out = out, .a = scratch.in(rest), .scratch = a.in(last), .plain = plain, .domain = Domain::evaluation}};
}
Operands ModDownRescale::operands() const noexcept {
  return adds() ? list({out, a, scratch}, {addend}) : list({out, a, scratch}, {});
}
Status ModDownRescale::contract() const noexcept {
  if (!are_inside(out, a, scratch) || !same_shape(a, scratch) || out.plan != a.plan || out.batch != a.batch)
    return Status::internal;
  if (out.limbs.count == 0 || out.limbs.first <= a.limbs.first || out.limbs.end() >= a.limbs.end())
    return Status::internal;
  const auto [first, second] = divisions();
  const View rest = a.in(first.out.limbs);
  if (same_memory(a, scratch) || same_memory(out, rest) || same_memory(out, first.out) ||
      (adds() && same_memory(addend, rest)))
    return Status::internal;
  const Status status = first.contract();
  return status == Status::ok ? second.contract() : status;
}
Cost ModDownRescale::cost() const noexcept {
  const auto [first, second] = divisions();
  const u64 special = first.scratch.limbs.count, last = second.scratch.limbs.count, kept = out.limbs.count,
            n = out.plan->n();
  const u64 conversions = conversion_products(special, kept + last, Conversion::centred) +
                          conversion_products(last, kept, Conversion::centred);
  const u64 each = conversions + kept + last + (plain == 1 ? 0 : special + 2 * last + kept);
  const u64 added = adds() ? limbs_in(addend) * n : 0, bytes = bytes_of(a, out) + (adds() ? bytes_of(addend) : 0);
  return with_transforms(products(bytes, out.batch * each * n + added), limbs_in(a), out.plan->n());
}

InnerProduct GadgetProduct::inner_product() const noexcept {
  return {.out = out, .a = digits, .b = b, .inner = digits.batch, .columns = out.batch, .accumulate = accumulate};
}
Operands GadgetProduct::operands() const noexcept { return list({out, digits}, {a, b}); }
Status GadgetProduct::contract() const noexcept {
  const Status decomposed = Decompose{digits, a, gadget}.contract();
  return decomposed == Status::ok ? inner_product().contract() : decomposed;
}
Cost GadgetProduct::cost() const noexcept {
  const u64 multiplications = limbs_in(digits) * out.batch * out.plan->n();
  return with_transforms(products(bytes_of(a, b, out) + (accumulate ? bytes_of(out) : 0), multiplications),
                         limbs_in(digits), out.plan->n());
}

u32 ModUp::count() const noexcept { return digit_limbs == 0 ? 0 : (a.limbs.count + digit_limbs - 1) / digit_limbs; }
Limbs ModUp::digit(u32 d) const noexcept {
  const u32 first = d * digit_limbs, rest = a.limbs.count - first;
  return {a.limbs.first + first, rest < digit_limbs ? rest : digit_limbs};
}
Operands ModUp::operands() const noexcept { return list({digits}, {a, coefficients}); }
Status ModUp::contract() const noexcept {
  if (!are_inside(digits, a, coefficients) || digit_limbs == 0 || a.limbs.count == 0 || a.plan != digits.plan ||
      !same_shape(a, coefficients))
    return Status::internal;
  return u64{digits.batch} == u64{a.batch} * count() ? convertible(a) : Status::internal;
}
Cost ModUp::cost() const noexcept {
  u64 multiplications = 0, transforms = 0;
  for (u32 d = 0; d < count(); ++d) {
    const u64 others = digits.limbs.count - common(digit(d), digits.limbs).count;
    multiplications += conversion_products(digit(d).count, others, Conversion::centred);
    transforms += others;
  }
  return with_transforms(products(bytes_of(a, coefficients, digits), a.batch * multiplications * a.plan->n()),
                         a.batch * transforms, a.plan->n());
}

ModUp KeySwitch::mod_up() const noexcept {
  return {.digits = digits, .a = a, .coefficients = coefficients, .digit_limbs = digit_limbs};
}
u32 KeySwitch::columns() const noexcept { return a.batch == 0 ? 0 : out.batch / a.batch; }
InnerProduct KeySwitch::inner_product() const noexcept {
  return {.out = out, .a = digits, .b = key, .rows = a.batch, .inner = mod_up().count(), .columns = columns()};
}
Operands KeySwitch::operands() const noexcept { return list({out, digits}, {a, coefficients, key}); }
Status KeySwitch::contract() const noexcept {
  const Status converted = mod_up().contract();
  if (converted != Status::ok) return converted;
  const bool fitting = are_inside(out, key) && out.plan == a.plan && key.plan == a.plan && key.limbs == out.limbs &&
                       common(a.limbs, out.limbs) == a.limbs;
  const bool roomy = digits.limbs.count != 0 && digits.limbs.count <= out.limbs.count;
  return whole(fitting && roomy && a.batch != 0 && out.batch % a.batch == 0 &&
               u64{key.batch} == u64{mod_up().count()} * columns());
}
KeySwitch KeySwitch::in(Limbs some) const noexcept {
  KeySwitch key_switch = *this;
  key_switch.out = out.in(some);
  key_switch.key = key.in(some);
  key_switch.digits.stride = static_cast<u32>(digits.limb_stride());
  key_switch.digits.limbs = some;
  return key_switch;
}
Cost KeySwitch::cost() const noexcept {
  ModUp all = mod_up();
  all.digits.limbs = out.limbs;
  Cost cost = all.cost();
  cost.bytes = bytes_of(a, coefficients, key, out);
  cost.multiplications += limbs_in(all.digits) * columns() * out.plan->n();
  return cost;
}

Operands Tensor::operands() const noexcept { return list({out}, {a, b}); }
Status Tensor::contract() const noexcept {
  const bool fitting =
      are_inside(out, a, b) && same_shape(a, b) && out.plan == a.plan && out.limbs == a.limbs && a.batch % 2 == 0;
  return whole(fitting && u64{out.batch} * 2 == u64{a.batch} * 3 && !same_memory(out, a) && !same_memory(out, b));
}
Cost Tensor::cost() const noexcept { return products(bytes_of(out, a, b), 2 * limbs_in(a) * out.plan->n()); }

Operands Polymul::operands() const noexcept { return list({out, a, b}, {}); }
Status Polymul::contract() const noexcept {
  return whole(are_inside(out, a, b) && same_shape(out, a) && same_shape(a, b));
}
Cost Polymul::cost() const noexcept {
  return with_transforms(products(bytes_of(out, a, b), limbs_in(out) * out.plan->n()), 3 * limbs_in(out),
                         out.plan->n());
}

}  // namespace verb

}  // namespace ringfort
