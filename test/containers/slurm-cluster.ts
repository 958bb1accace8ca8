/** Machines with Debian's Slurm, each a container with a name and a network of its own; they share one folder. */
import { until } from "../support/until.js";
import type { Engine } from "./engine.js";

const controller = "node-1";
const machines = [controller, "node-2"];

const settings = `ClusterName=test
SlurmctldHost=${controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
NodeName=node-[1-2] CPUs=2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP
`;

export class SlurmCluster {
  readonly #engine: Engine;

  private constructor(engine: Engine) {
    this.#engine = engine;
  }

  static async start(engine: Engine, image: string, script: string): Promise<SlurmCluster> {
    const cluster = new SlurmCluster(engine);
    await engine.run(["network", "create", "slurm"]);
    for (const name of machines)
      await engine.run([
        ...["run", "--detach", "--init", "--name", name, "--hostname", name, "--network", "slurm"],
        ...[
          "--volume",
          "slurm-shared:/shared",
          "--shm-size",
          "1g",
          "--entrypoint",
          "sleep",
          image,
          "infinity",
        ],
      ]);
    await cluster.root(
      controller,
      "od -An -N1024 -tx1 /dev/urandom >/shared/munge.key && chmod 600 /shared/munge.key",
    );
    await cluster.root(controller, "install -d -o palimpsest /shared/work");
    await engine.run(["cp", script, `${controller}:/shared/palimpsest.sbatch`]);
    for (const name of machines) {
      await engine.run(["exec", "--interactive", name, "tee", "/etc/slurm/slurm.conf"], { input: settings });
      await cluster.root(name, "mkdir -p /run/munge /var/spool/slurmd /var/spool/slurmctld");
      await cluster.root(name, "munged --force --key-file=/shared/munge.key");
      if (name === controller) await cluster.root(name, "slurmctld");
      await cluster.root(name, "slurmd");
    }
    await until(
      "both machines are idle",
      async () => (await cluster.root(controller, "sinfo -h -o '%D %t'")) === "2 idle",
    );
    return cluster;
  }

  async root(machine: string, command: string): Promise<string> {
    return await this.#engine.run(["exec", machine, "sh", "-c", command]);
  }

  /** Runs a command on the first machine as a user without rights, in the folder that all machines share. */
  async user(command: string): Promise<string> {
    return await this.#engine.run([
      ...["exec", "--user", "palimpsest", "--workdir", "/shared/work", controller, "sh", "-c", command],
    ]);
  }
}
