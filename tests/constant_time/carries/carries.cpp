// SPDX-License-Identifier: Apache-2.0
// A pass of clang that runs before the pass of MemorySanitizer. MemorySanitizer treats the bits of secrets as
// undefined; these bits are called hidden. MemorySanitizer is too lenient for sums and products: a hidden bit of an
// operand hides only the result bit at the same position. The upper half of a product of hidden words would then count
// as known. Most secrets here pass through such products. Therefore this pass adds a zero to each result of a sum or a
// product. The value of the result does not change. If any bit of an operand is hidden, all bits of the zero are
// hidden. The pass does the same for quotients, remainders, and conversions between doubles and integers.
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include <cstdint>
#include <vector>

namespace {

using namespace llvm;

Type* bits_of(Type* type) {
  Type* word = IntegerType::get(type->getContext(), type->getScalarSizeInBits());
  if (auto* vector = dyn_cast<VectorType>(type)) return VectorType::get(word, vector->getElementCount());
  return word;
}

bool is_carrying(const Instruction& i) {
  if (!i.getType()->isIntOrIntVectorTy() && !i.getType()->isFPOrFPVectorTy()) return false;
  if (i.getType()->getScalarSizeInBits() < 8) return false;
  switch (i.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::SIToFP:
    case Instruction::UIToFP:
    case Instruction::FPToSI:
    case Instruction::FPToUI: return true;
    default: return false;
  }
}

// Returns a zero of `type`. If any bit of `x` is hidden, all bits of the zero are hidden. For MemorySanitizer, x ^ x
// has the hidden bits of x. The comparison of x ^ x with 0 is hidden if any bit of x ^ x is hidden.
Value* hidden_zero(IRBuilder<>& build, Value* x, Type* type) {
  Value* bits = build.CreateBitCast(x, bits_of(x->getType()));
  Value* differs = build.CreateICmpNE(build.CreateXor(bits, bits), Constant::getNullValue(bits->getType()));
  return build.CreateSExt(differs, type);
}

void spread(Instruction& i) {
  IRBuilder<> build(i.getNextNode());
  Type* words = bits_of(i.getType());
  Value* zero = Constant::getNullValue(words);
  for (Value* operand : i.operands()) {
    if (!isa<Constant>(operand)) zero = build.CreateXor(zero, hidden_zero(build, operand, words));
  }
  std::vector<Use*> uses;
  for (Use& use : i.uses()) uses.push_back(&use);
  Value* changed = build.CreateBitCast(build.CreateXor(build.CreateBitCast(&i, words), zero), i.getType());
  for (Use* use : uses) use->set(changed);
}

// Returns the operation on two words that the maximum or the minimum over a vector repeats. The reduction over a vector
// has no branch. But MemorySanitizer has no rule for it, and reports it as a finding.
Intrinsic::ID pairwise(const Instruction& i) {
  const auto* call = dyn_cast<IntrinsicInst>(&i);
  switch (call != nullptr ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
    case Intrinsic::vector_reduce_umax: return Intrinsic::umax;
    case Intrinsic::vector_reduce_umin: return Intrinsic::umin;
    case Intrinsic::vector_reduce_smax: return Intrinsic::smax;
    case Intrinsic::vector_reduce_smin: return Intrinsic::smin;
    default: return Intrinsic::not_intrinsic;
  }
}

void one_by_one(Instruction& i) {
  IRBuilder<> build(&i);
  Value* words = i.getOperand(0);
  Value* found = build.CreateExtractElement(words, std::uint64_t{0});
  for (unsigned k = 1; k < cast<FixedVectorType>(words->getType())->getNumElements(); ++k) {
    found = build.CreateBinaryIntrinsic(pairwise(i), found, build.CreateExtractElement(words, k));
  }
  i.replaceAllUsesWith(found);
  i.eraseFromParent();
}

// Recognizes the minimum of doubles in vectors of 512 bits, which the kernels apply to words. The instruction has no
// branch. But MemorySanitizer has no rule for it, and reports hidden operands as findings. as_selection() replaces it
// by a comparison and a selection, which give the same bits. For NaN, both return the second operand.
bool is_minimum_of_doubles(const Instruction& i) {
  const auto* call = dyn_cast<IntrinsicInst>(&i);
  return call != nullptr && call->getIntrinsicID() == Intrinsic::x86_avx512_min_pd_512;
}

void as_selection(Instruction& i) {
  IRBuilder<> build(&i);
  Value *first = i.getOperand(0), *second = i.getOperand(1);
  i.replaceAllUsesWith(build.CreateSelect(build.CreateFCmpOLT(first, second), first, second));
  i.eraseFromParent();
}

struct Carries : PassInfoMixin<Carries> {
  static bool isRequired() { return true; }
  PreservedAnalyses run(Function& function, FunctionAnalysisManager&) {
    std::vector<Instruction*> found, reduced, minima;
    for (Instruction& i : instructions(function)) {
      if (is_carrying(i)) found.push_back(&i);
      if (pairwise(i) != Intrinsic::not_intrinsic) reduced.push_back(&i);
      if (is_minimum_of_doubles(i)) minima.push_back(&i);
    }
    for (Instruction* i : found) spread(*i);
    for (Instruction* i : reduced) one_by_one(*i);
    for (Instruction* i : minima) as_selection(*i);
    return found.empty() && reduced.empty() && minima.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
  }
};

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "ringfort-carries", "1", [](PassBuilder& builder) {
            builder.registerOptimizerLastEPCallback([](ModulePassManager& passes, OptimizationLevel) {
              passes.addPass(createModuleToFunctionPassAdaptor(Carries()));
            });
          }};
}
