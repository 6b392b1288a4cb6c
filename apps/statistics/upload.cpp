// SPDX-License-Identifier: Apache-2.0
// Encryption of a user's records, and the files of uploads and results. A file is an array of ciphertexts
// (ringfort/files.h). The shape of an upload's array consists of the numbers of columns and records. In a result, the
// field `rows` is the number of uploads, and `cols` is the number of records. All these numbers are public.
#include <algorithm>

#include "ringfort/declassified.h"
#include "ringfort/error.h"
#include "ringfort/statistics.h"

namespace ringfort::statistics {

namespace {

template <class Scheme>
std::vector<io::Bytes> encode_all(const integers::Context<Scheme>& context,
                                  std::span<const integers::Ciphertext<Scheme>> ciphertexts) {
  std::vector<io::Bytes> files;
  for (const auto& ciphertext : ciphertexts) files.push_back(io::encode_ciphertext(context, ciphertext));
  return files;
}

std::vector<io::ByteView> views_of(std::span<const io::Bytes> files) { return {files.begin(), files.end()}; }

void require_shape(bool fits, const std::string& what) {
  if (!fits)
    throw Error(Code::parameters_mismatch, "the file is not " + what + " of this study", "give a file of this study");
}

void require_records(const Study& study, std::uint64_t records) {
  const std::uint64_t most = study.each_slot ? 1 : study.records;
  if (records >= 1 && records <= most) return;
  throw Error(
      Code::parameters_mismatch,
      "the upload has " + std::to_string(records) + " records, but the study allows at most " + std::to_string(most),
      "divide the records among uploads");
}

void check_values(const Column& column, std::span<const std::int64_t> values) {
  bool inside = true;
  // only the result, one bit, becomes public
  for (const std::int64_t v : values) inside &= (v >= column.low) & (v <= column.high);
  if (declassified(inside)) return;
  throw Error(Code::invalid_argument,
              "column '" + column.name + "' has values outside " + std::to_string(column.low) + " .. " +
                  std::to_string(column.high),
              "leave them out, or declare a wider range in the study");
}

}  // namespace

template <class Scheme>
Upload<Scheme> encrypt(const integers::Context<Scheme>& context, const Study& study, const PublicKey& key,
                       std::span<const std::vector<std::int64_t>> columns) {
  check(study);
  const std::size_t records = columns.empty() ? 0 : columns[0].size();
  // In a study with each_slot, every column must have exactly study.records values.
  const std::size_t most = study.records, least = study.each_slot ? most : 1;
  const bool even = std::ranges::all_of(columns, [&](const auto& column) { return column.size() == records; });
  if (columns.size() != study.columns.size() || !even || records < least || records > most) {
    throw Error(Code::invalid_argument,
                "an upload has " + std::to_string(study.columns.size()) + " columns of equal length, " +
                    std::to_string(least) + " .. " + std::to_string(most) + "; the call gave " +
                    std::to_string(columns.size()) + " columns, the first of length " + std::to_string(records),
                "give a value for every column of every record");
  }
  for (std::size_t c = 0; c < columns.size(); ++c) check_values(study.columns[c], columns[c]);
  const integers::Encoder<Scheme> encoder(context);
  const integers::Encryptor<Scheme> encryptor(context, key);
  Upload<Scheme> upload;
  upload.records = study.each_slot ? 1 : static_cast<std::uint32_t>(records);
  for (const auto& column : columns) upload.columns.push_back(encryptor.encrypt(encoder.encode(column)));
  return upload;
}

template <class Scheme>
io::Bytes encode(const integers::Context<Scheme>& context, const Upload<Scheme>& upload) {
  const auto files = encode_all<Scheme>(context, upload.columns);
  io::ArrayRecord array;
  array.shape = {upload.columns.size(), upload.records};
  array.ciphertexts = views_of(files);
  return io::encode_array(array);
}

template <class Scheme>
io::Bytes encode(const integers::Context<Scheme>& context, const Aggregate<Scheme>& aggregate) {
  auto files = encode_all<Scheme>(context, aggregate.sums);
  for (auto& file : encode_all<Scheme>(context, aggregate.products)) files.push_back(std::move(file));
  io::ArrayRecord array;
  array.shape = {files.size()};
  array.rows = aggregate.uploads;
  array.cols = aggregate.records;
  array.ciphertexts = views_of(files);
  return io::encode_array(array);
}

template <class Scheme>
Upload<Scheme> decode_upload(const integers::Context<Scheme>& context, const Study& study, io::ByteView bytes) {
  const io::ArrayRecord array = io::decode_array(bytes);
  const std::size_t columns = study.columns.size();
  require_shape(
      array.shape.size() == 2 && array.shape[0] == columns && array.ciphertexts.size() == columns && array.rows == 0,
      "an upload");
  require_records(study, array.shape[1]);
  Upload<Scheme> upload;
  upload.records = static_cast<std::uint32_t>(array.shape[1]);
  for (const io::ByteView file : array.ciphertexts)
    upload.columns.push_back(io::decode_ciphertext(context, file, false));
  return upload;
}

template <class Scheme>
Aggregate<Scheme> decode_aggregate(const integers::Context<Scheme>& context, const Study& study, io::ByteView bytes) {
  const io::ArrayRecord array = io::decode_array(bytes);
  const std::size_t sums = study.columns.size(), all = sums + study.products();
  require_shape(array.shape == std::vector<std::uint64_t>{all} && array.ciphertexts.size() == all, "a result");
  require_shape(array.rows >= 1 && array.rows <= study.uploads && array.cols >= array.rows &&
                    array.cols <= study.capacity(context.plain_modulus()),
                "a result");
  Aggregate<Scheme> aggregate;
  aggregate.uploads = array.rows;
  aggregate.records = array.cols;
  for (std::size_t i = 0; i < all; ++i)
    (i < sums ? aggregate.sums : aggregate.products).push_back(io::decode_ciphertext(context, array.ciphertexts[i]));
  return aggregate;
}

template Upload<bgv::Scheme> encrypt(const bgv::Context&, const Study&, const PublicKey&,
                                     std::span<const std::vector<std::int64_t>>);
template Upload<bfv::Scheme> encrypt(const bfv::Context&, const Study&, const PublicKey&,
                                     std::span<const std::vector<std::int64_t>>);
template io::Bytes encode(const bgv::Context&, const Upload<bgv::Scheme>&);
template io::Bytes encode(const bfv::Context&, const Upload<bfv::Scheme>&);
template io::Bytes encode(const bgv::Context&, const Aggregate<bgv::Scheme>&);
template io::Bytes encode(const bfv::Context&, const Aggregate<bfv::Scheme>&);
template Upload<bgv::Scheme> decode_upload(const bgv::Context&, const Study&, io::ByteView);
template Upload<bfv::Scheme> decode_upload(const bfv::Context&, const Study&, io::ByteView);
template Aggregate<bgv::Scheme> decode_aggregate(const bgv::Context&, const Study&, io::ByteView);
template Aggregate<bfv::Scheme> decode_aggregate(const bfv::Context&, const Study&, io::ByteView);

}  // namespace ringfort::statistics
