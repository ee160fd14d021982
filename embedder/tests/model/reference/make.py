"""Generates minilm.i16, reference vectors by sentence-transformers for the test `agreement`.

    cargo run --release --example measure -p kimberly-embedder -- texts 1000 > texts.json
    python3 make.py MODEL_FOLDER texts.json minilm.i16

Needs the packages sentence-transformers and torch. Every text is embedded by itself, in f32 on the processor; the file
holds the concatenated vectors, 384 numbers each, as little-endian 16-bit integers: each number times 32,767, rounded,
which changes a cosine by less than a millionth.
"""

import json
import sys

import numpy as np
from sentence_transformers import SentenceTransformer


def main():
    folder, texts, out = sys.argv[1:]
    with open(texts, encoding="utf-8") as file:
        chosen = json.load(file)
    model = SentenceTransformer(folder, device="cpu")
    vectors = np.stack([model.encode(text, normalize_embeddings=True) for text in chosen])
    rounded = np.rint(vectors * 32767).astype("<i2")
    near = rounded / np.linalg.norm(rounded, axis=1, keepdims=True)
    assert (near * vectors).sum(1).min() > 0.999999
    with open(out, "wb") as file:
        file.write(rounded.tobytes())


main()
