"""The update of bench/learner.ts with adapters in PyTorch: Hugging Face's Llama, adapters by PEFT, the same clipped loss and AdamW.

Reads one JSON line with the shape, {"precision": "float32" or "bfloat16", "compile": bool, "lora": {"rank", "alpha"}}, makes the
model, answers "ready"; then, for every line {"seconds": s}, runs updates for that long and answers {"updates": n, "seconds": t,
"cpuSeconds": c}; at the end of input {"peakBytes": b}. Logits are computed for trained positions alone, as ours are. In
bfloat16 the frozen base is stored in it and adapters stay float32 under autocast, as ours do.
"""

import json
import resource
import sys
import time

import torch
import torch.nn.functional as F
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM


def main():
    shape = json.loads(sys.stdin.readline())
    torch.manual_seed(1)
    torch.set_num_threads(shape["threads"])
    half = shape["precision"] == "bfloat16"
    config = LlamaConfig(
        vocab_size=shape["vocab"],
        hidden_size=shape["hidden"],
        num_hidden_layers=shape["layers"],
        num_attention_heads=shape["heads"],
        num_key_value_heads=shape["kvHeads"],
        head_dim=shape["headDim"],
        intermediate_size=shape["inner"],
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        attn_implementation="sdpa",
        use_cache=False,
    )
    base = LlamaForCausalLM(config)
    if half:
        base = base.to(torch.bfloat16)
    adapters = LoraConfig(
        r=shape["lora"]["rank"],
        lora_alpha=shape["lora"]["alpha"],
        target_modules=["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
        task_type="CAUSAL_LM",
    )
    # Adapters are cast to float32 whatever the base is (autocast_adapter_dtype).
    model = get_peft_model(base, adapters)
    model.train()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-3, weight_decay=0.0, fused=True)
    forward = torch.compile(model) if shape.get("compile") else model
    rows, length = shape["rows"], shape["length"]
    replies = length - length // 2
    ids = torch.randint(shape["vocab"], (rows, length))
    targets = ids[:, -replies:].flatten()
    advantages = torch.randn(rows, 1)
    rollout = torch.full((rows, replies), -10.8)

    def update():
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            logits = forward(input_ids=ids[:, :-1], logits_to_keep=replies).logits
        policy = -F.cross_entropy(logits.flatten(0, 1).float(), targets, reduction="none").view(rows, -1)
        ratio = torch.exp(policy - rollout)
        loss = torch.maximum(-advantages * ratio, -advantages * ratio.clamp(0.8, 1.2)).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        return loss.item()

    first = time.perf_counter()
    update()
    print(
        json.dumps({"ready": torch.__version__, "firstMs": 1000 * (time.perf_counter() - first)}), flush=True
    )
    for line in sys.stdin:
        limit = json.loads(line)["seconds"]
        started, cpu, updates = time.perf_counter(), time.process_time(), 0
        while time.perf_counter() - started < limit:
            update()
            updates += 1
        spent = {"seconds": time.perf_counter() - started, "cpuSeconds": time.process_time() - cpu}
        print(json.dumps({"updates": updates, **spent}), flush=True)
    print(json.dumps({"peakBytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}), flush=True)


main()
