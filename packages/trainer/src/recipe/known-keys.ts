import { z } from "zod";

/** Returns the field names that a schema accepts at a path, over all alternatives of a union; empty if it declares none. */
export function knownKeys(schema: unknown, path: readonly PropertyKey[]): Set<string> {
  let here = layersOf(schema);
  for (const step of path) here = here.flatMap((container) => inside(container, step)).flatMap(layersOf);
  return new Set(
    here.flatMap((container) => (container instanceof z.ZodObject ? Object.keys(container.shape) : [])),
  );
}

/** Returns a schema and, below it, the schemas that its defaults, unions and transforms wrap. */
export function layersOf(schema: unknown): unknown[] {
  if (schema instanceof z.ZodPipe) return [schema, ...layersOf(schema.in)];
  if (schema instanceof z.ZodUnion) return [schema, ...schema.options.flatMap(layersOf)];
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  )
    return [schema, ...layersOf(schema.unwrap())];
  return [schema];
}

function inside(container: unknown, step: PropertyKey): unknown[] {
  if (container instanceof z.ZodArray) return [container.element];
  if (container instanceof z.ZodRecord) return [container.valueType];
  const field = container instanceof z.ZodObject ? container.shape[String(step)] : undefined;
  return field === undefined ? [] : [field];
}
