// SPDX-License-Identifier: Apache-2.0
// Loads saved objects of SEAL's interface (compat/seal). The first byte chooses the class; the rest are the members,
// which follow SEAL's header in a file. The members are loaded twice: unchanged, and changed to an object for the
// target's context. The ring degree is 32, and BFV has two data primes and one special prime of 40 bits.
#include <sstream>

#include "context_state.h"
#include "leveled.h"
#include "seal/seal.h"

namespace ringfort::fuzz {
namespace {

struct Loader {
  seal::SEALContext context{parameters(), true, seal::sec_level_type::none};
  seal::Evaluator evaluator{context};
  io::Scope scope{std::get<bfv::Context>(context.state()->ring)};

  static seal::EncryptionParameters parameters() {
    seal::EncryptionParameters parms(seal::scheme_type::bfv);
    parms.set_poly_modulus_degree(32);
    parms.set_coeff_modulus(seal::CoeffModulus::Create(32, {40, 40, 40}));
    parms.set_plain_modulus(257);
    return parms;
  }
};

const Loader& loader() {
  static const Loader only;
  return only;
}

// Runs `body`. Only errors of the standard library may leave SEAL's interface.
template <class F>
bool is_accepted(F body) {
  try {
    body();
    return true;
  } catch (const Error&) { __builtin_trap(); } catch (const std::logic_error&) {
  } catch (const std::runtime_error&) {}
  return false;
}

template <class Object>
void square(const Object&) {}
void square(const seal::Ciphertext& loaded) {
  seal::Ciphertext product;
  (void)is_accepted([&] { loader().evaluator.square(loaded, product); });
}

// Loads an object, and requires that it is saved with the same size.
template <class Object>
void load(std::span<const u8> file) {
  Object object;
  const auto* const bytes = reinterpret_cast<const seal::seal_byte*>(file.data());
  if (!is_accepted([&] {
        if constexpr (requires { object.load(loader().context, bytes, file.size()); })
          object.load(loader().context, bytes, file.size());
        else object.load(bytes, file.size());
      }))
    return;
  std::ostringstream again;
  object.save(again);
  if (again.str().size() != file.size()) __builtin_trap();
  square(object);
}

constexpr void (*kLoaders[])(std::span<const u8>) = {load<seal::Modulus>,   load<seal::EncryptionParameters>,
                                                     load<seal::Plaintext>, load<seal::Ciphertext>,
                                                     load<seal::SecretKey>, load<seal::PublicKey>,
                                                     load<seal::RelinKeys>, load<seal::GaloisKeys>};
enum Kind : std::size_t { ciphertext = 3, secret_key = 4, public_key = 5, relin_keys = 6, galois_keys = 7 };

// Adds SEAL's header for an object with these members.
std::vector<u8> with_header(std::span<const u8> members) {
  seal::Serialization::SEALHeader header;
  header.size = sizeof header + members.size();
  std::vector<u8> file(reinterpret_cast<const u8*>(&header), reinterpret_cast<const u8*>(&header) + sizeof header);
  file.insert(file.end(), members.begin(), members.end());
  return file;
}

// Sets the hash of the parameters, and changes the file inside to one for the context. `before`: number of bytes of the
// members before the length of this file.
void adopt_members(std::span<u8> members, const seal::parms_id_type& id, std::size_t before) {
  if (members.size() < before + 8) return;
  std::copy_n(reinterpret_cast<const u8*>(id.data()), sizeof id, members.begin());
  io::store_u64(&members[before], members.size() - before - 8);
  adopt(members.subspan(before + 8), loader().scope);
}

void make_ours(std::size_t kind, std::span<u8> members) {
  constexpr std::size_t kHash = sizeof(seal::parms_id_type);
  const seal::SEALContext& context = loader().context;
  if (kind == ciphertext) adopt_members(members, context.first_parms_id(), kHash + 1 + 8 + 1);
  if (kind == secret_key || kind == public_key) adopt_members(members, context.key_parms_id(), kHash + 1);
  if ((kind != relin_keys && kind != galois_keys) || members.size() < kHash + 8) return;
  const std::size_t elements = io::load_u64(&members[kHash]) % 4;
  io::store_u64(&members[kHash], elements);
  adopt_members(members, context.key_parms_id(), kHash + 8 + 4 * elements + 2);
}

}  // namespace
}  // namespace ringfort::fuzz

extern "C" int LLVMFuzzerTestOneInput(const ringfort::u8* data, std::size_t size) {
  using namespace ringfort::fuzz;
  if (size == 0) return 0;
  const std::size_t kind = data[0] % std::size(kLoaders);
  std::vector<ringfort::u8> members(data + 1, data + size);
  kLoaders[kind](with_header(members));
  make_ours(kind, members);
  kLoaders[kind](with_header(members));
  return 0;
}
