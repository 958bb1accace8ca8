/** All kinds of inference servers whose own endpoints are known. */
export const serverKinds = ["vllm", "sglang", "llamacpp"] as const;

/** The kinds of inference servers whose own endpoints are known. */
export type ServerKind = (typeof serverKinds)[number];
