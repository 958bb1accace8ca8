/** A module that needs a variable which its process does not have. */
export const url = new URL(process.env["LEDGER_URL"] ?? "");

export class Ledger {
  read(): string {
    return url.href;
  }
}

export function readTask(): string {
  return url.href;
}
