"""PyTorch's side of bench/gpu/beside-torch.ts: Hugging Face's Qwen2 with random weights in bfloat16 on one GPU.

First line of standard input: {"shape": {...}, "rows", "length", "compile", "checkpointing"} for updates, or {"shape": {...},
"promptTokens", "newTokens"} for sampling, or {"shape": {...}, "readTokens": n} for prefill. Answers {"firstMs": t}. Then a line {"seconds": s} is answered by {"updates", "seconds"},
a line {"batch": b} by {"tokensPerSecond"}, in prefill of b prompts of n tokens each; the end of input by {"peakBytes": b}.

At its best: SDPA attention, weights and moments in bfloat16, fused AdamW, no padding; torch.compile over the whole loss if asked.
The loss is the learner's: clipped ratio of log-probabilities at every place, one step of AdamW an update.
"""

import json
import sys
import time

import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

torch.backends.cuda.matmul.allow_tf32 = True
setup = json.loads(sys.stdin.readline())
shape = setup["shape"]
torch.manual_seed(0)
with torch.device("cuda"):
    torch.set_default_dtype(torch.bfloat16)
    model = Qwen2ForCausalLM(
        Qwen2Config(
            vocab_size=shape["vocab"],
            hidden_size=shape["hidden"],
            num_hidden_layers=shape["layers"],
            num_attention_heads=shape["heads"],
            num_key_value_heads=shape["kvHeads"],
            head_dim=shape["headDim"],
            intermediate_size=shape["inner"],
            tie_word_embeddings=shape.get("tied", True),
            max_position_embeddings=8192,
            attn_implementation="sdpa",
        )
    )


def say(value):
    print(json.dumps(value), flush=True)


def updates():
    rows, length = setup["rows"], setup["length"]
    if setup.get("checkpointing"):
        model.gradient_checkpointing_enable()
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-6, fused=True)
    tokens = torch.randint(0, shape["vocab"], (rows, length), device="cuda")
    advantages = torch.randn(rows, 1, device="cuda", dtype=torch.float32)
    old = torch.full((rows, length - 1), -11.0, device="cuda", dtype=torch.float32)

    def loss_of(tokens):
        logits = model(tokens, use_cache=False).logits[:, :-1]
        logprobs = -torch.nn.functional.cross_entropy(
            logits.float().flatten(0, 1), tokens[:, 1:].flatten(), reduction="none"
        ).view(rows, length - 1)
        ratio = (logprobs - old).exp()
        return -torch.minimum(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()

    loss = torch.compile(loss_of, dynamic=False) if setup.get("compile") else loss_of

    def update():
        loss(tokens).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    started = time.perf_counter()
    update()
    torch.cuda.synchronize()
    say({"firstMs": (time.perf_counter() - started) * 1000})
    for line in sys.stdin:
        wanted = json.loads(line)["seconds"]
        done, began = 0, time.perf_counter()
        while time.perf_counter() - began < wanted:
            update()
            torch.cuda.synchronize()
            done += 1
        say({"updates": done, "seconds": time.perf_counter() - began})


def samples():
    model.eval()

    def wave(batch, new_tokens):
        prompt = torch.randint(0, shape["vocab"], (batch, setup["promptTokens"]), device="cuda")
        began = time.perf_counter()
        with torch.no_grad():
            model.generate(
                prompt,
                attention_mask=torch.ones_like(prompt),
                do_sample=True,
                temperature=1.0,
                top_k=0,
                top_p=1.0,
                max_new_tokens=new_tokens,
                min_new_tokens=new_tokens,
                use_cache=True,
                pad_token_id=0,
                eos_token_id=None,
            )
        torch.cuda.synchronize()
        return time.perf_counter() - began

    say({"firstMs": wave(8, 8) * 1000})
    for line in sys.stdin:
        batch = json.loads(line)["batch"]
        say({"tokensPerSecond": batch * setup["newTokens"] / wave(batch, setup["newTokens"])})


def reads():
    model.eval()

    def wave(batch):
        prompt = torch.randint(0, shape["vocab"], (batch, setup["readTokens"]), device="cuda")
        torch.cuda.synchronize()
        began = time.perf_counter()
        with torch.no_grad():
            model(prompt, use_cache=True, logits_to_keep=1)
        torch.cuda.synchronize()
        return time.perf_counter() - began

    say({"firstMs": wave(1) * 1000})
    for line in sys.stdin:
        batch = json.loads(line)["batch"]
        seconds = sorted(wave(batch) for _ in range(5))[2]
        say({"tokensPerSecond": batch * setup["readTokens"] / seconds})


if "rows" in setup:
    updates()
elif "readTokens" in setup:
    reads()
else:
    samples()
say({"peakBytes": torch.cuda.max_memory_allocated()})
