"""The models and encodings of sentencepiece that packages/learning/model/src/tokens/sentence-pieces.test.ts compares with.

Trains small models, and writes them with the ids of some texts to the file that is given as the argument:

    env/bin/pip install sentencepiece
    env/bin/python bench/peers/sentencepiece_reference.py packages/learning/model/src/tokens/sentence-pieces.golden.json
"""

import base64
import io
import json
import sys

import sentencepiece

TEXTS = [
    "The quick brown fox jumps over the lazy dog, and the dog sleeps on.",
    "Ada Holm painted the Red Barn in 1911; it was sold twice, and then it was lost.",
    "def f(x):\n    return x + 1\n\n\ndef g(y):\n    return f(y) * 2",
    "Which river flows through the town where the painter of the Red Barn was born?",
] * 8

SAMPLES = [
    "The fox sleeps on the Red Barn.",
    " leading and trailing ",
    "two  spaces and   three",
    "def g(x):\n    return x\n\n\n",
    "ünïcode 🦊 日本",
    "▁ odd",
    "<mark>the town</mark> <mark>",
    "a",
    " ",
    "\t",
]

COMMON = {
    "vocab_size": 318,
    "character_coverage": 1.0,
    "byte_fallback": True,
    "normalization_rule_name": "identity",
    "remove_extra_whitespaces": False,
    "allow_whitespace_only_pieces": True,
    "split_digits": True,
    "num_threads": 1,
    "minloglevel": 2,
}
CASES = {
    "as Llama's": {"model_type": "bpe"},
    "as Gemma's": {
        "model_type": "bpe",
        "add_dummy_prefix": False,
        "pad_id": 0,
        "eos_id": 1,
        "bos_id": 2,
        "unk_id": 3,
        "user_defined_symbols": ["<mark>", "\n\n", "▁▁"],
    },
    "unigram": {"model_type": "unigram"},
}


def reference(changes):
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS), model_writer=written, **{**COMMON, **changes}
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    samples = [{"text": text, "ids": model.encode(text)} for text in SAMPLES]
    return {"model": base64.b64encode(written.getvalue()).decode(), "samples": samples}


def main():
    with open(sys.argv[1], "w") as file:
        json.dump({name: reference(case) for name, case in CASES.items()}, file, ensure_ascii=False)
        file.write("\n")


main()
