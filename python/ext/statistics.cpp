// SPDX-License-Identifier: Apache-2.0
// Binds ringfort/statistics.h. Studies and totals are in ringfort._core.statistics; the uploads and aggregators of each
// scheme are in ringfort._core.bfv and ringfort._core.bgv. The public API is ringfort.statistics, which checks shapes,
// names and ranges.
#include "ringfort/statistics.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "gil.h"

namespace {

using namespace ringfort;
namespace statistics = ringfort::statistics;
using Unlocked = nb::call_guard<WithoutGil>;
using Table = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

io::ByteView view(const nb::bytes& bytes) { return {static_cast<const std::uint8_t*>(bytes.data()), bytes.size()}; }

template <class Context, class Object>
nb::bytes encoded(const Object& object, const Context& context) {
  const io::Bytes bytes = [&] {
    const WithoutGil unlocked;
    return statistics::encode(context, object);
  }();
  return nb::bytes(bytes.data(), bytes.size());
}

template <class S>
struct Bindings {
  using Context = integers::Context<S>;
  using Upload = statistics::Upload<S>;
  using Aggregate = statistics::Aggregate<S>;
  using Aggregator = statistics::Aggregator<S>;

  static Upload encrypt(const Context& context, const statistics::Study& study, const PublicKey& key, Table values) {
    const WithoutGil unlocked;
    std::vector<std::vector<std::int64_t>> columns;
    for (std::size_t c = 0; c < values.shape(0); ++c)
      columns.emplace_back(values.data() + c * values.shape(1), values.data() + (c + 1) * values.shape(1));
    return statistics::encrypt(context, study, key, columns);
  }
  static Upload decode_upload(const Context& context, const statistics::Study& study, const nb::bytes& data) {
    const io::ByteView bytes = view(data);
    const WithoutGil unlocked;
    return statistics::decode_upload(context, study, bytes);
  }
  static Aggregate decode_aggregate(const Context& context, const statistics::Study& study, const nb::bytes& data) {
    const io::ByteView bytes = view(data);
    const WithoutGil unlocked;
    return statistics::decode_aggregate(context, study, bytes);
  }

