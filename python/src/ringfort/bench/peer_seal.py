# SPDX-License-Identifier: Apache-2.0
"""Measures SEAL, from the wheel `tenseal`. Prints the medians as one JSON document.

Runs in any interpreter that has the wheel, and does not import ringfort. Uses one thread, and the ring degrees and
prime lengths of bench/operations.h. Rows with n = 65536 and rows of BGV are absent: SEAL does not support n = 65536,
and the wheel has no functions for BGV.
"""

import json
import math
import statistics
import sys
import time
from importlib.metadata import version


def median_us(call, quick):
    call()
    budget, samples = (0.2 if quick else 1.0), []
    while len(samples) < 3 or (len(samples) < 15 and sum(samples) < budget):
        begin = time.perf_counter()
        call()
        samples.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(samples)


def context_of(seal, scheme, n, lengths):
    parameters = seal.EncryptionParameters(scheme)
    parameters.set_poly_modulus_degree(n)
    parameters.set_coeff_modulus(seal.CoeffModulus.Create(n, lengths))
    if scheme == seal.SCHEME_TYPE.BFV:
        parameters.set_plain_modulus(65537)
    return seal.SEALContext(parameters, True, seal.SEC_LEVEL_TYPE.TC128)


class Client:
    def __init__(self, seal, context):
        self.seal, self.evaluator = seal, seal.Evaluator(context)
        keys = seal.KeyGenerator(context)
        self.open, self.relin, self.galois = seal.PublicKey(), seal.RelinKeys(), seal.GaloisKeys()
        keys.create_public_key(self.open)
        keys.create_relin_keys(self.relin)
        keys.create_galois_keys([3], self.galois)  # the g of x -> x^g, which rotates by one slot
        self.encryptor, self.decryptor = (
            seal.Encryptor(context, self.open),
            seal.Decryptor(context, keys.secret_key()),
        )

    def encrypt(self, plain, out=None):
        out = out or self.seal.Ciphertext()
        self.encryptor.encrypt(plain, out)
        return out

    def mul_lin(self, a, b, out):
        self.evaluator.multiply(a, b, out)
        self.evaluator.relinearize_inplace(out, self.relin)

    def sqr_lin(self, a, out):
        self.evaluator.square(a, out)
        self.evaluator.relinearize_inplace(out, self.relin)


def ckks_calls(seal, n, primes):
    context = context_of(seal, seal.SCHEME_TYPE.CKKS, n, [50] * (primes + 1))
    client, encoder, scale = Client(seal, context), seal.CKKSEncoder(context), 2.0**50
    values = [math.cos(0.37 * i) for i in range(n // 2)]
    plain, out, third, shown = seal.Plaintext(), seal.Ciphertext(), seal.Ciphertext(), seal.Plaintext()
    encoder.encode(values, scale, plain)
    a, b, e = client.encrypt(plain), client.encrypt(plain), client.evaluator

    def mul_lin_rs():
        client.mul_lin(a, b, out)
        e.rescale_to_next_inplace(out)

    def sqr_lin_rs():
        client.sqr_lin(a, out)
        e.rescale_to_next_inplace(out)

    mul_lin_rs()
    same_scale = seal.Plaintext()
    encoder.encode(values, out.scale, same_scale)
    c = client.encrypt(same_scale)

    def mul_lin_rs_modsw_add():
        mul_lin_rs()
        e.mod_switch_to_next(c, third)
        e.add_inplace(out, third)

    client.decryptor.decrypt(a, shown)
    return {
        "encode": lambda: encoder.encode(values, scale, plain),
        "encrypt": lambda: client.encrypt(plain, third),
        "decrypt": lambda: client.decryptor.decrypt(a, shown),
        "decode": lambda: encoder.decode_double(shown),
        "add": lambda: e.add(a, b, out),
        "multiply": lambda: e.multiply(a, b, out),
        "mul_lin": lambda: client.mul_lin(a, b, out),
        "mul_lin_rs": mul_lin_rs,
        "sqr_lin_rs": sqr_lin_rs,
        "mul_lin_rs_modsw_add": mul_lin_rs_modsw_add,
        "rotate": lambda: e.rotate_vector(a, 1, client.galois, out),
    }


def bfv_calls(seal, n, primes, bits):
    context = context_of(seal, seal.SCHEME_TYPE.BFV, n, [bits] * (primes + 1))
    client, encoder = Client(seal, context), seal.BatchEncoder(context)
    values = [i % 1000 for i in range(n)]
    plain, out, shown = seal.Plaintext(), seal.Ciphertext(), seal.Plaintext()
    encoder.encode(values, plain)
    a, b, e = client.encrypt(plain), client.encrypt(plain), client.evaluator
    client.decryptor.decrypt(a, shown)
    return {
        "encode": lambda: encoder.encode(values, plain),
        "encrypt": lambda: client.encrypt(plain, out),
        "decrypt": lambda: client.decryptor.decrypt(a, shown),
        "decode": lambda: encoder.decode_int64(shown),
        "add": lambda: e.add(a, b, out),
        "multiply": lambda: e.multiply(a, b, out),
        "mul_lin": lambda: client.mul_lin(a, b, out),
        "rotate": lambda: e.rotate_rows(a, 1, client.galois, out),
    }


def main():
    import tenseal.sealapi as seal  # most interpreters do not have it; the caller handles the error

    quick, rows = "--quick" in sys.argv, {}
    wanted = set(sys.argv[1:]) - {"--quick"}  # parameter sets to measure; if there are none, all of them
    sets = {f"ckks/n{n}/{d}+1": (ckks_calls, (n, d)) for n, d in ((8192, 3), (32768, 8))}
    sets |= {f"bfv/n{n}/{d}+1": (bfv_calls, (n, d, bits)) for n, d, bits in ((8192, 4, 42), (16384, 8, 47))}
    for prefix, (make, arguments) in sets.items():
        if wanted and prefix not in wanted:
            continue
        for name, call in make(seal, *arguments).items():
            rows[f"{prefix}/{name}/t1"] = median_us(call, quick)
    json.dump({"peer": "SEAL", "version": f"tenseal {version('tenseal')}", "rows": rows}, sys.stdout)


if __name__ == "__main__":
    main()
