// How one documented command is run. `sandbox` has the values that rules may name, and starts a line in its folder.

/** The line as it is run here. */
export function lineFor(line, rule, sandbox) {
  let result = line.replaceAll("127.0.0.1:8000", sandbox.values.ENDPOINT);
  for (const [from, to] of rule.replace ?? [])
    result = result.replace(
      from,
      to.replace(/\$([A-Z_]+)/g, (_, name) => sandbox.values[name] ?? `$${name}`),
    );
  return rule.add ? `${result} ${rule.add}` : result;
}

/**
 * Runs a command as its rule says.
 * @param kept gets what goes on until the end of the document
 * @param {readonly string[]} exported variables, as `NAME=value`
 * @returns {Promise<string>} what went wrong; empty where nothing did
 */
export async function runOne(line, rule, sandbox, kept, exported = []) {
  const child = sandbox.start(line, { ...rule, exported });
  if (rule.until === undefined) {
    const wrong = await child.end(rule.code ?? 0);
    return wrong && `${wrong}\n${child.output.slice(-1500)}`;
  }
  const wrong = await child.says(rule.until);
  if (wrong) {
    await child.stop();
    return `${wrong}\n${child.output.slice(-1500)}`;
  }
  if (rule.keep) kept.push(child);
  else await child.stop();
  if (rule.prints === undefined) return "";
  const [, printed] = rule.prints.line.exec(child.output) ?? [];
  if (printed === undefined) return `did not print a line like ${rule.prints.line}`;
  const ofPrinted = await runOne(`${printed} ${rule.prints.add}`, rule.prints, sandbox, kept);
  return ofPrinted && `of the line that it prints, ${printed}: ${ofPrinted}`;
}
