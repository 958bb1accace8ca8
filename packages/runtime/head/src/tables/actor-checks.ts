/** Checks an actor's specification for fields that exclude each other. */
import { PalimpsestError } from "@palimpsest/wire";

interface Shared {
  readonly sharedProcess: boolean;
  readonly taskWorker: boolean;
  readonly resources: Readonly<Record<string, number>>;
}

interface Lanes {
  readonly concurrencyGroups: Readonly<Record<string, number>>;
  readonly methodGroups: Readonly<Record<string, string>>;
}

/** A light actor shares its process, so it cannot have what belongs to a whole process. */
export function checkShared({ sharedProcess, taskWorker, resources }: Shared): void {
  if (!sharedProcess) return;
  if (taskWorker)
    throw invalid(
      "task_worker and shared_process are true: a worker for tasks needs a process of its own, so leave shared_process out",
    );
  if (resources["gpu"])
    throw invalid(
      `shared_process is true and resources.gpu is ${resources["gpu"]}: a process sees its own GPUs, so give the actor one of its own`,
    );
}

export function checkConcurrency({ concurrencyGroups, methodGroups }: Lanes): void {
  for (const [group, count] of Object.entries(concurrencyGroups))
    if (!Number.isInteger(count) || count < 1)
      throw invalid(`concurrency_groups[${group}] is ${count}: give a whole number of at least 1`);
  for (const [method, group] of Object.entries(methodGroups))
    if (!Object.hasOwn(concurrencyGroups, group))
      throw invalid(`method_groups[${method}] is ${group}: name one of concurrency_groups`);
}

function invalid(message: string): PalimpsestError {
  return new PalimpsestError("INVALID_ARGUMENT", message);
}
