import type { Trace } from "./trace-schema.js";

export function totalTokens({ conversations }: Trace): { readonly prompt: number; readonly sampled: number } {
  return {
    prompt: conversations.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
    sampled: conversations.reduce((sum, { sampledTokens }) => sum + sampledTokens, 0),
  };
}

export const rewardText = (value: number): string => String(Number(value.toFixed(4)));

export function secondsText(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
