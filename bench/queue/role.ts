/** One process of the benchmark. Its first message says what it is; it then works until it is killed. */
import { bullmqRoles } from "./bullmq-roles.js";
import { palimpsestRoles } from "./palimpsest-roles.js";

export const roleNames = ["rollout", "reward", "learner", "producer"] as const;
export type RoleName = (typeof roleNames)[number];

export interface RoleOptions {
  readonly role: RoleName;
  readonly redisUrl: string;
  readonly bytes: number;
  readonly groupSize: number;
  /** "bullmq", or the path of the index of a built `@palimpsest/trajectories`. */
  readonly system: string;
}

export type Roles = Readonly<
  Record<RoleName, (options: RoleOptions, consumed: (trajectories: number) => void) => Promise<void>>
>;

/** The answer of a process to "report". */
export interface RoleReport {
  readonly consumed: number;
  readonly rssBytes: number;
  readonly cpuSeconds: number;
}

let consumed = 0;
process.on("disconnect", () => process.exit());
process.on("message", (message: RoleOptions | "report") => {
  if (message === "report") {
    const { user, system } = process.cpuUsage();
    const rssBytes = process.memoryUsage.rss();
    process.send?.({ consumed, rssBytes, cpuSeconds: (user + system) / 1e6 } satisfies RoleReport);
    return;
  }
  const roles = message.system === "bullmq" ? bullmqRoles : palimpsestRoles(message.system);
  roles[message.role](message, (count) => {
    consumed += count;
  }).catch((reason) => {
    console.error(reason);
    process.exit(1);
  });
});
