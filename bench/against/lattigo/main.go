// SPDX-License-Identifier: Apache-2.0

// Measures Lattigo in one thread and prints medians in microseconds as one JSON document, under the row names of
// `ringfort bench`:
//
//	against-lattigo [--quick] ntt              transforms of one polynomial, moduli of 50 and 60 bits
//	against-lattigo [--quick] SCHEME/nN/D+S... operations with D data primes and S special primes (bench/operations.h)
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/ring"
	"github.com/tuneinsight/lattigo/v6/schemes/bgv"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
	"github.com/tuneinsight/lattigo/v6/utils/sampling"
)

type calls map[string]func()

var quick bool

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Returns the median of at least five batches, in microseconds per call. A batch takes at least 40 us.
func median(call func()) float64 {
	budget := time.Second
	if quick {
		budget = 200 * time.Millisecond
	}
	begin := time.Now()
	call()
	batch := 1 + int(40*time.Microsecond/(time.Since(begin)+1))
	var samples []float64
	for start := time.Now(); len(samples) < 5 || (len(samples) < 25 && time.Since(start) < budget); {
		begin = time.Now()
		for range batch {
			call()
		}
		samples = append(samples, float64(time.Since(begin).Nanoseconds())/1e3/float64(batch))
	}
	slices.Sort(samples)
	return samples[len(samples)/2]
}

func transforms() calls {
	found := calls{}
	for _, bits := range []int{50, 60} {
		for _, n := range []int{1024, 2048, 4096, 8192, 16384, 32768, 65536} {
			generator := ring.NewNTTFriendlyPrimesGenerator(uint64(bits), uint64(2*n))
			r := must(ring.NewRing(n, []uint64{must(generator.NextDownstreamPrime())}))
			a := ring.NewUniformSampler(must(sampling.NewPRNG()), r).ReadNew()
			suffix := fmt.Sprintf("/n%d/q%d", n, bits)
			found["ntt/forward"+suffix] = func() { r.NTT(a, a) }
			found["ntt/inverse"+suffix] = func() { r.INTT(a, a) }
		}
	}
	return found
}

func lengths(count, bits int) []int { return slices.Repeat([]int{bits}, count) }

type keys struct {
	encryptor *rlwe.Encryptor
	decryptor *rlwe.Decryptor
	public    *rlwe.MemEvaluationKeySet
}

var steps = []int{1, 2, 3, 4, 5, 6, 7, 8}

func keygen(parameters rlwe.ParameterProvider) keys {
	generator := rlwe.NewKeyGenerator(parameters)
	secret, public := generator.GenKeyPairNew()
	relinearization := generator.GenRelinearizationKeyNew(secret)
	rotations := generator.GenGaloisKeysNew(parameters.GetRLWEParameters().GaloisElements(steps), secret)
	return keys{
		rlwe.NewEncryptor(parameters, public),
		rlwe.NewDecryptor(parameters, secret),
		rlwe.NewMemEvaluationKeySet(relinearization, rotations...),
	}
}

func ckksCalls(logN, data, special int) calls {
	p := must(ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN: logN, LogQ: lengths(data, 50), LogP: lengths(special, 50), LogDefaultScale: 50,
	}))
	k, encoder := keygen(p), ckks.NewEncoder(p)
	e := ckks.NewEvaluator(p, k.public)
	values, decoded := make([]float64, p.MaxSlots()), make([]float64, p.MaxSlots())
	for i := range values {
		values[i] = math.Cos(0.37 * float64(i))
	}
	plain, opened := ckks.NewPlaintext(p, p.MaxLevel()), ckks.NewPlaintext(p, p.MaxLevel())
	check(encoder.Encode(values, plain))
	a, b := must(k.encryptor.EncryptNew(plain)), must(k.encryptor.EncryptNew(plain))
	fresh, sum := ckks.NewCiphertext(p, 1, p.MaxLevel()), ckks.NewCiphertext(p, 1, p.MaxLevel())
	product := ckks.NewCiphertext(p, 2, p.MaxLevel())
	linear, rescaled := ckks.NewCiphertext(p, 1, p.MaxLevel()), ckks.NewCiphertext(p, 1, p.MaxLevel()-1)
	rescaledProduct := func(x *rlwe.Ciphertext) {
		check(e.MulRelin(a, x, linear))
		check(e.Rescale(linear, rescaled))
	}
	rescaledProduct(b)
	third := must(k.encryptor.EncryptNew(plain))
	third.Scale = rescaled.Scale
	return calls{
		"encode":     func() { check(encoder.Encode(values, plain)) },
		"encrypt":    func() { check(k.encryptor.Encrypt(plain, fresh)) },
		"decrypt":    func() { k.decryptor.Decrypt(a, opened) },
		"decode":     func() { check(encoder.Decode(plain, decoded)) },
		"add":        func() { check(e.Add(a, b, sum)) },
		"multiply":   func() { check(e.Mul(a, b, product)) },
		"mul_lin":    func() { check(e.MulRelin(a, b, linear)) },
		"mul_lin_rs": func() { rescaledProduct(b) },
		"sqr_lin_rs": func() { rescaledProduct(a) },
		"mul_lin_rs_modsw_add": func() {
			rescaledProduct(b)
			check(e.Add(rescaled, third, rescaled))
		},
		"rotate":      func() { check(e.Rotate(a, 1, sum)) },
		"rotate_many": func() { must(e.RotateHoistedNew(a, steps)) },
	}
}

