import { actors } from "./actors.js";
import { failures } from "./failures.js";
import { scheduling } from "./scheduling.js";
import { tasks } from "./tasks.js";
import { values } from "./values.js";

/** These are the examples of docs/guides/ray.md. Each has its Ray original beside it, under the same name in Python. */
export const examples = { tasks, values, actors, failures, scheduling };
