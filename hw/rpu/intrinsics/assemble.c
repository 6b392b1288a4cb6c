/* SPDX-License-Identifier: Apache-2.0
 * Implements the intrinsics of b512.h: every call prints a line of assembly source. The functions do not check ranges
 * of operands, registers without a value, or conflicts. The assembler and its checks (asm/) find these errors. */
#include <stdio.h>

#include "b512.h"

void b512_data(const char* line) { printf("%s\n", line); }

static void memory(const char* name, b512_vector v, b512_address a, unsigned long offset) {
  printf("    %s v%d, %lu(a%d)", name, v.number, offset, a.number);
}
static void access(const char* name, b512_vector v, b512_address a, unsigned long offset, const char* mode,
                   unsigned value) {
  memory(name, v, a, offset);
  printf(", %s %u\n", mode, value);
}
static void plain_access(const char* name, b512_vector v, b512_address a, unsigned long offset) {
  memory(name, v, a, offset);
  printf("\n");
}

void _vload_512x128i(b512_vector vd, b512_address a, unsigned long offset) { plain_access("vload", vd, a, offset); }
void _vloads_512x128i(b512_vector vd, b512_address a, unsigned long offset, unsigned stride) {
  access("vload", vd, a, offset, "stride", stride);
}
void _vloadk_512x128i(b512_vector vd, b512_address a, unsigned long offset, unsigned block) {
  access("vload", vd, a, offset, "skip", block);
}
void _vloadr_512x128i(b512_vector vd, b512_address a, unsigned long offset, unsigned period) {
  access("vload", vd, a, offset, "repeat", period);
}
void _vstore_512x128i(b512_address a, unsigned long offset, b512_vector vs) { plain_access("vstore", vs, a, offset); }
void _vstores_512x128i(b512_address a, unsigned long offset, b512_vector vs, unsigned stride) {
  access("vstore", vs, a, offset, "stride", stride);
}
void _vstorek_512x128i(b512_address a, unsigned long offset, b512_vector vs, unsigned block) {
  access("vstore", vs, a, offset, "skip", block);
}
void _vbroadcast_512x128i(b512_vector vd, b512_address a, unsigned long offset) {
  plain_access("vbcast", vd, a, offset);
}
void _sload_128i(b512_scalar s, unsigned long offset) { printf("    sload s%d, %lu\n", s.number, offset); }
void _mload_128i(b512_modulus m, unsigned long offset) { printf("    mload m%d, %lu\n", m.number, offset); }
void _aload_128i(b512_address a, unsigned long offset) { printf("    aload a%d, %lu\n", a.number, offset); }

static void vectors(const char* name, b512_vector vd, b512_vector vs, b512_vector vt, b512_modulus m) {
  printf("    %s v%d, v%d, v%d, m%d\n", name, vd.number, vs.number, vt.number, m.number);
}
static void with_scalar(const char* name, b512_vector vd, b512_vector vs, b512_scalar s, b512_modulus m) {
  printf("    %s v%d, v%d, s%d, m%d\n", name, vd.number, vs.number, s.number, m.number);
}
static void shuffle(const char* name, b512_vector vd, b512_vector vs, b512_vector vt) {
  printf("    %s v%d, v%d, v%d\n", name, vd.number, vs.number, vt.number);
}

void _vaddmod_512x128i(b512_vector vd, b512_vector vs, b512_vector vt, b512_modulus m) {
  vectors("vaddmod", vd, vs, vt, m);
}
void _vsubmod_512x128i(b512_vector vd, b512_vector vs, b512_vector vt, b512_modulus m) {
  vectors("vsubmod", vd, vs, vt, m);
}
void _vimulmod_512x128i(b512_vector vd, b512_vector vs, b512_vector vt, b512_modulus m) {
  vectors("vmulmod", vd, vs, vt, m);
}
void _vbfly_512x128i(b512_vector vd, b512_vector vd1, b512_vector vs, b512_vector vt, b512_vector vt1, b512_modulus m) {
  printf("    bfly v%d, v%d, v%d, v%d, v%d, m%d\n", vd.number, vd1.number, vs.number, vt.number, vt1.number, m.number);
}
void _vsaddmod_512x128i(b512_vector vd, b512_vector vs, b512_scalar s, b512_modulus m) {
  with_scalar("vsaddmod", vd, vs, s, m);
}
void _vssubmod_512x128i(b512_vector vd, b512_vector vs, b512_scalar s, b512_modulus m) {
  with_scalar("vssubmod", vd, vs, s, m);
}
void _vsmulmod_512x128i(b512_vector vd, b512_vector vs, b512_scalar s, b512_modulus m) {
  with_scalar("vsmulmod", vd, vs, s, m);
}
void _vunpacklo_512x128i(b512_vector vd, b512_vector vs, b512_vector vt) { shuffle("unpklo", vd, vs, vt); }
void _vunpackhi_512x128i(b512_vector vd, b512_vector vs, b512_vector vt) { shuffle("unpkhi", vd, vs, vt); }
void _vpacklo_512x128i(b512_vector vd, b512_vector vs, b512_vector vt) { shuffle("pklo", vd, vs, vt); }
void _vpackhi_512x128i(b512_vector vd, b512_vector vs, b512_vector vt) { shuffle("pkhi", vd, vs, vt); }

int main(void) {
  b512_program();
  return 0;
}
