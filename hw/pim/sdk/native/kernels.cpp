// SPDX-License-Identifier: Apache-2.0
// Lists the kernels by name, and computes the work of a launch from its arguments. The work determines the time of the
// launch. Each kernel has its own unit of work. Incomplete groups of rows or products count as complete, because a
// kernel computes them in full. hw/pim/README.md explains the terms.
#include <algorithm>
#include <bit>

#include "kernels/accumulate.h"
#include "kernels/automorphism.h"
#include "kernels/barrett.h"
#include "kernels/convert.h"
#include "kernels/convolve.h"
#include "kernels/decompose.h"
#include "kernels/elementwise.h"
#include "kernels/elementwise64.h"
#include "kernels/expand.h"
#include "kernels/inner_product.h"
#include "kernels/ntt.h"
#include "kernels/tensor.h"
#include "native.h"
#include "sim/words.h"

// The main function and the arguments of each kernel. The build gives them these names.
extern "C" {
int ringfort_native_accumulate(void);
extern AccumulateArguments ringfort_native_accumulate_arguments;
int ringfort_native_automorphism(void);
extern AutomorphismArguments ringfort_native_automorphism_arguments;
int ringfort_native_automorphism64(void);
extern Automorphism64Arguments ringfort_native_automorphism64_arguments;
int ringfort_native_barrett(void);
extern BarrettArguments ringfort_native_barrett_arguments;
int ringfort_native_convert(void);
extern ConvertArguments ringfort_native_convert_arguments;
int ringfort_native_convert64(void);
extern Convert64Arguments ringfort_native_convert64_arguments;
int ringfort_native_convolve(void);
extern ConvolveArguments ringfort_native_convolve_arguments;
int ringfort_native_decompose(void);
extern DecomposeArguments ringfort_native_decompose_arguments;
int ringfort_native_decompose64(void);
extern Decompose64Arguments ringfort_native_decompose64_arguments;
int ringfort_native_elementwise(void);
extern ElementwiseArguments ringfort_native_elementwise_arguments;
int ringfort_native_elementwise64(void);
extern Elementwise64Arguments ringfort_native_elementwise64_arguments;
int ringfort_native_expand(void);
extern ExpandArguments ringfort_native_expand_arguments;
int ringfort_native_expand64(void);
extern Expand64Arguments ringfort_native_expand64_arguments;
int ringfort_native_inner_product(void);
extern InnerProductArguments ringfort_native_inner_product_arguments;
int ringfort_native_inner_product64(void);
extern InnerProduct64Arguments ringfort_native_inner_product64_arguments;
int ringfort_native_ntt(void);
extern NttArguments ringfort_native_ntt_arguments;
int ringfort_native_ntt64(void);
extern Ntt64Arguments ringfort_native_ntt64_arguments;
int ringfort_native_tensor(void);
extern TensorArguments ringfort_native_tensor_arguments;
int ringfort_native_tensor64(void);
extern Tensor64Arguments ringfort_native_tensor64_arguments;
}

