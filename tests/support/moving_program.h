// SPDX-License-Identifier: Apache-2.0
// Random programs on three devices, for CKKS, BFV and BGV. They consist of verbs, copies, moves, and results that are
// written into operands. The results are compared with those of the same program on one device. The numbers of uploads
// and downloads are compared with a model that knows which devices have which residues.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "math/types.h"
#include "ringfort/device.h"
#include "ringfort/keys.h"

namespace ringfort::testing {

inline constexpr std::size_t kDevices = 3;
using Moves = std::array<std::size_t, 2 * kDevices>;  // uploads to each device, then downloads from each device

// The model of the residues that one verb wrote. owners_[d] is the number of objects that share the residues on device
// d. A move transfers nothing. The first use on the new device transfers the residues. Until then, source_[d] is the
// device from which d will fetch the residues.
class Words {
 public:
  explicit Words(std::size_t device) { ++owners_[device]; }
  void send(std::size_t from, std::size_t to) {
    if (owners_[to] == 0 && !is_awaited(to)) source_[to] = source_[from].value_or(from);
    ++owners_[to];
  }
  void copy(std::size_t device) { ++owners_[device]; }
  void drop(std::size_t device) {
    if (--owners_[device] == 0) source_[device].reset();
  }
  void use(std::size_t device, Moves& moves) {
    if (!source_[device]) return;
    ++moves[device];
    ++moves[kDevices + *source_[device]];
    source_[device].reset();
  }

 private:
  [[nodiscard]] bool is_awaited(std::size_t device) const {
    return std::find(source_.begin(), source_.end(), std::optional(device)) != source_.end();
  }
  std::array<int, kDevices> owners_{};
  std::array<std::optional<std::size_t>, kDevices> source_;
};

template <class Ciphertext>
struct MovingObject {
  Ciphertext value, plain;  // `plain` never leaves the first device and shares no residues
  std::shared_ptr<Words> words;
  std::size_t device = 0;
};

// `encrypt` returns the ciphertext of a number. `residues` returns the residues of a ciphertext.
template <class Client, class Encrypt, class Residues>
class MovingProgram {
  using Context = decltype(Client::context);
  using Evaluator = decltype(Client::evaluator);
  using Ciphertext = std::invoke_result_t<Encrypt, const Client&, u64>;
  using Object = MovingObject<Ciphertext>;

 public:
  MovingProgram(const Client& client, u64 seed, Encrypt encrypt, Residues residues)
      : random_(seed),
        client_(client),
        residues_(residues) {
    contexts_.push_back(client_.context);
    for (const char* device : {"ref", "cpu"}) contexts_.emplace_back(client_.context.parameters(), device);
    for (std::size_t i = 0; i < kDevices; ++i) keys_.push_back(client_.galois.to(contexts_[i]));
    for (std::size_t i = 0; i < 4; ++i) {
      Ciphertext fresh = encrypt(client_, seed + i);
      Ciphertext apart = client_.evaluator.mod_switch(fresh, fresh.level());
      objects_.push_back({std::move(fresh), std::move(apart), std::make_shared<Words>(0), 0});
    }
    for (std::size_t i = 0; i < kDevices; ++i)
      (void)Evaluator(contexts_[i]).rotate(objects_[0].plain.to(contexts_[i]), 1, keys_[i]);
    for (std::size_t i = 0; i < kDevices; ++i) contexts_[i].keys().profile(&profiles_[i]);
  }

  void run_steps(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) step(random_() % 7);
    for (std::size_t i = 0; i < kDevices; ++i) contexts_[i].keys().profile(nullptr);
    EXPECT_EQ(found(), expected_);
    for (const Object& object : objects_) EXPECT_EQ(residues_(object.value), residues_(object.plain));
  }
  [[nodiscard]] std::size_t uploads() const { return expected_[0] + expected_[1] + expected_[2]; }

