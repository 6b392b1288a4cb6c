# SPDX-License-Identifier: Apache-2.0
"""Measures OpenFHE, from the wheel `openfhe`. Prints the medians as one JSON document.

Runs in any interpreter that has the wheel, and does not import ringfort. For CKKS and BGV, rings and data primes are
those of bench/operations.h. Key switching (a step of products and rotations) splits polynomials into as many digits as
our parameters have data primes. The special prime, which only keys and key switching use, has 60 bits. The caller sets
OMP_NUM_THREADS. For BFV, OpenFHE chooses the primes from the depth. The program takes the smallest depth with at least
as many primes as there are digits. For every scheme, "log2_q" is the length of the modulus in bits. Times of decryption
include decoding.
"""

import json
import math
import os
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


def shared(fhe, parameters, n, depth, digits):
    parameters.SetSecretKeyDist(fhe.SecretKeyDist.UNIFORM_TERNARY)
    parameters.SetSecurityLevel(fhe.SecurityLevel.HEStd_NotSet)
    parameters.SetRingDim(n)
    parameters.SetMultiplicativeDepth(depth)
    parameters.SetKeySwitchTechnique(fhe.KeySwitchTechnique.HYBRID)
    parameters.SetNumLargeDigits(digits)
    return parameters


def opened(fhe, parameters):
    context = fhe.GenCryptoContext(parameters)
    for feature in (fhe.PKESchemeFeature.PKE, fhe.PKESchemeFeature.KEYSWITCH, fhe.PKESchemeFeature.LEVELEDSHE):
        context.Enable(feature)
    keys = context.KeyGen()
    context.EvalMultKeyGen(keys.secretKey)
    context.EvalRotateKeyGen(keys.secretKey, [1])
    return context, keys


def common_calls(context, keys, plain, encode):
    a, b = context.Encrypt(keys.publicKey, plain), context.Encrypt(keys.publicKey, plain)
    return (a, b), {
        "encode": encode,
        "encrypt": lambda: context.Encrypt(keys.publicKey, plain),
        "decrypt_decode": lambda: context.Decrypt(keys.secretKey, a),
        "add": lambda: context.EvalAdd(a, b),
        "multiply": lambda: context.EvalMultNoRelin(a, b),
        "mul_lin": lambda: context.EvalMult(a, b),
        "rotate": lambda: context.EvalRotate(a, 1),
    }


def ckks_calls(fhe, n, primes):
    parameters = shared(fhe, fhe.CCParamsCKKSRNS(), n, primes - 1, primes)
    parameters.SetScalingModSize(50)
    parameters.SetFirstModSize(50)
    parameters.SetScalingTechnique(fhe.ScalingTechnique.FIXEDMANUAL)
    parameters.SetBatchSize(n // 2)
    context, keys = opened(fhe, parameters)
    values = [math.cos(0.37 * i) for i in range(n // 2)]
    plain = context.MakeCKKSPackedPlaintext(values)
    (a, b), calls = common_calls(context, keys, plain, lambda: context.MakeCKKSPackedPlaintext(values))

    def mul_lin_rs():
        return context.Rescale(context.EvalMult(a, b))

    return calls | {
        "mul_lin_rs": mul_lin_rs,
        "sqr_lin_rs": lambda: context.Rescale(context.EvalSquare(a)),
        "mul_lin_rs_modsw_add": lambda: context.EvalAdd(mul_lin_rs(), context.Compress(b, primes - 1)),
    }, 50 * primes


def integer_calls(fhe, scheme, n, primes, bits):
    bgv = scheme == "bgv"
    kind = fhe.CCParamsBGVRNS if bgv else fhe.CCParamsBFVRNS

    def parameters_of(depth):
        parameters = shared(fhe, kind(), n, depth, primes)
        parameters.SetPlaintextModulus(65537)
        if bgv:
            parameters.SetScalingTechnique(fhe.ScalingTechnique.FIXEDMANUAL)
            parameters.SetScalingModSize(bits)
            parameters.SetFirstModSize(bits)
        else:
            parameters.SetScalingModSize(bits)
        return parameters

    def is_long_enough(depth):  # OpenFHE rejects a number of primes below the number of digits
        try:
            fhe.GenCryptoContext(parameters_of(depth))
        except RuntimeError:
            return False
        return True

    depth = primes - 1 if bgv else next(d for d in range(1, 20) if is_long_enough(d))
    context, keys = opened(fhe, parameters_of(depth))
    values = [i % 1000 for i in range(n)]
    plain = context.MakePackedPlaintext(values)
    _, calls = common_calls(context, keys, plain, lambda: context.MakePackedPlaintext(values))
    return calls, math.log2(context.GetModulus())


def main():
    import openfhe as fhe  # most interpreters do not have it; the caller handles the error

    quick, rows, moduli = "--quick" in sys.argv, {}, {}
    wanted = set(sys.argv[1:]) - {"--quick"}  # parameter sets to measure; if there are none, all of them
    threads = os.environ.get("OMP_NUM_THREADS", "1")
    sets = {f"ckks/n{n}/{d}+1": (ckks_calls, (n, d)) for n, d in ((8192, 3), (32768, 8), (65536, 24))}
    for scheme in ("bfv", "bgv"):
        for n, d, bits in ((8192, 4, 42), (16384, 8, 47)):
            sets[f"{scheme}/n{n}/{d}+1"] = (integer_calls, (scheme, n, d, bits))
    for prefix, (make, arguments) in sets.items():
        if wanted and prefix not in wanted:
            continue
        calls, moduli[prefix] = make(fhe, *arguments)
        for name, call in calls.items():
            rows[f"{prefix}/{name}/t{threads}"] = median_us(call, quick)
    document = {"peer": "OpenFHE", "version": f"openfhe {version('openfhe')}", "rows": rows, "log2_q": moduli}
    json.dump(document, sys.stdout)


if __name__ == "__main__":
    main()
