# SPDX-License-Identifier: Apache-2.0
"""Count words in a mailbox that the server cannot read.

Run it: python examples/01_encrypted_word_search.py
"""

import tempfile
from pathlib import Path

import ringfort as rf

folder = Path(tempfile.mkdtemp())

# 1. The owner makes keys. The secret keys stay with her. Other people, who send her mail, may get the public keys. By
#    default, a word is stored as 32 bits of its hash. With the constant-weight code, a word is stored as 64 bits, of
#    which eight are set. Then searches are faster, and the index is larger, than by default.
keys = rf.search.keygen(folder / "keys", constant_weight=True, unsealed=True)

# 2. The mail in this example is three lines. rf.search.read() also reads mbox files, maildirs, text and standard input.
(folder / "mail.txt").write_text("The invoice is due.\nLunch at noon?\nInvoice, second invoice reminder.\n")
documents = rf.search.read_documents(folder / "mail.txt", "lines")

# 3. Estimate the cost and the guarantees, before anything is encrypted.
words = sum(len(document.words) for document in documents)
found = rf.search.estimate(words, len(documents), constant_weight=True, measure=False)
print(f"{words} words: {found.index_bytes / 1e6:.1f} MB, {found.security.bits} bits of security,")
print(f"a count is wrong with probability below 2^{found.plan.failure_log2:.0f}")

# 4. Encrypt every word, that is, the bits of its keyed hash.
with rf.search.Index.create(folder / "index", keys) as index:
    index.add(documents, keys)

# 5. The owner queries a word. The query contains the hash of the word, not the word.
query = rf.search.query("Invoice", keys)

# 6. The server searches. It has the index and the query but no key, and learns neither words nor counts.
answer = rf.search.search(folder / "index", query, threads=2)

# 7. The owner decrypts one count per message, and lists the matching messages.
index = rf.search.Index.open(folder / "index")
counts = rf.search.decrypt(answer, keys, index)  # fails if the answer belongs to another index
print("counts:", counts)
for message, count in index.matches(counts, keys):
    print(f"  {count} x in {message.message_id}: {message.subject}")

assert counts.tolist() == [1, 0, 2]