func integerCalls(scheme string, logN, data, special int) calls {
	bits := 42
	if logN == 14 {
		bits = 47
	}
	p := must(bgv.NewParametersFromLiteral(bgv.ParametersLiteral{
		LogN: logN, LogQ: lengths(data, bits), LogP: lengths(special, bits), PlaintextModulus: 65537,
	}))
	k, encoder := keygen(p), bgv.NewEncoder(p)
	e := bgv.NewEvaluator(p, k.public, scheme == "bfv")
	values, decoded := make([]int64, p.MaxSlots()), make([]int64, p.MaxSlots())
	for i := range values {
		values[i] = int64(i % 1000)
	}
	plain, opened := bgv.NewPlaintext(p, p.MaxLevel()), bgv.NewPlaintext(p, p.MaxLevel())
	check(encoder.Encode(values, plain))
	a, b := must(k.encryptor.EncryptNew(plain)), must(k.encryptor.EncryptNew(plain))
	fresh, sum := bgv.NewCiphertext(p, 1, p.MaxLevel()), bgv.NewCiphertext(p, 1, p.MaxLevel())
	product, linear := bgv.NewCiphertext(p, 2, p.MaxLevel()), bgv.NewCiphertext(p, 1, p.MaxLevel())
	// In Lattigo, encoding includes a transform, and decoding includes the division of BFV. Separate rows for encoding,
	// decryption and decoding would measure other work than Ringfort's rows. Therefore there are none.
	return calls{
		"encrypt": func() { check(k.encryptor.Encrypt(plain, fresh)) },
		"decrypt_decode": func() {
			k.decryptor.Decrypt(a, opened)
			check(encoder.Decode(opened, decoded))
		},
		"add":      func() { check(e.Add(a, b, sum)) },
		"multiply": func() { check(e.Mul(a, b, product)) },
		"mul_lin":  func() { check(e.MulRelin(a, b, linear)) },
		"rotate":   func() { check(e.RotateColumns(a, 1, sum)) },
	}
}

// Returns the calls of a set of parameters, such as ckks/n8192/3+1.
func operations(set string) calls {
	var n, data, special int
	scheme, rest, _ := strings.Cut(set, "/")
	if _, err := fmt.Sscanf(rest, "n%d/%d+%d", &n, &data, &special); err != nil {
		check(fmt.Errorf("'%s' is no set of parameters: %w", set, err))
	}
	logN := int(math.Log2(float64(n)))
	if scheme == "ckks" {
		return ckksCalls(logN, data, special)
	}
	return integerCalls(scheme, logN, data, special)
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if strings.Contains(module.Path, "tuneinsight/lattigo") {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return "?"
}

func main() {
	runtime.GOMAXPROCS(1)
	rows := map[string]float64{}
	for _, wanted := range os.Args[1:] {
		switch wanted {
		case "--quick":
			quick = true
		case "ntt":
			for name, call := range transforms() {
				rows[name] = median(call)
			}
		default:
			for name, call := range operations(wanted) {
				rows[wanted+"/"+name+"/t1"] = median(call)
			}
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"peer": "Lattigo", "version": version(), "rows": rows}))
}
