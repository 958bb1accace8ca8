/** A class or a function together with the module that exports it, so that programs name both at once. */
import type { ActorClass } from "../actors/actor-type.js";
import { checkValue, rules } from "../base/fields.js";
import type { BundleOptions } from "../jobs/build-module.js";
import { type CodeSource, checkSource } from "../jobs/code-ref.js";
import type { ModuleSource } from "../jobs/module-source.js";
import type { TaskFunction } from "./task-type.js";

/** What `cluster.actor()` and `cluster.mesh()` take in place of a class and its source. */
export interface ActorModule<Instance extends object, Args extends unknown[]> {
  readonly Class: ActorClass<Instance, Args>;
  readonly source: CodeSource;
}

/** What `cluster.task()` takes in place of a function and its source. */
export interface TaskModule<Fn extends TaskFunction> {
  readonly fn: Fn;
  readonly source: CodeSource;
}

/** How a class or function is found in the module that it is bundled from. */
export interface CodeModuleOptions extends BundleOptions {
  /** The name under which the module exports it. Default: its own name. */
  readonly exportName?: string;
}

/**
 * Names an actor once, in the module that exports its class:
 * `export const counters = actorModule(Counter, import.meta.url)`, and elsewhere `cluster.actor(counters)`.
 * @param url `import.meta.url` of the module that exports the class, which must not be the program's main file
 */
export function actorModule<Instance extends object, Args extends unknown[]>(
  Class: ActorClass<Instance, Args>,
  url: ModuleSource,
  options: CodeModuleOptions = {},
): ActorModule<Instance, Args> {
  checkValue(Class, rules.callback, "the class of actorModule()");
  checkSource({ from: url, ...options }, "the source of actorModule()");
  return { Class, source: { from: url, ...options } };
}

/**
 * Names a task once, in the module that exports its function:
 * `export const squares = taskModule(square, import.meta.url)`, and elsewhere `cluster.task(squares)`.
 * @param url `import.meta.url` of the module that exports the function, which must not be the program's main file
 */
export function taskModule<Fn extends TaskFunction>(
  fn: Fn,
  url: ModuleSource,
  options: CodeModuleOptions = {},
): TaskModule<Fn> {
  checkValue(fn, rules.callback, "the function of taskModule()");
  checkSource({ from: url, ...options }, "the source of taskModule()");
  return { fn, source: { from: url, ...options } };
}
