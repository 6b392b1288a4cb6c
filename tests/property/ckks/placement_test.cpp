// SPDX-License-Identifier: Apache-2.0
// Random programs over three places, of verbs, copies, moves and results written into operands, give what they give on one device, and move
// exactly the words that a model of who holds what says; sixteen threads that are first to use a key bring it once.
#include <thread>

#include "ringfort/device.h"
#include "support/ckks.h"

namespace ringfort::ckks {
namespace {

using testing::Client;

constexpr std::size_t kPlaces = 3;
using Moves = std::array<std::size_t, 2 * kPlaces>;                    // uploads, then downloads

testing::Shape shape() {
  testing::Shape shape;
  shape.n = 32;
  return shape;
}

// The words that one verb wrote: how many objects of each place have them, and which places wait for which.
class Words {
 public:
  explicit Words(std::size_t place) { ++held_[place]; }
  void send(std::size_t from, std::size_t to) {
    if (held_[to] == 0 && !is_awaited(to)) source_[to] = source_[from].value_or(from);
    ++held_[to];
  }
  void copy(std::size_t place) { ++held_[place]; }
  void drop(std::size_t place) {
    if (--held_[place] == 0) source_[place].reset();
  }
  void use(std::size_t place, Moves& moves) {
    if (!source_[place]) return;
    ++moves[place];
    ++moves[kPlaces + *source_[place]];
    source_[place].reset();
  }

 private:
  [[nodiscard]] bool is_awaited(std::size_t place) const { return std::find(source_.begin(), source_.end(), std::optional(place)) != source_.end(); }
  std::array<int, kPlaces> held_{};
  std::array<std::optional<std::size_t>, kPlaces> source_;
};

struct Object {
  Ciphertext value, plain;                                             // `plain` never leaves home and shares nothing
  std::shared_ptr<Words> words;
  std::size_t place = 0;
};

class Program {
 public:
  explicit Program(u64 seed) : random_(seed), client_(testing::parameters_of(shape()), "cpu", {1}) {
    contexts_.push_back(client_.context);
    for (const char* device : {"ref", "cpu"}) contexts_.emplace_back(client_.context.parameters(), device);
    for (std::size_t i = 0; i < kPlaces; ++i) keys_.push_back(client_.galois.to(contexts_[i]));
    for (std::size_t i = 0; i < 4; ++i) {
      Ciphertext fresh = client_.encrypt(testing::random_values(16, seed + i));
      Ciphertext apart = client_.evaluator.mod_switch(fresh, fresh.level());
      objects_.push_back({std::move(fresh), std::move(apart), std::make_shared<Words>(0), 0});
    }
    for (std::size_t i = 0; i < kPlaces; ++i) (void)Evaluator(contexts_[i]).rotate(objects_[0].plain.to(contexts_[i]), 1, keys_[i]);
    for (std::size_t i = 0; i < kPlaces; ++i) contexts_[i].keys().profile(&profiles_[i]);
  }

  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) step(random_() % 7);
    for (std::size_t i = 0; i < kPlaces; ++i) contexts_[i].keys().profile(nullptr);
    EXPECT_EQ(found(), expected_);
    for (const Object& object : objects_) EXPECT_EQ(testing::residues(object.value), testing::residues(object.plain));
  }
  [[nodiscard]] std::size_t uploads() const { return expected_[0] + expected_[1] + expected_[2]; }

