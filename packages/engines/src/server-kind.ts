export const serverKinds = ["vllm", "sglang", "llamacpp"] as const;

export type ServerKind = (typeof serverKinds)[number];
