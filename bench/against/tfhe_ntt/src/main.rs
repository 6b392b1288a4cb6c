// SPDX-License-Identifier: Apache-2.0
// Times transforms (NTTs, Fourier transforms modulo a prime) and polynomial products of the crate tfhe-ntt, in one
// thread and in place. Prints {"rows": [...]} under the row names of `ringfort bench`. The crate's inverse transform
// does not divide by n; Ringfort's does. So a product is two forward transforms, a product of their values that
// includes 1/n, and an inverse transform.
use std::time::Instant;

const REPEATS: usize = 25;

struct Row {
    name: String,
    n: usize,
    bits: u32,
    values: Vec<f64>,
}

fn is_prime(q: u64) -> bool {
    let pow = |mut base: u128, mut exponent: u64| {
        let mut result = 1u128;
        while exponent != 0 {
            if exponent & 1 == 1 {
                result = result * base % q as u128;
            }
            base = base * base % q as u128;
            exponent >>= 1;
        }
        result
    };
    let twos = (q - 1).trailing_zeros();
    [2u64, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].iter().all(|&witness| {
        if q % witness == 0 {
            return q == witness;
        }
        let mut x = pow(witness as u128, (q - 1) >> twos);
        if x == 1 || x == (q - 1) as u128 {
            return true;
        }
        (1..twos).any(|_| {
            x = x * x % q as u128;
            x == (q - 1) as u128
        })
    })
}

fn largest_prime(bits: u32, n: usize) -> u64 {
    let step = 2 * n as u64;
    let mut q = (1u64 << bits) - step + 1;
    while !is_prime(q) {
        q -= step;
    }
    q
}

// Returns the microseconds per call of each batch, sorted. A batch takes at least 40 us.
fn measure(mut call: impl FnMut()) -> Vec<f64> {
    let start = Instant::now();
    let mut warm = 0usize;
    while start.elapsed().as_micros() < 2000 {
        call();
        warm += 1;
    }
    let batch = (warm / 20).max(1);
    let mut values: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..batch {
                call();
            }
            start.elapsed().as_secs_f64() * 1e6 / batch as f64
        })
        .collect();
    values.sort_by(|a, b| a.total_cmp(b));
    values
}

// Times a forward and an inverse transform, and a product of two polynomials.
fn measure_all<W: Clone>(
    mut a: Vec<W>,
    forward: impl Fn(&mut [W]),
    inverse: impl Fn(&mut [W]),
    multiply: impl Fn(&mut [W], &[W]),
) -> [Vec<f64>; 3] {
    let mut b = a.clone();
    let (there, back) = (measure(|| forward(&mut a)), measure(|| inverse(&mut a)));
    let product = measure(|| {
        forward(&mut a);
        forward(&mut b);
        multiply(&mut a, &b);
        inverse(&mut a);
    });
    [there, back, product]
}

fn main() {
    let mut rows = Vec::new();
    for bits in [30u32, 31, 50, 60] {
        for n in (10..=16).map(|log| 1usize << log) {
            let q = largest_prime(bits, n);
            let values = (0..n as u64).map(|i| i * i % q);
            let measured = if bits <= 31 {
                let plan = tfhe_ntt::prime32::Plan::try_new(n, q as u32).expect("plan");
                let words = values.map(|value| value as u32).collect();
                measure_all(words, |a| plan.fwd(a), |a| plan.inv(a), |a, b| plan.mul_assign_normalize(a, b))
            } else {
                let plan = tfhe_ntt::prime64::Plan::try_new(n, q).expect("plan");
                measure_all(values.collect(), |a| plan.fwd(a), |a| plan.inv(a), |a, b| plan.mul_assign_normalize(a, b))
            };
            for (kind, values) in ["ntt/forward", "ntt/inverse", "polymul/composed"].iter().zip(measured) {
                rows.push(Row { name: format!("{kind}/n{n}/q{bits}"), n, bits, values });
            }
        }
    }
    println!("{{\"peer\": \"tfhe-ntt\", \"version\": \"0.7.1\", \"rows\": [");
    for (i, row) in rows.iter().enumerate() {
        println!(
            "  {{\"name\": \"{}\", \"params\": {{\"n\": {}, \"q_bits\": {}}}, \"unit\": \"us\", \
             \"min\": {:.4}, \"median\": {:.4}, \"max\": {:.4}}}{}",
            row.name, row.n, row.bits, row.values[0], row.values[REPEATS / 2], row.values[REPEATS - 1],
            if i + 1 < rows.len() { "," } else { "" }
        );
    }
    println!("]}}");
}
