/** What the bench calls: an actor that answers what it gets. */
export class Echo {
  echo(value: string): string {
    return value;
  }
}

/** The same as a task. */
export function echo(value: string): string {
  return value;
}
