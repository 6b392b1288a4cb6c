# SPDX-License-Identifier: Apache-2.0
"""Corrects the checksums of changed files, so that a test reaches the checks that come after the checksums."""


def crc32c(data):
    """Computes Castagnoli's cyclic redundancy check (CRC-32C), bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def put_checksum(data, begin, end):
    """Writes the CRC-32C of data[begin:end] at ``end``."""
    data[end : end + 4] = crc32c(data[begin:end]).to_bytes(4, "little")
