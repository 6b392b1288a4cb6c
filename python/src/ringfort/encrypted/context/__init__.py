# SPDX-License-Identifier: Apache-2.0
"""Contexts and key sets: the options of a context, the choice of a scheme, and the ciphertexts of each scheme. This
package does not import the code for files."""
