// SPDX-License-Identifier: Apache-2.0
// The verb Lift (residues of integers), and the verbs of device `cpu` that combine several limbs: conversion, division
// and key switching. backend/verbs.h defines them.
#pragma once

#include "backend/backend.h"

namespace ringfort::cpu {

Status execute(Stream s, const verb::Lift& v) noexcept;
Status execute(Stream s, const verb::BaseConvert& v) noexcept;
Status execute(Stream s, const verb::ModDown& v) noexcept;
Status execute(Stream s, const verb::ModDownRescale& v) noexcept;
Status execute(Stream s, const verb::KeySwitch& v) noexcept;
[[nodiscard]] bool fuses(const verb::KeySwitch& v) noexcept;

}  // namespace ringfort::cpu
