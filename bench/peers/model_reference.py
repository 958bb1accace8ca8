"""The numbers of transformers that packages/learning/model/src/forward/transformers-parity.test.ts compares with.

Writes log-probabilities of tiny random models in float32 to the file that is given as the argument:

    python -m venv env && env/bin/pip install torch transformers
    env/bin/python bench/peers/model_reference.py packages/learning/model/src/forward/transformers-numbers.golden.json

Weights and tokens are not stored: both sides compute them from the names of the tensors (`hashed`).
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from transformers import AutoConfig, AutoModelForCausalLM

ROWS, LENGTH, VOCABULARY = 2, 40, 48

PLAIN = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 3,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": 64,
    "rms_norm_eps": 1e-6,
    "tie_word_embeddings": False,
}
LLAMA = {**PLAIN, "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_act": "silu"}
MISTRAL = {**LLAMA, "model_type": "mistral", "architectures": ["MistralForCausalLM"]}
QWEN2 = {**LLAMA, "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]}
QWEN3 = {**LLAMA, "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "head_dim": 16}
GEMMA3 = {
    **PLAIN,
    "model_type": "gemma3_text",
    "architectures": ["Gemma3ForCausalLM"],
    "hidden_activation": "gelu_pytorch_tanh",
    "head_dim": 16,
    "query_pre_attn_scalar": 24,
    "attention_bias": False,
    "attn_logit_softcapping": None,
    "final_logit_softcapping": None,
    "tie_word_embeddings": True,
}
ORIGINAL = {"original_max_position_embeddings": 16}

CASES = {
    "linear, older fields": {**LLAMA, "rope_theta": 500.0, "rope_scaling": {"type": "linear", "factor": 2.5}},
    "linear": {**QWEN3, "rope_parameters": {"rope_type": "linear", "rope_theta": 500.0, "factor": 2.5}},
    "dynamic": {**LLAMA, "rope_theta": 500.0, "rope_scaling": {"rope_type": "dynamic", "factor": 3.0}},
    "llama3": {
        **LLAMA,
        "rope_theta": 500.0,
        "rope_scaling": {
            "rope_type": "llama3",
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            **ORIGINAL,
        },
    },
    "yarn, older fields": {
        **QWEN2,
        "rope_theta": 500.0,
        "rope_scaling": {"type": "yarn", "factor": 4.0, **ORIGINAL},
    },
    "yarn with all fields": {
        **LLAMA,
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 500.0,
            "factor": 4.0,
            "beta_fast": 6.0,
            "beta_slow": 0.5,
            "mscale": 1.5,
            "mscale_all_dim": 0.5,
            "truncate": False,
            **ORIGINAL,
        },
    },
    "yarn with an attention factor": {
        **QWEN3,
        "rope_parameters": {
            "rope_type": "yarn",
            "rope_theta": 500.0,
            "factor": 4.0,
            "attention_factor": 0.8,
            **ORIGINAL,
        },
    },
    "mistral with a window": {**MISTRAL, "sliding_window": 7, "rope_theta": 500.0},
    "deep mistral with a window": {
        **MISTRAL,
        "num_hidden_layers": 9,
        "sliding_window": 5,
        "rope_theta": 500.0,
    },
    "qwen2 with windows from a layer on": {
        **QWEN2,
        "use_sliding_window": True,
        "sliding_window": 6,
        "max_window_layers": 1,
        "rope_theta": 500.0,
    },
    "qwen3 with layer types": {
        **QWEN3,
        "use_sliding_window": True,
        "sliding_window": 4,
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
        "rope_theta": 500.0,
    },
    "gemma3, older fields": {
        **GEMMA3,
        "num_hidden_layers": 4,
        "rope_theta": 1000.0,
        "rope_local_base_freq": 100.0,
        "rope_scaling": {"factor": 2.0, "rope_type": "linear"},
        "sliding_window": 6,
        "sliding_window_pattern": 3,
    },
    "deep gemma3": {
        **GEMMA3,
        "num_hidden_layers": 10,
        "rope_parameters": {
            "full_attention": {"rope_type": "default", "rope_theta": 1000.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 100.0},
        },
        "sliding_window": 5,
        "layer_types": ["full_attention" if i % 6 == 5 else "sliding_attention" for i in range(10)],
    },
}


def hashed(name, count):
    """Numbers in [-0.5, 0.5): FNV-1a of the name, plus a step per element, mixed as MurmurHash3 ends."""
    seed = 0x811C9DC5
    for byte in name.encode():
        seed = ((seed ^ byte) * 0x01000193) & 0xFFFFFFFF
    x = (seed + np.arange(count, dtype=np.uint64) * np.uint64(0x9E3779B1)).astype(np.uint32)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x = (x ^ (x >> np.uint32(shift))) * np.uint32(factor)
    return (x ^ (x >> np.uint32(16))) / 2.0**32 - 0.5


def weights(name, shape, gemma):
    values = hashed(name, int(np.prod(shape)))
    if name.endswith("norm.weight"):
        values = values if gemma else 1 + values
    elif name.endswith("bias"):
        values = values * 0.5
    else:
        values = values * (4 / np.sqrt(shape[-1]))
    return torch.from_numpy(values.astype(np.float32).reshape(shape))


def reference(config_json):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "config.json").write_text(json.dumps(config_json))
        config = AutoConfig.from_pretrained(folder)
    model = AutoModelForCausalLM.from_config(config, dtype=torch.float32, attn_implementation="eager").eval()
    gemma = config_json["model_type"] == "gemma3_text"
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(weights(name, tuple(parameter.shape), gemma))
        ids = ((hashed("tokens", ROWS * LENGTH) + 0.5) * VOCABULARY).astype(np.int64).reshape(ROWS, LENGTH)
        tokens = torch.from_numpy(ids)
        logits = model(input_ids=tokens, use_cache=False).logits
        chosen = logits[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0]
    return [[round(value, 6) for value in row] for row in chosen.tolist()]


def main():
    cases = {name: {"config": case, "logprobs": reference(case)} for name, case in CASES.items()}
    Path(sys.argv[1]).write_text(json.dumps(cases, indent=None, separators=(",", ":")) + "\n")


main()
