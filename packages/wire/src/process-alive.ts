/** Whether a process with this id exists, of whichever user. Ids are reused: who must know which process it is looks further. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (reason) {
    // It exists and belongs to somebody else.
    return reason instanceof Error && "code" in reason && reason.code === "EPERM";
  }
}
