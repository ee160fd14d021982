"""sentence-transformers, PyTorch and onnxruntime with the model and the texts of Kimberly's measurement.

Takes the path of one JSON file and prints one JSON line. The file:
    mode      "export": export the models for onnxruntime, once
              "speed": measure one runtime, in its own process, to measure its memory
              "vectors": compare the vectors in the file `out` (f32, little endian) with those of sentence-transformers
              "gemm": the peak of f32 products by PyTorch
    runtime   "onnx_f32", "onnx_int8", "torch_f32" or "torch_bf16"
    model     the model's folder
    cache     a folder for the exported models, and for the vectors of onnx_f32 that others are compared with
    threads   threads of the runtime
    seconds   for each figure
    sets      {"name": [texts]}; "query" holds single queries, "all" the texts for comparing vectors
    batches   numbers of texts per batch
"""

import time

BEGUN = time.perf_counter()

import json  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
from tokenizers import Tokenizer  # noqa: E402


def tokenizer(folder, window=256):
    made = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    made.enable_truncation(window)
    made.enable_padding()
    return made


def pooled(states, mask):
    mask = mask[..., None].astype(np.float32)
    vectors = (states * mask).sum(1) / mask.sum(1)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def inputs(tokens):
    ids = np.array([t.ids for t in tokens], dtype=np.int64)
    mask = np.array([t.attention_mask for t in tokens], dtype=np.int64)
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}


def with_torch(settings, dtype):
    import torch
    from transformers import AutoModel

    torch.set_num_threads(settings["threads"])
    model = AutoModel.from_pretrained(settings["model"], attn_implementation="sdpa").eval().to(getattr(torch, dtype))

    def run(given):
        with torch.inference_mode():
            states = model(**{name: torch.from_numpy(x) for name, x in given.items()}).last_hidden_state
        return pooled(states.float().numpy(), given["attention_mask"])

    return run


def exports(settings):
    cache = Path(settings["cache"])
    return cache / "model.onnx", cache / "model-int8.onnx"


def export(settings):
    """The model as ONNX, in f32 and quantized, exported once."""
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from transformers import AutoModel

    class States(torch.nn.Module):
        """The encoder with a single output, as the exporter requires."""

        def __init__(self):
            super().__init__()
            self.encoder = AutoModel.from_pretrained(settings["model"], attn_implementation="eager").eval()

        def forward(self, ids, mask, types):
            return self.encoder(input_ids=ids, attention_mask=mask, token_type_ids=types).last_hidden_state

    plain, small = exports(settings)
    plain.parent.mkdir(parents=True, exist_ok=True)
    if not plain.exists():
        given = inputs(tokenizer(settings["model"]).encode_batch(["one two three", "four"]))
        names = list(given)
        axes = {name: {0: "batch", 1: "tokens"} for name in [*names, "states"]}
        torch.onnx.export(States(), tuple(torch.from_numpy(given[name]) for name in names), str(plain),
                          input_names=names, output_names=["states"], dynamic_axes=axes, opset_version=17, dynamo=False)
    if not small.exists():
        quantize_dynamic(str(plain), str(small), weight_type=QuantType.QInt8, per_channel=True)
    return {}


def with_onnx(settings, path):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = settings["threads"]
    options.inter_op_num_threads = 1
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    wanted = {given.name for given in session.get_inputs()}

    def run(given):
        states = session.run(None, {name: x for name, x in given.items() if name in wanted})[0]
        return pooled(states, given["attention_mask"])

    return run


def speed(settings):
    plain, small = exports(settings)
    runtimes = {
        "onnx_f32": lambda: with_onnx(settings, plain),
        "onnx_int8": lambda: with_onnx(settings, small),
        "torch_f32": lambda: with_torch(settings, "float32"),
        "torch_bf16": lambda: with_torch(settings, "bfloat16"),
    }
    tokens = tokenizer(settings["model"])
    run = runtimes[settings["runtime"]]()
    opened = time.perf_counter() - BEGUN
    embed = lambda texts: run(inputs(tokens.encode_batch(texts)))  # noqa: E731
    embed(["a first text"])
    first = time.perf_counter() - BEGUN
    runs = {}
    for kind, texts in settings["sets"].items():
        for batch in settings["batches"] if kind not in ("all", "query") else []:
            runs[f"{kind}.b{batch}"] = throughput(embed, tokens, texts, batch, settings["seconds"])
    return {
        "open_ms": opened * 1e3,
        "first_ms": first * 1e3,
        "runs": runs,
        "query": latency(embed, settings["sets"]["query"], settings["seconds"]),
        "cosine_to_f32": cosine_to_f32(settings, embed),
        "rss_mb": status_kb("VmRSS:") / 1024,
        "peak_mb": status_kb("VmHWM:") / 1024,
    }


def cosine_to_f32(settings, embed):
    """The mean cosine to the cached vectors of onnx_f32, which is measured first."""
    texts = settings["sets"]["all"]
    vectors = np.concatenate([embed(texts[at:at + 8]) for at in range(0, len(texts), 8)])
    file = Path(settings["cache"]) / "f32.npy"
    if settings["runtime"] == "onnx_f32":
        np.save(file, vectors)
    return float((vectors * np.load(file)).sum(1).mean())


def status_kb(key):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith(key)), 0)


def throughput(embed, tokens, texts, batch, seconds):
    """The best of five spans. The caller sorts texts by length, so that batches need little padding."""
    best = {"sentences": 0.0, "tokens": 0.0}
    counts = {text: len(tokens.encode(text).ids) for text in texts}
    for _ in range(5):
        done, count, at, start = 0, 0, 0, time.perf_counter()
        while time.perf_counter() - start < seconds / 5:
            chosen = [texts[(at + i) % len(texts)] for i in range(batch)]
            embed(chosen)
            at, done, count = at + batch, done + batch, count + sum(counts[text] for text in chosen)
        took = time.perf_counter() - start
        if done / took > best["sentences"]:
            best = {"sentences": done / took, "tokens": count / took}
    return best


def latency(embed, queries, seconds):
    took, start, at = [], time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        begun = time.perf_counter()
        embed([queries[at % len(queries)]])
        took.append(time.perf_counter() - begun)
        at += 1
    p50, p99 = (float(x) * 1e3 for x in np.percentile(took, [50, 99]))
    return {"p50_ms": p50, "p99_ms": p99}


def vectors(settings):
    from sentence_transformers import SentenceTransformer

    texts = settings["sets"]["all"]
    model = SentenceTransformer(settings["model"], device="cpu")
    theirs = model.encode(texts, batch_size=16, normalize_embeddings=True)
    ours = np.fromfile(settings["out"], dtype="<f4").reshape(len(texts), -1)
    ours /= np.linalg.norm(ours, axis=1, keepdims=True)
    cosines = (ours.astype(np.float64) * theirs.astype(np.float64)).sum(1)
    return {"texts": len(texts), "mean": float(cosines.mean()), "least": float(cosines.min())}


def gemm(settings):
    import torch

    torch.set_num_threads(settings["threads"])
    a, b = torch.rand(1536, 1536), torch.rand(1536, 1536)
    best = 1e9
    for _ in range(20):
        start = time.perf_counter()
        a @ b
        best = min(best, time.perf_counter() - start)
    return {"gflops": 2 * 1536**3 / best / 1e9}


def main():
    settings = json.loads(Path(sys.argv[1]).read_text())
    modes = {"export": export, "vectors": vectors, "speed": speed, "gemm": gemm}
    print(json.dumps(modes[settings["mode"]](settings)), flush=True)


main()
