"""One contender of bench/model/sampling.ts: transformers' generate at one shape. Same protocol as sampling-case.ts."""

import json
import resource
import sys
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM

setup = json.loads(sys.stdin.readline())
shape = setup["shape"]
torch.set_num_threads(setup["threads"])
started = time.perf_counter()
model = LlamaForCausalLM(
    LlamaConfig(
        vocab_size=shape["vocabSize"],
        hidden_size=shape["hiddenSize"],
        num_hidden_layers=shape["layers"],
        num_attention_heads=shape["heads"],
        num_key_value_heads=shape["heads"],
        intermediate_size=shape["intermediateSize"],
        tie_word_embeddings=False,
        max_position_embeddings=1024,
    )
).eval().to(getattr(torch, setup.get("dtype", "float32")))
print(json.dumps({"startMs": (time.perf_counter() - started) * 1000}), flush=True)

for line in sys.stdin:
    batch = json.loads(line)["batch"]
    prompt = torch.randint(0, shape["vocabSize"], (batch, setup["promptTokens"]))
    began = time.perf_counter()
    with torch.no_grad():
        out = model.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            do_sample=True,
            temperature=1.0,
            top_k=0,
            top_p=1.0,
            max_new_tokens=setup["newTokens"],
            min_new_tokens=setup["newTokens"],
            use_cache=True,
            pad_token_id=0,
            eos_token_id=None,
        )
    seconds = time.perf_counter() - began
    assert out.shape[1] == setup["promptTokens"] + setup["newTokens"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"tokensPerSecond": batch * setup["newTokens"] / seconds, "peakBytes": peak}), flush=True)
