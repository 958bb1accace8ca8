import { Redis } from "ioredis";

export interface RedisFacts {
  readonly usedBytes: number;
  readonly cpuSeconds: number;
}

/** Reads redis-server's own figures of its memory and processor time. */
export function redisFacts(url: string): { read(): Promise<RedisFacts>; close(): void } {
  const redis = new Redis(url);
  return {
    async read() {
      const info = `${await redis.info("memory")}${await redis.info("cpu")}`;
      const field = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(info)?.[1] ?? 0);
      return { usedBytes: field("used_memory"), cpuSeconds: field("used_cpu_user") + field("used_cpu_sys") };
    },
    close: () => redis.disconnect(),
  };
}
