/**
 * Milliseconds of processor time that this process has used. Differences of it do not depend on what else the machine
 * does, so that a test may compare them.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
