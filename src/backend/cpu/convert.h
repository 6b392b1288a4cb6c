// SPDX-License-Identifier: Apache-2.0
// Lifts, and the verbs of device `cpu` that combine limbs: conversion, division and key switching.
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
