"""The update of bench/learner.ts in PyTorch: the same decoder, the same clipped loss, AdamW over float32 weights.

Reads one JSON line with the shape, the precision of products ("bfloat16" is autocast) and whether to compile, makes the model, answers "ready"; then, for every line {"seconds": s}, runs updates
for that long and answers {"updates": n, "seconds": t, "cpuSeconds": c}; at the end of input {"peakBytes": b}.
"""

import json
import resource
import sys
import time

import torch
import torch.nn.functional as F


class Block(torch.nn.Module):
    def __init__(self, shape):
        super().__init__()
        hidden, heads, head_dim, inner = shape["hidden"], shape["heads"], shape["headDim"], shape["inner"]
        self.heads, self.head_dim = heads, head_dim
        self.norm1 = torch.nn.RMSNorm(hidden, eps=1e-6)
        self.norm2 = torch.nn.RMSNorm(hidden, eps=1e-6)
        self.qkv = torch.nn.Linear(hidden, 3 * heads * head_dim, bias=False)
        self.out = torch.nn.Linear(heads * head_dim, hidden, bias=False)
        self.gate_up = torch.nn.Linear(hidden, 2 * inner, bias=False)
        self.down = torch.nn.Linear(inner, hidden, bias=False)

    def forward(self, x, cos, sin):
        batch, length, _ = x.shape
        qkv = self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, self.head_dim)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)
        query, key = turn(query, cos, sin), turn(key, cos, sin)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, -1))
        gate, up = self.gate_up(self.norm2(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


def turn(y, cos, sin):
    first, second = y.chunk(2, dim=-1)
    return y * cos + torch.cat((-second, first), dim=-1) * sin


class Decoder(torch.nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.embedding = torch.nn.Embedding(shape["vocab"], shape["hidden"])
        self.blocks = torch.nn.ModuleList(Block(shape) for _ in range(shape["layers"]))
        self.norm = torch.nn.RMSNorm(shape["hidden"], eps=1e-6)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=0.02)
        width = shape["length"] - 1
        angles = torch.arange(width)[:, None] / 10000 ** (
            torch.arange(0, shape["headDim"], 2) / shape["headDim"]
        )
        angles = torch.cat((angles, angles), dim=-1)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, ids):
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x, self.cos, self.sin)
        return F.linear(self.norm(x), self.embedding.weight)


def main():
    shape = json.loads(sys.stdin.readline())
    torch.manual_seed(1)
    torch.set_num_threads(shape["threads"])
    model = Decoder(shape)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0, fused=True)
    rows, length = shape["rows"], shape["length"]
    ids = torch.randint(shape["vocab"], (rows, length))
    mask = torch.zeros(rows, length - 1)
    mask[:, length // 2 - 1 :] = 1
    advantages = torch.randn(rows, 1)
    rollout = torch.full((rows, length - 1), -5.5)

    half = shape.get("precision") == "bfloat16"
    forward = torch.compile(model) if shape.get("compile") else model

    def update():
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            logits = forward(ids[:, :-1])
        policy = -F.cross_entropy(logits.flatten(0, 1).float(), ids[:, 1:].flatten(), reduction="none").view(rows, -1)
        ratio = torch.exp(policy - rollout)
        loss = torch.maximum(-advantages * ratio, -advantages * ratio.clamp(0.8, 1.2))
        loss = (loss * mask).sum() / mask.sum()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    update()
    print(json.dumps({"ready": torch.__version__}), flush=True)
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