namespace ringfort::pim {
namespace {

const char* width(u32 narrow) { return narrow != 0 ? "24" : "30"; }

u32 upwards(u32 count, u32 step) { return (count + step - 1) / step; }  // returns count / step, rounded up

// Returns the work of `words` words. Tasklets take blocks of `block` words in turn. The work of a word is `weight`
// units.
Work in_blocks(std::string shape, std::vector<u32> sizes, u32 words, u32 block, double weight) {
  const u32 rounds = upwards(upwards(words, std::max(block, 1u)), kNativeTasklets);
  return {std::move(shape), std::move(sizes), words * weight, std::min(words, rounds * block) * weight};
}

// Returns the number of words in a block. It is at most `most`. If the vector is short, the blocks are smaller, so that
// all tasklets have work.
u32 shared_block(u32 words, u32 most, u32 step) {
  return std::min(most, upwards(upwards(words, kNativeTasklets), step) * step);
}

// Returns the work of several polynomials. All tasklets together compute one polynomial after the other.
Work in_turn(std::string shape, u32 polynomials) {
  return {std::move(shape), {polynomials}, static_cast<double>(polynomials), 0};
}

template <std::size_t Count>
std::string name_of(const char* const (&names)[Count], u32 verb) {
  return verb < Count ? names[verb] : "unknown";
}

Work work_of(const ElementwiseArguments& a) {
  constexpr const char* kVerbs[] = {
      "add",      "sub",      "negate", "multiply30", "multiply24", "multiply_add30", "multiply_add24",
      "scalar30", "scalar24", "scalar8"};
  return in_blocks("elementwise/" + name_of(kVerbs, a.verb), {a.words}, a.words, shared_block(a.words, 256, 8), 1);
}

// Returns the work of the kernel accumulate. The reduction of a column costs as much as forty rows.
Work work_of(const AccumulateArguments& a) {
  return in_blocks("accumulate", {a.words, a.rows}, a.words, 64, upwards(a.rows, 8) * 8 + 40);
}

Work work_of(const TensorArguments& a) {
  return in_blocks(std::string("tensor") + width(a.narrow), {a.words}, a.words, 128, 1);
}

Work work_of(const BarrettArguments& a) {
  constexpr const char* kVerbs[] = {"product60", "butterfly60", "sum60"};
  return in_blocks("barrett/" + name_of(kVerbs, a.verb), {a.words, a.bits}, a.words, shared_block(a.words, 128, 1), 1);
}

Work work_of(const NttArguments& a) {
  const std::string direction = a.verb == kForward ? "forward" : "inverse";
  return in_turn("ntt/" + direction + width(a.narrow) + "/" + std::to_string(a.log_n + a.log_rows), a.polynomials);
}

Work work_of(const AutomorphismArguments& a) {
  const std::string domain = a.domain == kCoefficients ? "coefficients" : "values";
  return in_turn("automorphism/" + domain + "/" + std::to_string(a.log_n), a.polynomials);
}

Work work_of(const DecomposeArguments& a) {
  const double weight = a.polynomials * (a.digits + 0.5);  // lifting a coefficient costs as much as half a digit
  return in_blocks(a.centred != 0 ? "decompose/centred" : "decompose/plain",
                   {a.words, a.digits, a.polynomials, a.base_bits, a.shift}, a.words, 256, weight);
}

// Returns the work of the kernels inner_product and convert. The unit is one instruction. A product takes 46
// instructions. A group of up to eight products takes 50 more, for its reduction and for its part of the write.
Work work_of(const InnerProductArguments& a) {
  const double weight = 46.0 * a.inner + 50.0 * upwards(a.inner, 8);
  return in_blocks(std::string("inner_product") + width(a.narrow), {a.words, a.rows, a.inner, a.columns}, a.words, 32,
                   weight * a.rows * a.columns);
}

Work work_of(const ConvertArguments& a) {
  const std::string verb = a.verb == kConvert ? "convert" : "mod_down";
  const double weight = 170.0 * a.sources + a.targets * (46.0 * (a.sources + 1) + 50.0 * upwards(a.sources + 1, 8));
  return in_blocks(verb + width(a.narrow), {a.words, a.sources, a.targets}, a.words,
                   a.sources <= 36   ? 16
                   : a.sources <= 74 ? 8
                                     : 4,
                   weight);
}

Work work_of(const ExpandArguments& a) {
  return in_blocks("expand", {a.words, a.polynomials}, a.words, 64, a.polynomials);
}

Work work_of(const ConvolveArguments& a) {
  const bool whole = a.count >= kNativeTasklets * kConvolveChunk && a.count % kConvolveChunk == 0;
  return in_blocks(a.q == 65537 ? "convolve/short" : "convolve/montgomery", {a.words, a.count}, a.count,
                   whole ? kConvolveChunk : kConvolvePiece, a.words);
}

// Returns the work of the kernels on 64-bit words. Except in expand64, their blocks have as many bytes as those of the
// kernels on 32-bit words.
Work work_of(const Elementwise64Arguments& a) {
  constexpr const char* kVerbs[] = {"add", "sub", "negate", "copy", "multiply", "multiply_add", "scalar"};
  const char* const narrow = a.verb >= kMultiply64 && a.narrow != 0 ? "56" : "";
  return in_blocks("elementwise64/" + name_of(kVerbs, a.verb) + narrow, {a.words}, a.words,
                   shared_block(a.words, 128, 8), 1);
}

Work work_of(const Tensor64Arguments& a) {
  return in_blocks(a.narrow != 0 ? "tensor64/56" : "tensor64", {a.words}, a.words, 64, 1);
}

Work work_of(const Ntt64Arguments& a) {
  const std::string direction = a.verb == kForward ? "forward" : "inverse";
  return in_turn("ntt64/" + direction + (a.narrow != 0 ? "56/" : "/") + std::to_string(a.log_n + a.log_rows),
                 a.polynomials);
}

Work work_of(const Automorphism64Arguments& a) {
  const std::string domain = a.domain == kCoefficients ? "coefficients" : "values";
  return in_turn("automorphism64/" + domain + "/" + std::to_string(a.log_n), a.polynomials);
}

Work work_of(const Decompose64Arguments& a) {
  return in_blocks(a.centred != 0 ? "decompose64/centred" : "decompose64/plain",
                   {a.words, a.digits, a.polynomials, a.base_bits, a.shift}, a.words, 128,
                   a.polynomials * (a.digits + 0.5));
}

// Returns the work of the kernels inner_product64 and convert64. The unit is one instruction. A product takes 160
// instructions. A group of up to eight products takes 220 more in convert64, for its reduction. In inner_product64 it
// takes 560 more, because the reduction divides by 2^64, and another product cancels this division.
Work work_of(const InnerProduct64Arguments& a) {
  const double weight = 160.0 * a.inner + 560.0 * upwards(a.inner, 8);
  return in_blocks("inner_product64", {a.words, a.rows, a.inner, a.columns}, a.words, 16, weight * a.rows * a.columns);
}

Work work_of(const Convert64Arguments& a) {
  const double weight = 560.0 * a.sources + a.targets * (160.0 * (a.sources + 1) + 220.0 * upwards(a.sources + 1, 8));
  return in_blocks("convert64", {a.words, a.sources, a.targets}, a.words,
                   a.sources <= 36   ? 8
                   : a.sources <= 74 ? 4
                                     : 2,
                   weight);
}

Work work_of(const Expand64Arguments& a) {
  return in_blocks("expand64", {a.words, a.polynomials}, a.words, 64, a.polynomials);
}

template <class Arguments>
NativeKernel kernel(std::string_view name, int (*main)(), Arguments& arguments) {
  return {name, main, &arguments, sizeof arguments,
          [](const void* bytes) { return work_of(*static_cast<const Arguments*>(bytes)); }};
}

const NativeKernel kKernels[] = {
    kernel("accumulate", ringfort_native_accumulate, ringfort_native_accumulate_arguments),
    kernel("automorphism", ringfort_native_automorphism, ringfort_native_automorphism_arguments),
    kernel("automorphism64", ringfort_native_automorphism64, ringfort_native_automorphism64_arguments),
    kernel("barrett", ringfort_native_barrett, ringfort_native_barrett_arguments),
    kernel("convert", ringfort_native_convert, ringfort_native_convert_arguments),
    kernel("convert64", ringfort_native_convert64, ringfort_native_convert64_arguments),
    kernel("convolve", ringfort_native_convolve, ringfort_native_convolve_arguments),
    kernel("decompose", ringfort_native_decompose, ringfort_native_decompose_arguments),
    kernel("decompose64", ringfort_native_decompose64, ringfort_native_decompose64_arguments),
    kernel("elementwise", ringfort_native_elementwise, ringfort_native_elementwise_arguments),
    kernel("elementwise64", ringfort_native_elementwise64, ringfort_native_elementwise64_arguments),
    kernel("expand", ringfort_native_expand, ringfort_native_expand_arguments),
    kernel("expand64", ringfort_native_expand64, ringfort_native_expand64_arguments),
    kernel("inner_product", ringfort_native_inner_product, ringfort_native_inner_product_arguments),
    kernel("inner_product64", ringfort_native_inner_product64, ringfort_native_inner_product64_arguments),
    kernel("ntt", ringfort_native_ntt, ringfort_native_ntt_arguments),
    kernel("ntt64", ringfort_native_ntt64, ringfort_native_ntt64_arguments),
    kernel("tensor", ringfort_native_tensor, ringfort_native_tensor_arguments),
    kernel("tensor64", ringfort_native_tensor64, ringfort_native_tensor64_arguments),
};

}  // namespace

std::span<const NativeKernel> native_kernels() { return kKernels; }

}  // namespace ringfort::pim
