// SPDX-License-Identifier: Apache-2.0
// Writes the files of this folder with SEAL 4.1.2: npm install node-seal@7.0.0; node write.mjs
// node-seal is SEAL, compiled to WebAssembly. Every run writes other keys.
import { writeFileSync } from 'node:fs';
import SEAL from 'node-seal';

const seal = await SEAL();
const { none, zlib, zstd } = seal.ComprModeType;

function machine(name, scheme, n, bits, plain) {
  const parms = new seal.EncryptionParameters(scheme);
  parms.setPolyModulusDegree(n);
  parms.setCoeffModulus(seal.CoeffModulus.Create(n, Int32Array.from(bits)));
  if (plain) parms.setPlainModulus(new seal.Modulus(plain));
  const context = new seal.SEALContext(parms, true, seal.SecLevelType.none);
  const generator = new seal.KeyGenerator(context);
  const secret = generator.secretKey();
  const save = (what, object, mode = none) => writeFileSync(`${name}_${what}.seal`, object.saveToArray(mode));
  save('parameters', parms);
  save('secret', secret);
  return { parms, context, generator, secret, save, encryptor: new seal.Encryptor(context, generator.createPublicKey(), secret) };
}

// Slot i of the first operand has i - 3, and slot i of the second one has 2 i + 1.
function integers(name, scheme) {
  const m = machine(name, scheme, 64, [50, 50, 50], 7681n);
  const encoder = new seal.BatchEncoder(m.context);
  const encoded = (f) => {
    const plain = new seal.Plaintext();
    encoder.encode(BigInt64Array.from({ length: 64 }, (_, i) => BigInt(f(i))), plain);
    return plain;
  };
  const a = encoded((i) => i - 3), b = encoded((i) => 2 * i + 1), x = new seal.Ciphertext();
  m.encryptor.encrypt(a, x);
  m.save('plain', a);
  m.save('public', m.generator.createPublicKey());
  m.save('relin', m.generator.createRelinKeys());
  m.save('galois_seeded', m.generator.createGaloisKeysSerializableWithSteps(Int32Array.from([1, 0])));
  m.save('first', x);
  m.save('second_seeded', m.encryptor.encryptSymmetricSerializable(b));
  const square = new seal.Ciphertext(), low = new seal.Ciphertext();
  new seal.Evaluator(m.context).square(x, square);
  new seal.Evaluator(m.context).cipherModSwitchToNext(square, low);
  m.save('square_low', low);
}

// Slot i of the first operand has i / 128, and slot i of the second one has 1 - i / 256.
function numbers(name) {
  const m = machine(name, seal.SchemeType.ckks, 256, [50, 30, 50], null);
  const encoder = new seal.CKKSEncoder(m.context);
  const encoded = (f) => {
    const plain = new seal.Plaintext();
    encoder.encode(Float64Array.from({ length: 128 }, (_, i) => f(i)), 2 ** 30, plain);
    return plain;
  };
  const a = encoded((i) => i / 128), b = encoded((i) => 1 - i / 256), x = new seal.Ciphertext();
  m.encryptor.encrypt(a, x);
  m.save('plain_zstd', a, zstd);
  m.save('first_zlib', x, zlib);
  m.save('second_seeded_zstd', m.encryptor.encryptSymmetricSerializable(b), zstd);
  m.save('second_seeded', m.encryptor.encryptSymmetricSerializable(b));
  m.save('public_seeded', m.generator.createPublicKeySerializable());
  m.save('relin_seeded', m.generator.createRelinKeysSerializable());
  m.save('galois_seeded_zlib', m.generator.createGaloisKeysSerializableWithSteps(Int32Array.from([1, 0])), zlib);
}

integers('bfv', seal.SchemeType.bfv);
integers('bgv', seal.SchemeType.bgv);
numbers('ckks');