  static void objects(nb::module_& m) {
    nb::class_<Upload>(m, "Upload", "One user's records: a ciphertext for each column.")
        .def_ro("records", &Upload::records)
        .def("encode", &encoded<Context, Upload>, nb::arg("context"));
    nb::class_<Aggregate>(m, "Aggregate", "Encrypted totals.")
        .def_ro("uploads", &Aggregate::uploads)
        .def_ro("records", &Aggregate::records)
        .def("encode", &encoded<Context, Aggregate>, nb::arg("context"));
    nb::class_<Aggregator>(m, "Aggregator", "The sums and products of the uploads so far.")
        .def(nb::init<const Context&, statistics::Study, const PublicKey&, unsigned>(), nb::arg("context"),
             nb::arg("study"), nb::arg("key"), nb::arg("threads"), Unlocked())
        .def("add", &Aggregator::add, nb::arg("upload"), Unlocked())
        .def("beside", &Aggregator::beside, nb::arg("context"), nb::arg("threads"), Unlocked())
        .def("merge", &Aggregator::merge, nb::arg("other"), Unlocked())
        .def("result", &Aggregator::result, nb::arg("relinearization").none(), nb::arg("rotations").none(), Unlocked())
        .def_prop_ro("uploads", &Aggregator::uploads)
        .def_prop_ro("records", &Aggregator::records);
  }
  static void functions(nb::module_& m) {
    m.def("choose_for_study", &statistics::choose<S>, nb::arg("study"), nb::arg("choice"), Unlocked());
    m.def("encrypt_records", &encrypt, nb::arg("context"), nb::arg("study"), nb::arg("key"),
          nb::arg("values").noconvert());
    m.def("decode_upload", &decode_upload, nb::arg("context"), nb::arg("study"), nb::arg("data"));
    m.def("decode_aggregate", &decode_aggregate, nb::arg("context"), nb::arg("study"), nb::arg("data"));
    m.def("decrypt_totals", &statistics::decrypt<S>, nb::arg("context"), nb::arg("study"), nb::arg("key"),
          nb::arg("aggregate"), Unlocked());
  }
};

void bind_study(nb::module_& m) {
  using statistics::Column;
  using statistics::Study;
  using statistics::Wanted;
  nb::enum_<Wanted>(m, "Wanted", "The totals that a study computes.")
      .value("means", Wanted::means)
      .value("variances", Wanted::variances)
      .value("regressions", Wanted::regressions);
  nb::class_<Column>(m, "Column", "The name and the range of a column.")
      .def(
          "__init__",
          [](Column* self, std::string name, std::int64_t low, std::int64_t high) {
            new (self) Column{std::move(name), low, high};
          },
          nb::arg("name"), nb::arg("low"), nb::arg("high"))
      .def_ro("name", &Column::name)
      .def_ro("low", &Column::low)
      .def_ro("high", &Column::high);
  nb::class_<Study>(m, "Study", "A study, on which all parties agree.")
      .def(nb::init<>())
      .def_rw("columns", &Study::columns)
      .def_rw("wanted", &Study::wanted)
      .def_rw("uploads", &Study::uploads)
      .def_rw("records", &Study::records)
      .def_rw("each_slot", &Study::each_slot)
      .def("product", &Study::product, nb::arg("a"), nb::arg("b"))
      .def("capacity", &Study::capacity, nb::arg("plain_modulus"));
  m.def("check", &statistics::check, nb::arg("study"));
}

void bind_choice(nb::module_& m) {
  using statistics::Choice;
  nb::class_<Choice>(m, "Choice", "Requirements on the ring of a study.")
      .def(nb::init<>())
      .def_rw("primes", &Choice::primes)
      .def_rw("security", &Choice::security)
      .def_rw("n", &Choice::n)
      .def_rw("insecure_reason", &Choice::insecure_reason);
  m.def("plan_rotations", &statistics::plan_rotations, nb::arg("context"), Unlocked());
}

void bind_totals(nb::module_& m) {
  using statistics::Regression;
  using statistics::Totals;
  nb::class_<Totals>(m, "Totals", "Decrypted totals: exact integers.")
      .def_ro("uploads", &Totals::uploads)
      .def_ro("records", &Totals::records)
      .def_ro("sums", &Totals::sums)
      .def_ro("products", &Totals::products);
  nb::class_<Regression>(m, "Regression", "Least squares: target = intercept + sum of coefficients times features.")
      .def_ro("intercept", &Regression::intercept)
      .def_ro("coefficients", &Regression::coefficients)
      .def_ro("r_squared", &Regression::r_squared);
  m.def("mean", &statistics::mean, nb::arg("totals"), nb::arg("column"), nb::arg("slot"));
  m.def("covariance", &statistics::covariance, nb::arg("totals"), nb::arg("a"), nb::arg("b"), nb::arg("ddof"),
        nb::arg("slot"));
  m.def(
      "regress",
      [](const Totals& totals, std::size_t target, const std::vector<std::size_t>& features, std::size_t slot) {
        return statistics::regress(totals, target, features, slot);
      },
      nb::arg("totals"), nb::arg("target"), nb::arg("features"), nb::arg("slot"));
}

}  // namespace

void bind_statistics(nb::module_& m, nb::module_& bfv, nb::module_& bgv) {
  bind_study(m);
  bind_choice(m);
  bind_totals(m);
  Bindings<bfv::Scheme>::objects(bfv);
  Bindings<bfv::Scheme>::functions(bfv);
  Bindings<bgv::Scheme>::objects(bgv);
  Bindings<bgv::Scheme>::functions(bgv);
}