 private:
  void step(std::size_t what) {
    const std::size_t a = pick(), b = pick();
    switch (what) {
      case 0: return put(a, moved(objects_[b], random_() % kPlaces));
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
    from.words->send(from.place, to);
    return {from.value.to(contexts_[to]), client_.evaluator.mod_switch(from.plain, from.plain.level()), from.words, to};
  }
  Object copied(const Object& from) {
    from.words->copy(from.place);
    return {from.value.clone(), client_.evaluator.mod_switch(from.plain, from.plain.level()), from.words, from.place};
  }
  void use(const Object& object) { object.words->use(object.place, expected_); }
  void put(std::size_t at, Object&& object) {
    objects_[at].words->drop(objects_[at].place);
    objects_[at] = std::move(object);
  }
  // out (perhaps an operand) = a - b on the device of a, in out's memory where that is there.
  void sum(std::size_t out, std::size_t a, std::size_t b) {
    const std::size_t place = objects_[a].place;
    const Object there = moved(objects_[b], place);
    use(objects_[a]);
    use(there);
    Object result{std::move(objects_[out].value), std::move(objects_[out].plain), std::make_shared<Words>(place), place};
    const Ciphertext &x = out == a ? result.value : objects_[a].value, &y = there.value;
    const Ciphertext &p = out == a ? result.plain : objects_[a].plain, &q = there.plain;
    Evaluator(contexts_[place]).sub_into(result.value, x, y);
    client_.evaluator.sub_into(result.plain, p, q);
    there.words->drop(place);
    put(out, std::move(result));
  }
  void turn(std::size_t out, std::size_t a) {
    use(objects_[a]);
    const std::size_t place = objects_[a].place;
    put(out, {Evaluator(contexts_[place]).rotate(objects_[a].value, 1, keys_[place]), client_.evaluator.rotate(objects_[a].plain, 1, client_.galois),
              std::make_shared<Words>(place), place});
  }
  // A sum of products grows while copies of it are kept here and promised elsewhere.
  void products(std::size_t a, std::size_t b) {
    const std::size_t place = objects_[a].place, other = (place + 1) % kPlaces;
    const Object there = moved(objects_[b], place);
    use(objects_[a]);
    use(there);
    const Evaluator evaluator(contexts_[place]);
    Ciphertext total = evaluator.multiply(objects_[a].value, there.value);
    const Ciphertext kept = total.clone(), promised = total.to(contexts_[other]);
    evaluator.multiply_add_into(total, objects_[a].value, there.value);
    const Ciphertext twice = Evaluator(contexts_[other]).add(promised, promised);
    ++expected_[other];
    ++expected_[kPlaces + place];
    there.words->drop(place);
    for (std::size_t i = 0; i < kPlaces; ++i) contexts_[i].keys().profile(nullptr);
    EXPECT_EQ(testing::residues(total), testing::residues(evaluator.add(kept, kept)));
    EXPECT_EQ(testing::residues(total), testing::residues(twice));
    for (std::size_t i = 0; i < kPlaces; ++i) contexts_[i].keys().profile(&profiles_[i]);
  }

  [[nodiscard]] Moves found() const {
    Moves moves{};
    for (std::size_t i = 0; i < kPlaces; ++i) {
      for (const VerbRecord& record : profiles_[i].records()) {
        moves[i] += record.verb == "upload";
        moves[kPlaces + i] += record.verb == "download";
      }
    }
    return moves;
  }

  std::mt19937_64 random_;
  Client client_;
  std::vector<Context> contexts_;
  std::vector<GaloisKeys> keys_;
  std::array<Profile, kPlaces> profiles_;
  std::vector<Object> objects_;
  Moves expected_{};
};

TEST(CkksPlacement, RandomProgramsOnThreeDevicesGiveTheBitsOfOneAndMoveNoWordTwice) {
  std::size_t uploads = 0;
  for (u64 seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::choose_seed(seed);
    Program program(seed);
    program.run(40);
    uploads += program.uploads();
    if (HasFailure()) break;
  }
  EXPECT_GT(uploads, 300u);
}

TEST(CkksPlacement, SixteenThreadsThatAreFirstToUseAKeyBringItOnce) {
  testing::choose_seed(8);
  const Client client(testing::parameters_of(shape()), "cpu", {1});
  const Context there(client.context.parameters(), "ref");
  const Ciphertext a = client.encrypt(testing::random_values(16, 3)), square = client.evaluator.square(a);
  const std::vector<u64> expected = testing::residues(client.evaluator.relinearize(square, client.relinearization));
  const RelinearizationKey key = client.relinearization.to(there);
  const Ciphertext moved = square.to(there);
  Profile profile;
  there.keys().profile(&profile);
  std::array<Ciphertext, 16> found;
  std::vector<std::thread> team;
  for (Ciphertext& out : found) team.emplace_back([&] { out = Evaluator(there).relinearize(moved, key).to(client.context); });
  for (std::thread& thread : team) thread.join();
  there.keys().profile(nullptr);
  std::size_t uploads = 0;
  for (const VerbRecord& record : profile.records()) uploads += record.verb == "upload";
  EXPECT_EQ(uploads, 2u);
  for (const Ciphertext& out : found) EXPECT_EQ(testing::residues(out), expected);
}

}  // namespace
}  // namespace ringfort::ckks
