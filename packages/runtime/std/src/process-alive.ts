/**
 * Returns whether a process with this id exists, of any user. Ids are reused, so a caller that needs a particular
 * process must check further.
 */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (reason) {
    // The process exists and belongs to another user.
    return reason instanceof Error && "code" in reason && reason.code === "EPERM";
  }
}