 private:
  void step(std::size_t what) {
    const std::size_t a = pick(), b = pick();
    switch (what) {
      case 0: return put(a, moved(objects_[b], random_() % kDevices));
      case 1: return put(a, copied(objects_[b]));
      case 2: return sum(a, a, b);
      case 3: return sum(pick(), a, b);
      case 4: return turn(pick(), a);
      case 5: return sum(b, a, b);
      default: return products(a, b);
    }
  }
  [[nodiscard]] std::size_t pick() { return random_() % objects_.size(); }

  Object moved(const Object& from, std::size_t to) {
    from.words->send(from.device, to);
    return {from.value.to(contexts_[to]), client_.evaluator.mod_switch(from.plain, from.plain.level()), from.words, to};
  }
  Object copied(const Object& from) {
    from.words->copy(from.device);
    return {from.value.clone(), client_.evaluator.mod_switch(from.plain, from.plain.level()), from.words, from.device};
  }
  void use(const Object& object) { object.words->use(object.device, expected_); }
  void put(std::size_t at, Object&& object) {
    objects_[at].words->drop(objects_[at].device);
    objects_[at] = std::move(object);
  }
  // Computes out = a - b on the device of a. `out` may be an operand. If its memory is on that device, the memory is
  // reused.
  void sum(std::size_t out, std::size_t a, std::size_t b) {
    const std::size_t device = objects_[a].device;
    const Object there = moved(objects_[b], device);
    use(objects_[a]);
    use(there);
    Object result{std::move(objects_[out].value), std::move(objects_[out].plain), std::make_shared<Words>(device),
                  device};
    const Ciphertext &x = out == a ? result.value : objects_[a].value, &y = there.value;
    const Ciphertext &p = out == a ? result.plain : objects_[a].plain, &q = there.plain;
    Evaluator(contexts_[device]).subtract_into(result.value, x, y);
    client_.evaluator.subtract_into(result.plain, p, q);
    there.words->drop(device);
    put(out, std::move(result));
  }
  void turn(std::size_t out, std::size_t a) {
    use(objects_[a]);
    const std::size_t device = objects_[a].device;
    put(out, {Evaluator(contexts_[device]).rotate(objects_[a].value, 1, keys_[device]),
              client_.evaluator.rotate(objects_[a].plain, 1, client_.galois), std::make_shared<Words>(device), device});
  }
  // Adds products to a sum. Meanwhile, a copy on the same device and a pending copy on another device share the
  // residues of the sum.
  void products(std::size_t a, std::size_t b) {
    const std::size_t device = objects_[a].device, other = (device + 1) % kDevices;
    const Object there = moved(objects_[b], device);
    use(objects_[a]);
    use(there);
    const Evaluator evaluator(contexts_[device]);
    Ciphertext total = evaluator.multiply(objects_[a].value, there.value);
    const Ciphertext kept = total.clone(), promised = total.to(contexts_[other]);
    evaluator.multiply_add_into(total, objects_[a].value, there.value);
    const Ciphertext twice = Evaluator(contexts_[other]).add(promised, promised);
    ++expected_[other];
    ++expected_[kDevices + device];
    there.words->drop(device);
    for (std::size_t i = 0; i < kDevices; ++i) contexts_[i].keys().profile(nullptr);
    EXPECT_EQ(residues_(total), residues_(evaluator.add(kept, kept)));
    EXPECT_EQ(residues_(total), residues_(twice));
    for (std::size_t i = 0; i < kDevices; ++i) contexts_[i].keys().profile(&profiles_[i]);
  }

  [[nodiscard]] Moves found() const {
    Moves moves{};
    for (std::size_t i = 0; i < kDevices; ++i) {
      for (const VerbRecord& record : profiles_[i].records()) {
        moves[i] += record.verb == "upload";
        moves[kDevices + i] += record.verb == "download";
      }
    }
    return moves;
  }

  std::mt19937_64 random_;
  const Client& client_;
  Residues residues_;
  std::vector<Context> contexts_;
  std::vector<GaloisKeys> keys_;
  std::array<Profile, kDevices> profiles_;
  std::vector<Object> objects_;
  Moves expected_{};
};

}  // namespace ringfort::testing
