// SPDX-License-Identifier: Apache-2.0
// What passes between limbs, at the shapes of leveled schemes: base conversion of one digit and of several, division by the
// special prime, the sum of a key switch, a tensor product, automorphisms. limit_share counts
// the products by weights alone.
#include "bench/kernels/polynomials.h"

namespace ringfort::bench {
namespace {

struct Shape {
  u32 n, bits, limbs;                                    // one special prime, then the data primes
};

constexpr Shape kShapes[] = {{8192, 50, 4}, {32768, 50, 9}, {32768, 60, 9}, {32768, 30, 16}};

class Limbed {
 public:
  Limbed(Backend& backend, const PlanHandle* plan, const Plan& shape, u32 batch) : backend_(backend), n_(shape.n) {
    view_.plan = plan;
    view_.batch = batch;
    view_.limbs = static_cast<u32>(shape.moduli.size());
    require(backend.allocate(std::size_t{batch} * view_.limbs * n_ * word_bytes(shape.word), Contents::open, view_.buffer));
    Expansion from;
    from.seed.bytes.fill(7);
    require(backend.expand_uniform({}, view_, from));
  }
  Limbed(const Limbed&) = delete;
  Limbed& operator=(const Limbed&) = delete;
  ~Limbed() { backend_.release(view_.buffer, false); }
  [[nodiscard]] View polynomials(u32 count) const { return some({0, view_.limbs}, count); }
  [[nodiscard]] View one(u32 index, Limbs limbs) const {
    View single = some(limbs, 1);
    single.offset += std::size_t{index} * view_.limbs * n_;
    return single;
  }
  [[nodiscard]] View some(Limbs limbs, u32 batch) const {
    View part = view_;
    part.offset += std::size_t{limbs.first} * n_;
    part.first_limb = limbs.first;
    part.limbs = limbs.count;
    part.pitch = view_.limbs;
    part.batch = batch;
    return part;
  }

 private:
  Backend& backend_;
  u32 n_;
  View view_;
};

// Vectors of products for every eight coefficients: halves with the 52-bit multiplier, 32-bit parts without.
double vectors_of(const Backend& backend, const Shape& s, double products) {
  const bool halves = backend.capabilities().instruction_set == "ifma" && s.bits <= 50;
  return products * s.n / kLanes * (halves ? 2 : s.bits <= 31 ? 1 : 4);
}

void rows_of(const KernelBench& options, Backend& backend, const Shape& s, std::vector<Row>& rows) {
  const Plan plan{s.n, s.bits <= 31 ? Word::u32 : Word::u64, ntt_primes(s.bits, s.n, s.limbs).take()};
  std::shared_ptr<const PlanHandle> handle;
  require(backend.prepare(plan, handle));
  const u32 data = s.limbs - 1;
  const Limbed digits(backend, handle.get(), plan, data), key(backend, handle.get(), plan, 2 * data), sums(backend, handle.get(), plan, 3), room(backend, handle.get(), plan, data), coefficients(backend, handle.get(), plan, 1);
  const std::string suffix = "/n" + std::to_string(s.n) + "/q" + std::to_string(s.bits) + "/limbs" + std::to_string(s.limbs);
  const std::vector<std::pair<std::string, Value>> params = {{"n", s.n}, {"q_bits", s.bits}, {"limbs", s.limbs}};
  const auto time = [&](const std::string& name, std::optional<double> products, const auto& verb) {
    const std::string full = "limbs/" + name + suffix;
    if (!wanted(options.only, full) || verb() == Status::declined) return;
    const Spread t = measure(options.repeats, [&] { require(verb()); });
    const auto share = products ? vector_share(backend, vectors_of(backend, s, *products), t.median) : std::nullopt;
    rows.push_back({full, options.device, params, "us", t.min, t.median, t.max, share});
  };
  const View out = sums.polynomials(1);
  time("convert/1", 2.0 * data, [&] { return backend.base_convert({}, out, digits.some({1, 1}, 1), Conversion::centred); });
  const u32 half = s.limbs / 2;
  time("convert/half", (half + 1.0) * (s.limbs - half),
       [&] { return backend.base_convert({}, out, digits.some({0, half}, 1), Conversion::centred); });
  for (const Domain domain : {Domain::coefficient, Domain::evaluation}) {
    const std::string where = domain == Domain::coefficient ? "coefficient" : "evaluation";
    time("mod_down/" + where, std::nullopt, [&] {
      return backend.mod_down({}, {sums.some({1, data}, 1), digits.polynomials(1), key.some({0, 1}, 1), 1, domain});
    });
    time("automorphism/" + where, std::nullopt, [&] { return backend.automorphism({}, out, digits.polynomials(1), 5, domain); });
  }
  time("tensor", std::nullopt, [&] { return backend.tensor({}, sums.polynomials(3), digits.polynomials(2), key.polynomials(2)); });
  time("key_product", 2.0 * data * s.limbs, [&] {
    return backend.inner_product({}, {sums.polynomials(2), digits.polynomials(data), key.polynomials(2 * data), 1, data, 2, false});
  });
  // One prime a digit: base_convert and ntt by themselves, all digits, then their sum; and limb after limb in one verb.
  const KeySwitch switched{sums.polynomials(2), digits.some({1, data}, 1), coefficients.some({1, data}, 1), room.polynomials(data), key.polynomials(2 * data), 1};
  time("digits", std::nullopt, [&] {
    for (u32 d = 0; d < data; ++d) {
      for (const Limbs others : {Limbs{0, 1 + d}, Limbs{d + 2, data - 1 - d}}) {
        if (others.count == 0) continue;
        require(backend.base_convert({}, room.one(d, others), digits.some({1 + d, 1}, 1), Conversion::centred));
        require(backend.ntt({}, room.one(d, others)));
      }
    }
    return Status::ok;
  });
  time("key_switch", std::nullopt, [&] { return backend.key_switch({}, switched); });
  time("ntt", std::nullopt, [&] { return backend.ntt({}, out); });
}

}  // namespace

std::vector<Row> bench_limbs(const KernelBench& options) {
  std::vector<Row> rows;
  const std::shared_ptr<Backend> backend = open_backend(options.device);
  if (backend == nullptr) return rows;
  for (const Shape& s : kShapes) rows_of(options, *backend, s, rows);
  return rows;
}

}  // namespace ringfort::bench
