/* SPDX-License-Identifier: Apache-2.0
 * The first stage (hw/rpu/README.md) of a transform of 1024 words, after the listing in [Soni23]. It computes products,
 * sums and differences. Two stores with stride 2 interleave the sums and the differences. */
#include "b512.h"

void b512_program(void) {
  const b512_address zero = reg_a(1);
  const b512_modulus q = reg_m(1);
  const b512_vector low = reg_v(60), high = reg_v(20), root = reg_v(16), product = reg_v(56);
  const b512_vector sum = reg_v(52), difference = reg_v(48);
  b512_data(".vdm");
  b512_data("x: .space 1024");
  b512_data("root: .word 5");
  b512_data("y: .space 1024");
  b512_data(".sdm");
  b512_data("q: .modulus 97");
  b512_data("zero: .word 0");
  b512_data(".text");
  _mload_128i(q, 0);
  _aload_128i(zero, 32);
  _vload_512x128i(low, zero, 0);
  _vload_512x128i(high, zero, 8192);
  _vbroadcast_512x128i(root, zero, 16384);
  _vimulmod_512x128i(product, high, root, q);
  _vaddmod_512x128i(sum, low, product, q);
  _vsubmod_512x128i(difference, low, product, q);
  _vstores_512x128i(zero, 16400, sum, 2);
  _vstores_512x128i(zero, 16416, difference, 2);
}
