/* SPDX-License-Identifier: Apache-2.0
 * C intrinsics for B512, in the style of the listing in [Soni23]. A call of a function gives one instruction
 * (doc/isa.md). The arguments are registers, offsets in bytes, and strides, blocks or periods in words of 16 bytes. A
 * program defines the function b512_program(), and is linked with assemble.c. When the program runs, it prints its own
 * assembly source:
 *   cc program.c assemble.c -o program && ./program > program.s
 * Loops and functions of C become sequences of instructions. b512_data() passes a line of data to the assembler
 * unchanged. The intrinsics do not allocate registers: the program chooses their numbers. In the listing, the broadcast
 * has a fourth argument. It is left out here, because the paper does not state its meaning.
 */
#ifndef RINGFORT_B512_H
#define RINGFORT_B512_H

typedef struct {
  int number;
} b512_vector;
typedef struct {
  int number;
} b512_scalar;
typedef struct {
  int number;
} b512_address;
typedef struct {
  int number;
} b512_modulus;

static inline b512_vector reg_v(int number) { return (b512_vector){number}; }
static inline b512_scalar reg_s(int number) { return (b512_scalar){number}; }
static inline b512_address reg_a(int number) { return (b512_address){number}; }
static inline b512_modulus reg_m(int number) { return (b512_modulus){number}; }

/* The program, which the user of the intrinsics defines. It is called once. */
void b512_program(void);

/* Prints a line of data or a directive, for example ".sdm" or "q: .modulus 97". */
void b512_data(const char* line);

/* Loads and stores. Offsets are in bytes. `vloads` and `vstores` access every stride-th word. `vloadk` and `vstorek`
 * access blocks of `block` words with gaps of equal length. `vloadr` repeats the first `period` words. Stride, block
 * and period are powers of two. */
void _vload_512x128i(b512_vector vd, b512_address a, unsigned long offset);
void _vloads_512x128i(b512_vector vd, b512_address a, unsigned long offset, unsigned stride);
void _vloadk_512x128i(b512_vector vd, b512_address a, unsigned long offset, unsigned block);
void _vloadr_512x128i(b512_vector vd, b512_address a, unsigned long offset, unsigned period);
void _vstore_512x128i(b512_address a, unsigned long offset, b512_vector vs);
void _vstores_512x128i(b512_address a, unsigned long offset, b512_vector vs, unsigned stride);
void _vstorek_512x128i(b512_address a, unsigned long offset, b512_vector vs, unsigned block);
void _vbroadcast_512x128i(b512_vector vd, b512_address a, unsigned long offset);
void _sload_128i(b512_scalar s, unsigned long offset);
void _mload_128i(b512_modulus m, unsigned long offset);
void _aload_128i(b512_address a, unsigned long offset);

/* Arithmetic modulo m. The butterfly computes vd = vs + vt * vt1 and vd1 = vs - vt * vt1. */
void _vaddmod_512x128i(b512_vector vd, b512_vector vs, b512_vector vt, b512_modulus m);
void _vsubmod_512x128i(b512_vector vd, b512_vector vs, b512_vector vt, b512_modulus m);
void _vimulmod_512x128i(b512_vector vd, b512_vector vs, b512_vector vt, b512_modulus m);
void _vbfly_512x128i(b512_vector vd, b512_vector vd1, b512_vector vs, b512_vector vt, b512_vector vt1, b512_modulus m);
void _vsaddmod_512x128i(b512_vector vd, b512_vector vs, b512_scalar s, b512_modulus m);
void _vssubmod_512x128i(b512_vector vd, b512_vector vs, b512_scalar s, b512_modulus m);
void _vsmulmod_512x128i(b512_vector vd, b512_vector vs, b512_scalar s, b512_modulus m);

/* Shuffles. They interleave the lower or upper halves of two vectors, or gather the even or odd elements. */
void _vunpacklo_512x128i(b512_vector vd, b512_vector vs, b512_vector vt);
void _vunpackhi_512x128i(b512_vector vd, b512_vector vs, b512_vector vt);
void _vpacklo_512x128i(b512_vector vd, b512_vector vs, b512_vector vt);
void _vpackhi_512x128i(b512_vector vd, b512_vector vs, b512_vector vt);

#endif
