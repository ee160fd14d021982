"""Makes minilm.f32, vectors by sentence-transformers that the test `agreement` compares with.

    cargo run --release --example measure -p kimberly-embedder -- texts 1000 > texts.json
    python3 make.py MODEL_FOLDER texts.json minilm.f32

Needs the packages sentence-transformers and torch. Every 25th text is embedded in f32 on the processor; the file holds
their vectors one after the other, 384 numbers each, little endian.
"""

import json
import sys

from sentence_transformers import SentenceTransformer


def main():
    folder, texts, out = sys.argv[1:]
    with open(texts, encoding="utf-8") as file:
        chosen = json.load(file)[::25]
    model = SentenceTransformer(folder, device="cpu")
    vectors = [model.encode(text, normalize_embeddings=True) for text in chosen]
    with open(out, "wb") as file:
        for vector in vectors:
            file.write(vector.astype("<f4").tobytes())


main()
