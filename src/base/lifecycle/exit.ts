/** Whether questions to files are under way. Node.js waits for them at its end, and one to a share whose server is away ends with the share. */
export function asksFiles(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
}

/** Ends this process by a signal, as one does that handles none: nothing that hangs holds it, and who started it sees 128 and the number of the signal. */
export function exitBySignal(signal: NodeJS.Signals): void {
  // Node.js, which does this at its end, has no part in this one
  if (process.stdin.isTTY && process.stdin.isRaw) process.stdin.setRawMode(false);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
