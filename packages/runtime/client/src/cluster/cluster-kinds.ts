import { shownValue } from "@palimpsest/std/input";
import {
  type ActorClass,
  type ActorSource,
  type ActorType,
  type ActorTypeDeps,
  actorType,
} from "../actors/actor-type.js";
import type { ActorOptions, TaskOptions } from "../base/config.js";
import { checkObject, refused } from "../base/fields.js";
import type { CodeSource } from "../jobs/code-ref.js";
import { type MeshOptions, type MeshType, meshType, roomiestNodes } from "../mesh/mesh.js";
import type { MeshCalls } from "../mesh/mesh-calls.js";
import { Queue, type QueueOptions, queueActorOptions, queueSource } from "../queue/queue.js";
import type { QueueActor, QueueBounds } from "../queue/queue-actor.js";
import type { ActorModule, TaskModule } from "../tasks/code-module.js";
import type { TaskPool } from "../tasks/task-pool.js";
import { type TaskFunction, type TaskType, taskType } from "../tasks/task-type.js";
import { ClusterValues } from "./cluster-values.js";

/** What the kinds of a connection are declared over. */
export interface KindDeps {
  readonly actors: ActorTypeDeps;
  readonly tasks: TaskPool;
  /** Made by the first mesh, because most programs have none. */
  readonly meshCalls: () => MeshCalls;
}

/** What a program declares: kinds of actors, meshes of them, queues, and functions that run as tasks. */
export abstract class ClusterKinds extends ClusterValues {
  protected abstract readonly kinds: KindDeps;

  /**
   * Declares a kind of actor; `.spawn(...args)` creates one. Takes what `actorModule()` returned, or:
   * @param source where nodes find the class: a module of the installation, or the user's file, which is bundled
   * @throws {PalimpsestError} INVALID_ARGUMENT; CONFIG_INVALID naming the option
   */
  actor<Instance extends object, Args extends unknown[]>(
    module: ActorModule<Instance, Args>,
    options?: ActorOptions,
  ): ActorType<Instance, Args>;
  actor<Instance extends object, Args extends unknown[]>(
    Class: ActorClass<Instance, Args>,
    source: ActorSource,
    options?: ActorOptions,
  ): ActorType<Instance, Args>;
  actor<Instance extends object, Args extends unknown[]>(
    first: ActorClass<Instance, Args> | ActorModule<Instance, Args>,
    second?: ActorSource | ActorOptions,
    third?: ActorOptions,
  ): ActorType<Instance, Args> {
    if (typeof first === "function")
      return actorType(first, second as ActorSource, third ?? {}, this.kinds.actors);
    const { Class, source } = moduleOf(first, "cluster.actor(Counter, { from: … })");
    return this.actor(Class, source, second as ActorOptions | undefined);
  }

  /**
   * Creates a queue of items that programs share. With a name it returns the queue of that name, and creates it if
   * there is none.
   * @throws {PalimpsestError} INVALID_ARGUMENT; ALREADY_EXISTS if another actor has the name
   */
  async queue<Item>(options: QueueOptions = {}): Promise<Queue<Item>> {
    const { bounds, options: ofActor } = queueActorOptions(options);
    // The module is loaded by the first queue, because most programs have none.
    const { QueueActor } = await import("../queue/queue-actor.js");
    const type = this.actor<QueueActor<Item>, [QueueBounds]>(QueueActor<Item>, queueSource, ofActor);
    return Queue.of(await (options.name ? type.getOrCreate(bounds) : type.spawn(bounds)));
  }

  /**
   * Declares a grid of many actors of one class that are called together; `.spawn(...args)` creates them.
   * @param options the options of actors, and the mesh's shape
   * @throws {PalimpsestError} INVALID_ARGUMENT; CONFIG_INVALID naming the option
   */
  mesh<Instance extends object, Args extends unknown[]>(
    module: ActorModule<Instance, Args>,
    options: MeshOptions,
  ): MeshType<Instance, Args>;
  mesh<Instance extends object, Args extends unknown[]>(
    Class: ActorClass<Instance, Args>,
    source: ActorSource,
    options: MeshOptions,
  ): MeshType<Instance, Args>;
  mesh<Instance extends object, Args extends unknown[]>(
    first: ActorClass<Instance, Args> | ActorModule<Instance, Args>,
    second: ActorSource | MeshOptions,
    third?: MeshOptions,
  ): MeshType<Instance, Args> {
    if (typeof first !== "function") {
      const { Class, source } = moduleOf(first, "cluster.mesh(Counter, { from: … }, { shape })");
      return this.mesh(Class, source, second as MeshOptions);
    }
    const [Class, source, options] = [first, second as ActorSource, third as MeshOptions];
    const { shape: _, ...ofActors } = options;
    return meshType(this.actor(Class, source, ofActors), options, {
      calls: this.kinds.meshCalls(),
      nodeIds: () => roomiestNodes(this),
    });
  }

  /**
   * Declares a function that runs as tasks, like Ray's remote functions: `cluster.task(fn, source, options)(...args)`
   * runs it somewhere in the cluster. Without the function itself, the source names its export.
   * @throws {PalimpsestError} INVALID_ARGUMENT; CONFIG_INVALID naming the option
   */
  task<Fn extends TaskFunction>(module: TaskModule<Fn>, options?: TaskOptions): TaskType<Fn>;
  task<Fn extends TaskFunction>(fn: Fn, source: CodeSource, options?: TaskOptions): TaskType<Fn>;
  task<Fn extends TaskFunction>(
    source: CodeSource & { readonly exportName: string },
    options?: TaskOptions,
  ): TaskType<Fn>;
  task<Fn extends TaskFunction>(
    first: Fn | CodeSource | TaskModule<Fn>,
    second?: CodeSource | TaskOptions,
    third?: TaskOptions,
  ): TaskType<Fn> {
    const { tasks } = this.kinds;
    if (typeof first === "function") return taskType<Fn>(first, second as CodeSource, third ?? {}, tasks);
    const options = (second as TaskOptions | undefined) ?? {};
    checkObject(first, "the function of cluster.task()");
    if ("fn" in first) return taskType<Fn>(first.fn, first.source, options, tasks);
    return taskType<Fn>(undefined, first, options, tasks);
  }
}

/** Refuses what is not the result of `actorModule()`, such as a source without its class. */
function moduleOf<Module extends { readonly Class: unknown }>(given: Module, direct: string): Module {
  if (typeof given === "object" && given !== null && typeof given.Class === "function") return given;
  throw refused(
    "the first argument",
    `is ${shownValue(given)}: give the class first, as in ${direct}, or what actorModule() returned`,
  );
}
